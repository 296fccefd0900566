import { LongSource } from "./long-source.js";
import { Mirror } from "./mirror.js";

/**
 * A longer text is shown paragraph by paragraph, and so is one of more lines: at every key a text
 * field shapes the whole line, and browsers look at all lines.
 */
const LONGEST_IN_FIELD = 30_000;
const MOST_LINES_IN_FIELD = 500;
/** A field takes longer texts in pieces of this length, each in a task of its own. */
const PIECE_LENGTH = 6000;

/**
 * @callback Edited
 * @param {string} text
 * @param {{ atOnce: boolean }} how `atOnce` for pasted text, which is complete
 */

/** The source text: a text field, or paragraphs when it is long. */
export class SourcePane {
  /** @type {Edited} */
  onedit = () => {};
  /** The caret has moved to this offset. @type {(offset: number) => void} */
  oncaret = () => {};
  /** Another element scrolls now. @type {() => void} */
  onmode = () => {};

  #field;
  #long;
  #mirror;
  /** What the field has not taken yet. */
  #rest = "";
  /** Where the caret goes when the field has taken that much. */
  #caret = 0;
  /** What a long paste took the place of; the browser does not know how to undo it. @type {string | undefined} */
  #before;
  #isLong = false;

  /**
   * @param {HTMLTextAreaElement} field
   * @param {HTMLElement} mirror lies behind the field
   * @param {HTMLElement} paragraphs takes the field's place when the text is long
   */
  constructor(field, mirror, paragraphs) {
    this.#field = field;
    this.#mirror = new Mirror(field, mirror);
    this.#long = new LongSource(paragraphs);
    this.#long.onedit = (text, how) => this.onedit(text, how);
    this.#listen();
  }

  get text() {
    return this.#isLong ? this.#long.text : this.#field.value + this.#rest;
  }

  /** The element that scrolls. */
  get element() {
    return this.#isLong ? this.#long.element : this.#field;
  }

  /** Where the text stands; undefined while that is not known exactly. */
  get geometry() {
    if (this.#isLong) {
      return this.#long.blocks;
    }
    return this.#mirror.isReady(this.text) ? this.#mirror.blocks : undefined;
  }

  /**
   * @param {string} text
   * @param {number} [caret]
   */
  show(text, caret = text.length) {
    this.#rest = "";
    const isLong = isLongText(text);
    // The field first: whatever asks for the layout would have it lay out all of the text.
    this.#field.value = isLong ? "" : text.slice(0, PIECE_LENGTH);
    if (isLong !== this.#isLong) {
      const hadFocus = this.element.contains(document.activeElement);
      this.#isLong = isLong;
      this.#long.element.hidden = !isLong;
      this.#field.hidden = isLong;
      this.#field.closest("main")?.toggleAttribute("data-long", isLong);
      this.onmode();
      if (hadFocus) {
        this.focus();
      }
    }
    this.#long.show(isLong ? text : "");
    if (!isLong) {
      this.#rest = text.slice(PIECE_LENGTH);
      this.#caret = caret;
      this.#placeCaret();
      this.#fill();
    }
  }

  focus() {
    if (this.#isLong) {
      this.#long.focus();
    } else {
      this.#field.focus();
    }
  }

  /** Measures where the sentences stand, little by little. */
  measure() {
    if (!this.#isLong) {
      this.#mirror.measure(this.text);
    }
  }

  /**
   * The offset under a point of the window.
   *
   * @param {number} x
   * @param {number} y
   */
  offsetAtPoint(x, y) {
    const place = document.caretPositionFromPoint?.(x, y);
    if (!place) {
      return undefined;
    }
    return place.offsetNode === this.#field
      ? place.offset
      : this.#long.blocks.offsetOf(place.offsetNode, place.offset);
  }

  #listen() {
    const field = this.#field;
    field.addEventListener("beforeinput", () => {
      // Whoever types now means the place where the caret will be.
      while (this.#rest !== "") {
        this.#takePiece();
      }
    });
    field.addEventListener("paste", (event) => this.#paste(event));
    field.addEventListener("input", (event) => {
      const { inputType, isComposing } = /** @type {InputEvent} */ (event);
      // While an input method composes, the text holds Latin letters that are no text yet.
      if (isComposing) {
        return;
      }
      const atOnce = inputType === "insertFromPaste" || inputType === "insertFromDrop";
      if (this.#isLong || (atOnce && (field.value.length > PIECE_LENGTH || isLongText(field.value)))) {
        this.show(field.value);
      } else {
        this.#before = undefined;
      }
      this.onedit(this.text, { atOnce });
    });
    field.addEventListener("compositionend", () => this.onedit(this.text, { atOnce: false }));
    for (const element of [field, this.#long.element]) {
      element.addEventListener("keydown", (event) => {
        const { key, ctrlKey, metaKey, shiftKey } = event;
        if (key.toLowerCase() === "z" && (ctrlKey || metaKey) && !shiftKey && event.target === element) {
          this.#undo(event);
        }
      });
    }
    // A rule with :has() would be looked at again for every block that comes or goes.
    const pane = field.closest(".pane");
    for (const event of ["focusin", "focusout"]) {
      pane?.addEventListener(event, ({ target, type }) => {
        pane.toggleAttribute("data-typing", type === "focusin" && target instanceof HTMLTextAreaElement);
      });
    }
    document.addEventListener("selectionchange", () => {
      if (document.activeElement === field) {
        this.oncaret(field.selectionStart);
      }
    });
  }

  /**
   * A long text is not left to the field, which would take it in one long task.
   *
   * @param {ClipboardEvent} event
   */
  #paste(event) {
    const added = event.clipboardData?.getData("text/plain") ?? "";
    const { value, selectionStart, selectionEnd } = this.#field;
    if (added.length <= PIECE_LENGTH && !isLongText(added) && !isLongText(value + added)) {
      return;
    }
    event.preventDefault();
    this.#before = value;
    const pasted = added.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
    const text = value.slice(0, selectionStart) + pasted + value.slice(selectionEnd);
    this.show(text, selectionStart + pasted.length);
    this.onedit(text, { atOnce: true });
    this.focus();
  }

  /** @param {KeyboardEvent} event */
  #undo(event) {
    if (this.#before !== undefined) {
      event.preventDefault();
      const text = this.#before;
      this.#before = undefined;
      this.show(text);
      this.onedit(text, { atOnce: true });
      this.focus();
    }
  }

  /** Gives the field the rest of its text, one piece a task. */
  #fill() {
    if (this.#rest !== "") {
      setTimeout(() => {
        this.#takePiece();
        this.#fill();
      });
    }
  }

  #takePiece() {
    const field = this.#field;
    const piece = this.#rest.slice(0, PIECE_LENGTH);
    this.#rest = this.#rest.slice(PIECE_LENGTH);
    field.setRangeText(piece, field.value.length, field.value.length, "preserve");
    this.#placeCaret();
    // Reading a size makes the browser lay the piece out in this task, not all of them in one.
    void field.scrollHeight;
  }

  #placeCaret() {
    if (this.#field.value.length >= this.#caret && this.#caret >= 0) {
      this.#field.setSelectionRange(this.#caret, this.#caret);
      this.#caret = -1;
    }
  }
}

/** @param {string} text */
function isLongText(text) {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0 && lines <= MOST_LINES_IN_FIELD; at = text.indexOf("\n", at + 1)) {
    lines += 1;
  }
  return text.length > LONGEST_IN_FIELD || lines > MOST_LINES_IN_FIELD;
}
