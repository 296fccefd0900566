import { strings } from "./i18n.js";
import { TextBlocks } from "./text-blocks.js";

/** @import { Block } from "./text-blocks.js" */

/** Text that comes into the document in one task. */
const PIECE_LENGTH = 30_000;

/**
 * A long source text, paragraph by paragraph: one of them is a text field while it is edited, so a
 * key costs what its paragraph costs.
 */
export class LongSource {
  /** @type {import("./source-pane.js").Edited} */
  onedit = () => {};
  blocks;

  #text = "";
  /** How much of the text is in the document. */
  #shown = 0;
  /** Whether the last paragraph is to be opened when it is there. */
  #wantsCaret = false;
  /** @type {{ block: Block, field: HTMLTextAreaElement } | undefined} */
  #open;

  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.blocks = new TextBlocks(element, "chinese");
    element.addEventListener("click", (event) => this.#click(event));
    element.addEventListener("keydown", (event) => this.#key(event));
  }

  get text() {
    return this.#text;
  }

  /** @param {string} text */
  show(text) {
    this.#close();
    this.#text = text;
    this.#shown = Math.min(text.length, PIECE_LENGTH);
    this.blocks.show(text.slice(0, this.#shown));
    if (text !== "") {
      this.element.scrollTop = 0;
      this.#fill();
    }
  }

  /** The caret goes behind the text, without scrolling there. */
  focus() {
    this.element.focus({ preventScroll: true });
    this.#wantsCaret = true;
    this.#fill();
  }

  /** Shows the rest of the text, one piece a task. */
  #fill() {
    const text = this.#text;
    if (this.#shown < text.length) {
      setTimeout(() => {
        if (text === this.#text && this.#shown < text.length) {
          this.#show(this.#shown + PIECE_LENGTH);
          this.#fill();
        }
      });
    } else if (this.#wantsCaret && document.activeElement === this.element) {
      this.#editLast();
    }
  }

  #editLast() {
    this.#show(this.#text.length);
    const block = this.blocks.blocks.at(-1);
    if (block) {
      this.#edit(block, block.text.length);
    }
  }

  /** @param {number} length */
  #show(length) {
    this.#shown = Math.min(this.#text.length, length);
    this.blocks.show(this.#text.slice(0, this.#shown));
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const selection = document.getSelection();
    if (selection && !selection.isCollapsed) {
      return;
    }
    const target = /** @type {Node} */ (event.target);
    const block = this.blocks.blocks.find(({ element }) => element.contains(target));
    if (block && block !== this.#open?.block) {
      const place = document.caretPositionFromPoint?.(event.clientX, event.clientY);
      const offset = place ? this.blocks.offsetOf(place.offsetNode, place.offset) : undefined;
      this.#edit(block, offset === undefined ? block.text.length : offset - this.blocks.startOf(block));
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.target !== this.element) {
      if (event.key === "Escape") {
        event.stopPropagation();
        this.#close();
        this.focus();
      }
      return;
    }
    const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const block = this.#inSight();
      if (block) {
        this.#edit(block, 0);
      }
    } else if (isText) {
      // The key goes into the field that has the focus when its event has been handled.
      this.#editLast();
    }
  }

  /** The first block of which the upper edge can be seen. */
  #inSight() {
    const top = this.element.scrollTop + this.element.offsetTop;
    return this.blocks.blocks.find(({ element }) => element.offsetTop >= top) ?? this.blocks.blocks.at(-1);
  }

  /**
   * @param {Block} block
   * @param {number} caret
   */
  #edit(block, caret) {
    this.#close();
    this.#wantsCaret = false;
    this.#show(this.#text.length);
    const field = document.createElement("textarea");
    field.className = "paragraph";
    field.lang = "zh-Hans";
    field.spellcheck = false;
    field.setAttribute("aria-label", strings.editParagraph);
    const ending = block.text.endsWith("\n") ? "\n" : "";
    field.value = block.text.slice(0, block.text.length - ending.length);
    field.style.height = `${block.element.offsetHeight}px`;
    block.element.classList.add("open");
    block.element.replaceChildren(field);
    field.addEventListener("input", (event) => {
      field.style.height = "auto";
      field.style.height = `${field.scrollHeight}px`;
      const { inputType, isComposing } = /** @type {InputEvent} */ (event);
      if (!isComposing) {
        this.#edited(block, field.value + ending, inputType === "insertFromPaste");
      }
    });
    field.addEventListener("compositionend", () => this.#edited(block, field.value + ending, false));
    field.addEventListener("blur", () => this.#close());
    this.#open = { block, field };
    field.focus({ preventScroll: true });
    field.setSelectionRange(caret, caret);
  }

  /**
   * @param {Block} block
   * @param {string} text
   * @param {boolean} atOnce
   */
  #edited(block, text, atOnce) {
    const start = this.blocks.startOf(block);
    this.#text = this.#text.slice(0, start) + text + this.#text.slice(start + block.text.length);
    this.blocks.edited(block, text);
    this.#shown = this.#text.length;
    this.onedit(this.#text, { atOnce });
  }

  #close() {
    const open = this.#open;
    if (open) {
      this.#open = undefined;
      open.block.element.classList.remove("open");
      open.block.element.textContent = open.block.text;
    }
  }
}
