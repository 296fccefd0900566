/** Cutting a text into pieces that are laid out one by one, and what two texts have in common. */

/** A line longer than this is cut: layout costs what its longest block costs. */
export const LONGEST_PIECE = 1500;
/** Short lines share a block until it has this length, so that there are never too many. */
const SHORTEST_PIECE = 300;
/** Where no space and no end of a sentence comes, the cut is at most this much later. */
const LEEWAY = 500;

/**
 * Cuts a text into blocks: behind line breaks, and behind a space or the end of a sentence where a
 * line is long.
 *
 * @param {string} text
 * @param {number} longest
 * @returns {string[]}
 */
export function cut(text, longest = LONGEST_PIECE) {
  const pieces = [];
  for (let start = 0; start < text.length; ) {
    const end = start + pieceLength(text, start, longest);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/**
 * @param {string} text
 * @param {number} start
 * @param {number} longest
 */
function pieceLength(text, start, longest) {
  const window = text.slice(start, start + longest + LEEWAY);
  const lines = window.indexOf("\n", SHORTEST_PIECE - 1) + 1;
  if (lines > 0) {
    return lines;
  }
  if (window.length <= longest) {
    return window.length;
  }
  const last = window.lastIndexOf("\n") + 1;
  if (last > 0) {
    // The long line begins a block of its own.
    return last;
  }
  const boundary = /[ 。！？；]/g;
  boundary.lastIndex = longest - 1;
  const length = (boundary.exec(window)?.index ?? window.length - 1) + 1;
  // Not between the halves of a character.
  const code = window.charCodeAt(length - 1);
  return length + (code >= 0xd800 && code < 0xdc00 ? 1 : 0);
}

/**
 * Whether nothing that follows belongs into the same block.
 *
 * @param {string} piece
 * @param {number} longest
 */
export function isComplete(piece, longest) {
  const isLong = piece.length >= longest;
  return (
    (piece.endsWith("\n") && piece.length >= SHORTEST_PIECE) ||
    (isLong && /[ 。！？；]$/.test(piece)) ||
    piece.length >= longest + LEEWAY
  );
}

/** @param {string} a @param {string} b */
export function commonPrefix(a, b) {
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
export function commonSuffix(a, b, skip) {
  const most = Math.min(a.length, b.length) - skip;
  let length = 0;
  while (length < most && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) {
    length += 1;
  }
  return length;
}
