import { commonPrefix, commonSuffix, cut, isComplete, LONGEST_PIECE } from "./text-pieces.js";

/** Roughly a line of text on screens of usual width, for blocks that are not laid out yet. */
const LINE_CHARACTERS = { latin: 62, chinese: 30 };

/**
 * A piece of the text in the document.
 *
 * @typedef {object} Block
 * @property {string} text
 * @property {HTMLElement} element
 * @property {number} fresh how many of its characters are not stale
 */

/**
 * A text in the document: some lines a block, and several blocks for a very long line, so that a
 * change costs no more than the blocks it touches, and blocks out of sight are not laid out at all.
 * A block holds its line breaks, hence `textContent` is the text itself.
 */
export class TextBlocks {
  /** @type {Block[]} */
  blocks = [];

  /** Whether every block begins where a line does, so that it looks as the whole text does. */
  isExact = true;

  #element;
  #lineCharacters;
  #longest;
  #text = "";
  /** Offsets at which the blocks start; empty when they must be counted again. @type {number[]} */
  #starts = [];

  /**
   * @param {HTMLElement} element
   * @param {keyof typeof LINE_CHARACTERS} script
   * @param {number} [longest] where to cut a long line
   */
  constructor(element, script, longest = LONGEST_PIECE) {
    this.#element = element;
    this.#lineCharacters = LINE_CHARACTERS[script];
    this.#longest = longest;
    // The selection as text would get the line breaks twice: from the text and from the blocks.
    element.addEventListener("copy", (event) => {
      const selection = document.getSelection();
      const isField = event.target instanceof HTMLTextAreaElement;
      if (selection?.rangeCount && event.clipboardData && !isField) {
        const text = selection.getRangeAt(0).cloneContents().textContent ?? "";
        event.clipboardData.setData("text/plain", text);
        event.preventDefault();
      }
    });
  }

  get text() {
    return this.#text;
  }

  /** @param {string} text */
  show(text) {
    if (text === this.#text) {
      return;
    }
    const grown = text.length > this.#text.length && text.startsWith(this.#text);
    const prefix = grown ? this.#text.length : commonPrefix(this.#text, text);
    this.#replace(text, prefix, grown ? 0 : commonSuffix(this.#text, text, prefix));
  }

  /**
   * The text of one block has been edited in place.
   *
   * @param {Block} block
   * @param {string} text
   */
  edited(block, text) {
    block.text = text;
    block.fresh = text.length;
    this.#starts = [];
    this.#text = this.blocks.map(({ text }) => text).join("");
  }

  /** @param {Block} block */
  startOf(block) {
    return this.#offsets()[this.blocks.indexOf(block)] ?? 0;
  }

  /**
   * The block that holds an offset, and the offset inside it.
   *
   * @param {number} offset
   * @returns {{ block: Block, within: number } | undefined}
   */
  at(offset) {
    const starts = this.#offsets();
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (/** @type {number} */ (starts[middle]) <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const block = this.blocks[low - 1];
    return block && { block, within: Math.min(offset - (starts[low - 1] ?? 0), block.text.length) };
  }

  /**
   * The offset of a place in the document; undefined when it is not in this text.
   *
   * @param {Node} node
   * @param {number} within
   */
  offsetOf(node, within) {
    const starts = this.#offsets();
    const index = this.blocks.findIndex(({ element }) => element.contains(node));
    const block = this.blocks[index];
    if (!block || node.nodeType !== Node.TEXT_NODE) {
      return block && starts[index];
    }
    let before = 0;
    for (const text of textsIn(block.element)) {
      if (text === node) {
        return (starts[index] ?? 0) + before + within;
      }
      before += text.length;
    }
    return undefined;
  }

  /**
   * A range over a part of the text.
   *
   * @param {number} from
   * @param {number} to
   */
  range(from, to) {
    const first = this.#place(from);
    const last = this.#place(to, true);
    if (!first || !last) {
      return undefined;
    }
    const range = document.createRange();
    range.setStart(...first);
    range.setEnd(...last);
    return range;
  }

  /**
   * How far below the start of the content the line with an offset begins.
   *
   * @param {number} offset
   */
  top(offset) {
    const rectangle = this.range(offset, offset + 1)?.getBoundingClientRect();
    return rectangle && rectangle.top - this.#element.getBoundingClientRect().top + this.#element.scrollTop;
  }

  /** The same for the end of a line. @param {number} offset behind its last character */
  bottom(offset) {
    const rectangle = this.range(Math.max(0, offset - 1), offset)?.getBoundingClientRect();
    return rectangle && rectangle.bottom - this.#element.getBoundingClientRect().top + this.#element.scrollTop;
  }

  /**
   * @param {number} offset
   * @param {boolean} [isEnd] an end belongs to the block before it
   * @returns {[Text, number] | undefined}
   */
  #place(offset, isEnd = false) {
    const found = this.at(isEnd && offset > 0 ? offset - 1 : offset);
    let left = (found?.within ?? 0) + (isEnd && offset > 0 ? 1 : 0);
    for (const text of found ? textsIn(found.block.element) : []) {
      if (left <= text.length) {
        return [text, left];
      }
      left -= text.length;
    }
    return undefined;
  }

  #offsets() {
    if (this.#starts.length !== this.blocks.length) {
      let start = 0;
      this.#starts = this.blocks.map(({ text }) => (start += text.length) - text.length);
    }
    return this.#starts;
  }

  /**
   * Replaces the blocks between what the old and the new text have in common at both ends.
   *
   * @param {string} text
   * @param {number} prefix
   * @param {number} suffix
   */
  #replace(text, prefix, suffix) {
    const { blocks } = this;
    let first = 0;
    let start = 0;
    if (prefix === this.#text.length) {
      first = blocks.length;
      start = prefix;
    }
    for (let block; (block = blocks[first]) && start + block.text.length <= prefix; first += 1) {
      start += block.text.length;
    }
    // What follows may belong into the block before.
    const before = blocks[first - 1];
    if (before && !isComplete(before.text, this.#longest)) {
      first -= 1;
      start -= before.text.length;
    }
    let last = blocks.length;
    let end = 0;
    for (let block; last > first && (block = blocks[last - 1]) && end + block.text.length <= suffix; last -= 1) {
      end += block.text.length;
    }
    let pieces = cut(text.slice(start, text.length - end), this.#longest);
    const after = blocks[last];
    if (after && pieces.length > 0 && !isComplete(pieces.at(-1) ?? "", this.#longest)) {
      last += 1;
      end -= after.text.length;
      pieces = cut(text.slice(start, text.length - end), this.#longest);
    }

    const next = blocks[last]?.element ?? null;
    const added = pieces.map((piece) => this.#make(piece));
    for (const { element } of blocks.splice(first, last - first, ...added)) {
      element.remove();
    }
    const fragment = document.createDocumentFragment();
    fragment.append(...added.map(({ element }) => element));
    this.#element.insertBefore(fragment, next);
    this.#text = text;
    this.#starts = [];
    this.isExact = blocks.slice(0, -1).every(({ text }) => text.endsWith("\n"));
  }

  /**
   * @param {string} text
   * @returns {Block}
   */
  #make(text) {
    const element = document.createElement("div");
    element.className = "block";
    element.style.setProperty("--lines", String(Math.ceil(text.length / this.#lineCharacters)));
    element.textContent = text;
    return { text, element, fresh: text.length };
  }
}

/**
 * @param {Node} node
 * @returns {Text[]}
 */
function textsIn(node) {
  return [...node.childNodes].flatMap((child) =>
    child.nodeType === Node.TEXT_NODE ? [/** @type {Text} */ (child)] : textsIn(child),
  );
}
