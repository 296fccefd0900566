/**
 * A text translated by several workers: it goes to them in pieces of some sentences, and comes
 * together in its order.
 *
 * @import { EngineOptions, Piece, Sentence, Translation, TranslationProgress } from "./types.d.ts"
 * @import { Pool } from "./pool.js"
 */

import { newKey } from "./pool.js";
import { inTurn } from "./promises.js";

/** Sentences of the first piece, which also tells how many there are. */
const FIRST_SENTENCES = 4;
/** Sentences of the others: enough for two batches of the engine. */
const PIECE_SENTENCES = 8;

/**
 * @param {Pool} pool
 * @param {object} group whose text it is
 * @param {string} text
 * @param {EngineOptions} options
 * @param {object} how
 * @param {AbortSignal | undefined} how.signal
 * @param {((progress: TranslationProgress) => void) | undefined} how.onprogress
 * @returns {Promise<Translation>}
 */
export async function translateText(pool, group, text, options, { signal, onprogress }) {
  const key = newKey();
  const parts = new Parts(text, onprogress);
  // One piece that fails ends the others.
  const failed = new AbortController();
  const giveUp = () => failed.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener("abort", giveUp, { once: true });

  /** @param {number} index @param {number} [from] @param {number} [to] */
  const translate = async (index, from, to) => {
    const { value, total } = await pool.run(
      group,
      { type: "translate", key, text, options, from, to },
      {
        signal: failed.signal,
        onrestart: () => parts.restart(index),
        onstep: ({ added, sentencesDone, sentences, total }) =>
          parts.grow(index, added, sentencesDone, total || sentences),
      },
    );
    parts.complete(index, value, total || value.sentences.length);
    return total;
  };

  try {
    // Alone, a worker does a text in one piece.
    const isWhole = pool.workers === 1 || (options.format ?? "text") !== "text";
    const total = isWhole ? await translate(0) : await translate(0, 0, FIRST_SENTENCES);
    if (!isWhole && total > FIRST_SENTENCES) {
      const starts = [];
      for (let from = FIRST_SENTENCES; from < total; from += PIECE_SENTENCES) {
        starts.push(from);
      }
      await inTurn(starts, pool.appetite, (from, index) =>
        translate(index + 1, from, Math.min(from + PIECE_SENTENCES, total)),
      );
    }
    return parts.finish();
  } catch (error) {
    failed.abort(error);
    throw error;
  } finally {
    signal?.removeEventListener("abort", giveUp);
    pool.forget(key);
  }
}

/** Pieces of a translation that arrive in any order. */
class Parts {
  #source;
  #onprogress;
  /** @type {{ text: string, sentencesDone: number, piece?: Piece }[]} */
  #parts = [];
  /** What is complete from the beginning on. */
  #text = "";
  /** @type {Sentence[]} */
  #sentences = [];
  /** Parts in it. */
  #complete = 0;
  /** Stands behind `#text` when a sentence follows on the same line, by whether that is copied. */
  #joiners = { copied: "", translated: "" };
  #lastIsCopied = false;
  #total = 0;
  /** @type {TranslationProgress} */
  #shown = { text: "", sentencesDone: 0, sentences: 0 };

  /**
   * @param {string} source
   * @param {((progress: TranslationProgress) => void) | undefined} onprogress
   */
  constructor(source, onprogress) {
    this.#source = source;
    this.#onprogress = onprogress;
  }

  /**
   * A part has become longer.
   *
   * @param {number} index
   * @param {string} added
   * @param {number} sentencesDone of the part
   * @param {number} total sentences of the text
   */
  grow(index, added, sentencesDone, total) {
    const part = (this.#parts[index] ??= { text: "", sentencesDone: 0 });
    part.text += added;
    part.sentencesDone = sentencesDone;
    this.#total = total;
    if (index === this.#complete) {
      this.#show();
    }
  }

  /** Another worker has taken a part over and begins anew. @param {number} index */
  restart(index) {
    delete this.#parts[index];
  }

  /**
   * A part is complete.
   *
   * @param {number} index
   * @param {Piece} piece
   * @param {number} total sentences of the text
   */
  complete(index, piece, total) {
    this.#parts[index] = { text: piece.text, sentencesDone: piece.sentences.length, piece };
    this.#total = total;
    for (let next = this.#parts[this.#complete]; next?.piece; next = this.#parts[this.#complete]) {
      this.#append(next.piece);
      delete this.#parts[this.#complete];
      this.#complete += 1;
    }
    if (this.#sentences.length < this.#total) {
      this.#show();
    }
  }

  /** @returns {Translation} */
  finish() {
    return { text: this.#text, sentences: this.#sentences };
  }

  /** @param {Piece} piece */
  #append({ start, source, text, sentences }) {
    const [first] = sentences;
    const last = sentences.at(-1);
    if (first && first.target[0] === 0) {
      this.#text += isCopy(first, source, text) ? this.#joiners.copied : this.#joiners.translated;
    }
    const base = this.#text.length;
    /** @param {[number, number]} span @param {number} by @returns {[number, number]} */
    const moved = ([from, to], by) => [from + by, to + by];
    for (const sentence of sentences) {
      this.#sentences.push({
        ...sentence,
        source: moved(sentence.source, start),
        target: moved(sentence.target, base),
        ...(sentence.alignment && {
          alignment: sentence.alignment.map((pair) => ({
            source: moved(pair.source, start),
            target: moved(pair.target, base),
          })),
        }),
      });
    }
    this.#text += text;
    if (last && last.target[1] === text.length && text !== "") {
      // White space of the source stays between two sentences that are copied.
      const space = this.#source.slice(start + last.source[1], start + source.length);
      this.#lastIsCopied = isCopy(last, source, text);
      this.#joiners = { copied: this.#lastIsCopied ? space : " ", translated: " " };
    } else if (text !== "") {
      this.#lastIsCopied = false;
      this.#joiners = { copied: "", translated: "" };
    }
  }

  #show() {
    if (!this.#onprogress) {
      return;
    }
    const growing = this.#parts[this.#complete];
    let text = this.#text;
    let sentencesDone = this.#sentences.length;
    // Behind a copied sentence it is not known yet what stands before the next one.
    if (growing && growing.sentencesDone > 0 && !this.#lastIsCopied) {
      text += this.#joiners.translated + growing.text;
      sentencesDone += growing.sentencesDone;
    }
    if (sentencesDone > this.#shown.sentencesDone) {
      this.#shown = { text, sentencesDone, sentences: this.#total };
      this.#onprogress({ ...this.#shown });
    }
  }
}

/**
 * Whether a sentence stayed as it was; its line breaks are spaces then.
 *
 * @param {Sentence} sentence
 * @param {string} source
 * @param {string} text
 */
function isCopy(sentence, source, text) {
  const original = source.slice(...sentence.source).replace(/[\n\r\v\f\u0085\u2028\u2029]/g, " ");
  return original === text.slice(...sentence.target);
}
