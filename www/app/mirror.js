import { TextBlocks } from "./text-blocks.js";
import { commonPrefix, commonSuffix } from "./text-pieces.js";

/** Text that is measured in one task. */
const PIECE_LENGTH = 3000;
/** A longer line cannot be measured in one task, and not in several. */
const LONGEST_LINE = 6000;

/**
 * The text of a field once more, invisible behind it and wrapped at the same places: a field does
 * not tell where in it a sentence stands.
 */
export class Mirror {
  #field;
  #layer;
  #sheet = document.createElement("div");
  #timer = 0;
  #measured = "";
  #width = 0;

  /**
   * @param {HTMLTextAreaElement} field
   * @param {HTMLElement} layer
   */
  constructor(field, layer) {
    this.#field = field;
    this.#layer = layer;
    this.#sheet.className = "text sheet";
    layer.append(this.#sheet);
    this.blocks = new TextBlocks(this.#sheet, "chinese", LONGEST_LINE);
    field.addEventListener("scroll", () => this.#follow(), { passive: true });
    new ResizeObserver(() => this.#resize()).observe(field);
  }

  /** @param {string} text */
  isReady(text) {
    return this.#measured === text && this.blocks.isExact && !this.#field.hidden;
  }

  /**
   * Measures a text piece by piece, between other tasks.
   *
   * @param {string} text
   */
  measure(text) {
    cancelIdle(this.#timer);
    if (this.#measured === text) {
      return;
    }
    // What has stayed the same is measured already.
    const prefix = commonPrefix(this.blocks.text, text);
    const isSmallChange = text.length - prefix - commonSuffix(this.blocks.text, text, prefix) <= PIECE_LENGTH;
    let length = isSmallChange ? text.length : PIECE_LENGTH;
    const step = () => {
      this.blocks.show(text.slice(0, length));
      // Reading a size makes the browser lay it out now, in this task.
      void this.#sheet.offsetHeight;
      if (length < text.length && this.blocks.isExact) {
        length += PIECE_LENGTH;
        this.#timer = whenIdle(step);
      } else {
        this.#measured = text;
        this.#follow();
      }
    };
    this.#timer = whenIdle(step);
  }

  #follow() {
    this.#sheet.style.translate = `0 ${-this.#field.scrollTop}px`;
  }

  #resize() {
    if (this.#field.clientWidth !== this.#width) {
      this.#width = this.#field.clientWidth;
      this.#layer.style.width = `${this.#width}px`;
    }
  }
}

/** @param {() => void} task */
function whenIdle(task) {
  return "requestIdleCallback" in self ? requestIdleCallback(task, { timeout: 500 }) : setTimeout(task, 20);
}

/** @param {number} timer */
function cancelIdle(timer) {
  if ("cancelIdleCallback" in self) {
    cancelIdleCallback(timer);
  } else {
    clearTimeout(timer);
  }
}
