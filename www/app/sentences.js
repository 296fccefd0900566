/**
 * Which sentence of the one text is which of the other.
 *
 * @import { Sentence } from "./lib/types.d.ts"
 */

/** @typedef {"source" | "target"} Side */

/**
 * The sentence at an offset: the one that contains it or, between two, the one before.
 *
 * @param {readonly Sentence[]} sentences in order
 * @param {Side} side
 * @param {number} offset
 * @returns {number} its index, -1 when all sentences come later
 */
export function sentenceAt(sentences, side, offset) {
  let low = 0;
  let high = sentences.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (/** @type {Sentence} */ (sentences[middle])[side][0] <= offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}

/**
 * The same, but nothing where the offset is in no sentence: in a gap or behind the last.
 *
 * @param {readonly Sentence[]} sentences
 * @param {Side} side
 * @param {number} offset
 * @returns {number}
 */
export function sentenceOver(sentences, side, offset) {
  const index = sentenceAt(sentences, side, offset);
  const sentence = sentences[index];
  return sentence && offset <= sentence[side][1] ? index : -1;
}

/**
 * A translation with another wording of one sentence; what follows moves.
 *
 * @param {{ text: string, sentences: readonly Sentence[] }} translation
 * @param {number} index
 * @param {string} wording
 * @returns {{ text: string, sentences: Sentence[] }}
 */
export function replaceSentence({ text, sentences }, index, wording) {
  const replaced = sentences[index];
  if (!replaced) {
    return { text, sentences: [...sentences] };
  }
  const [start, end] = replaced.target;
  const shift = wording.length - (end - start);
  return {
    text: text.slice(0, start) + wording + text.slice(end),
    sentences: sentences.map((sentence, at) => {
      const [from, to] = sentence.target;
      const first = at > index ? from + shift : from;
      return at < index ? sentence : { ...sentence, target: [first, to + shift] };
    }),
  };
}
