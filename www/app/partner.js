/**
 * The sentence that a person looks at, marked in both panes.
 *
 * @import { Session } from "./session.js"
 * @import { Side } from "./sentences.js"
 * @import { TextBlocks } from "./text-blocks.js"
 */

import { sentenceOver } from "./sentences.js";

/** Marks the sentence under the pointer, or else the one with the caret, and its partner. */
export class Partner {
  /** Index of the marked sentence, -1 when there is none. */
  current = -1;

  #session;
  #geometry;
  /** Index of the sentence with the caret. */
  #caret = -1;
  #frame = 0;

  /**
   * @param {Session} session
   * @param {(side: Side) => TextBlocks | undefined} geometry
   */
  constructor(session, geometry) {
    this.#session = session;
    this.#geometry = geometry;
  }

  /**
   * Follows the pointer over a pane.
   *
   * @param {HTMLElement} element
   * @param {Side} side
   * @param {(x: number, y: number) => number | undefined} offsetAt
   */
  follow(element, side, offsetAt) {
    element.addEventListener("pointermove", ({ clientX, clientY, buttons }) => {
      // While text is being selected the marks would only disturb.
      this.#frame ||= requestAnimationFrame(() => {
        this.#frame = 0;
        const offset = buttons === 0 ? offsetAt(clientX, clientY) : undefined;
        this.mark(offset === undefined ? this.#caret : this.find(side, offset));
      });
    });
    element.addEventListener("pointerleave", () => {
      cancelAnimationFrame(this.#frame);
      this.#frame = 0;
      this.mark(this.#caret);
    });
  }

  /**
   * @param {Side} side
   * @param {number} offset
   */
  find(side, offset) {
    return sentenceOver(this.#session.sentences, side, offset);
  }

  /**
   * The caret is in this sentence now, or in none.
   *
   * @param {number} index
   */
  setCaret(index) {
    this.#caret = index;
    this.mark(index);
  }

  /** @param {number} index */
  mark(index) {
    this.current = index;
    const sentence = this.#session.sentences[index];
    for (const side of /** @type {const} */ (["source", "target"])) {
      const span = sentence?.[side];
      const range = span && this.#geometry(side)?.range(...span);
      if (!globalThis.Highlight) {
        continue;
      }
      if (range) {
        CSS.highlights.set(`sentence-${side}`, new Highlight(range));
      } else {
        CSS.highlights.delete(`sentence-${side}`);
      }
    }
  }

  /** The texts have changed: what was marked may be another sentence. */
  refresh() {
    const known = this.current < this.#session.sentences.length;
    this.#caret = known ? this.#caret : -1;
    this.mark(known ? this.current : -1);
  }
}
