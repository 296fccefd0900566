/** A block longer than this ends at the next space; layout costs what its longest block costs. */
const BLOCK_LENGTH = 1500;

/**
 * A piece of the text in the document.
 *
 * @typedef {object} Block
 * @property {string} text
 * @property {number} fresh how many of its characters are not stale
 * @property {HTMLElement} element
 */

/**
 * The translation in the document: one block a line, and several for a very long line, so that a
 * change costs no more than the blocks it touches. A block holds its line break, hence
 * `textContent` is the text itself.
 */
export class Output {
  #element;
  /** What is shown. */
  #text = "";
  /** @type {Block[]} */
  #blocks = [];

  /** @param {HTMLElement} element */
  constructor(element) {
    this.#element = element;
    // The selection as text would get the line breaks twice: from the text and from the blocks.
    element.addEventListener("copy", (event) => {
      const selection = document.getSelection();
      if (selection?.rangeCount && event.clipboardData) {
        const text = selection.getRangeAt(0).cloneContents().textContent ?? "";
        event.clipboardData.setData("text/plain", text);
        event.preventDefault();
      }
    });
  }

  /**
   * @param {string} fresh the translation
   * @param {string} stale what follows it of an older one
   */
  show(fresh, stale) {
    const text = fresh + stale;
    if (text !== this.#text) {
      this.#replace(text);
    }
    let room = fresh.length;
    for (const block of this.#blocks) {
      shade(block, Math.max(0, Math.min(room, block.text.length)));
      room -= block.text.length;
    }
  }

  /**
   * Replaces the blocks between what the old and the new text have in common at both ends.
   *
   * @param {string} text
   */
  #replace(text) {
    const blocks = this.#blocks;
    const prefix = commonPrefix(this.#text, text);
    const suffix = commonSuffix(this.#text, text, prefix);

    let first = 0;
    let start = 0;
    for (let block; (block = blocks[first]) && start + block.text.length <= prefix; first += 1) {
      start += block.text.length;
    }
    // What follows may belong into the block before.
    const before = blocks[first - 1];
    if (before && !isComplete(before.text)) {
      first -= 1;
      start -= before.text.length;
    }

    let last = blocks.length;
    let end = 0;
    for (let block; last > first && (block = blocks[last - 1]) && end + block.text.length <= suffix; last -= 1) {
      end += block.text.length;
    }
    let pieces = cut(text.slice(start, text.length - end));
    const after = blocks[last];
    if (after && pieces.length > 0 && !isComplete(pieces.at(-1) ?? "")) {
      last += 1;
      end -= after.text.length;
      pieces = cut(text.slice(start, text.length - end));
    }

    const next = blocks[last]?.element ?? null;
    const added = pieces.map((text) => {
      const element = document.createElement("div");
      element.textContent = text;
      return { text, fresh: text.length, element };
    });
    for (const { element } of blocks.splice(first, last - first, ...added)) {
      element.remove();
    }
    for (const { element } of added) {
      this.#element.insertBefore(element, next);
    }
    this.#text = text;
  }
}

/**
 * Shows the first `fresh` characters of a block as such, the others as stale.
 *
 * @param {Block} block
 * @param {number} fresh
 */
function shade(block, fresh) {
  const { text, element } = block;
  if (block.fresh === fresh) {
    return;
  }
  const isMixed = fresh > 0 && fresh < text.length;
  if (isMixed) {
    const stale = document.createElement("span");
    stale.className = "stale";
    stale.textContent = text.slice(fresh);
    element.replaceChildren(text.slice(0, fresh), stale);
  } else if (element.childElementCount > 0) {
    element.textContent = text;
  }
  element.classList.toggle("stale", fresh === 0);
  block.fresh = fresh;
}

/**
 * Cuts a text into blocks: behind line breaks, and behind a space where a line is long.
 *
 * @param {string} text
 * @returns {string[]}
 */
function cut(text) {
  const pieces = [];
  for (let start = 0; start < text.length; ) {
    let end = text.indexOf("\n", start) + 1 || text.length;
    if (end - start > BLOCK_LENGTH) {
      const space = text.indexOf(" ", start + BLOCK_LENGTH - 1) + 1;
      end = space > 0 ? Math.min(end, space) : end;
    }
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/**
 * Whether nothing that follows belongs into the same block.
 *
 * @param {string} piece
 */
function isComplete(piece) {
  return piece.endsWith("\n") || (piece.length >= BLOCK_LENGTH && piece.endsWith(" "));
}

/** @param {string} a @param {string} b */
function commonPrefix(a, b) {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) {
    length += 1;
  }
  return length;
}

/**
 * Of what two texts have left behind their first `skip` characters.
 *
 * @param {string} a
 * @param {string} b
 * @param {number} skip
 */
function commonSuffix(a, b, skip) {
  const most = Math.min(a.length, b.length) - skip;
  let length = 0;
  while (length < most && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) {
    length += 1;
  }
  return length;
}
