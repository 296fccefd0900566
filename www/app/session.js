/**
 * @import { Sentence, Translation } from "./lib/types.d.ts"
 * @import { Engine } from "./engine.js"
 */

import { replaceSentence } from "./sentences.js";

/** How long typing must pause before a translation begins. */
export const DEBOUNCE_MS = 300;

/** A text without it is blank: white space, control characters, what takes no room. */
const VISIBLE = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u;

/**
 * How far the translation of the current text is.
 *
 * @typedef {(
 *   | { phase: "idle" }
 *   | { phase: "waiting" }
 *   | { phase: "running", sentencesDone: number, sentences: number }
 *   | { phase: "done", sentences: number, truncated: number, milliseconds: number }
 *   | { phase: "stopped" }
 *   | { phase: "failed", message: string }
 * )} Run
 */

/**
 * What the session needs of a translator.
 *
 * @typedef {Pick<Engine, "translate">} Translator
 */

/**
 * The texts of the page and what is under way between them; knows nothing of the document.
 *
 * At most one translation runs, and it is that of the newest text: an edit gives up the one before
 * it. Until the new translation has caught up, the rest of the old one stays visible as stale.
 */
export class Session {
  /** Whether edits are translated by themselves. */
  auto = true;
  source = "";
  /** The translation of `source`, as far as it is. */
  target = "";
  /** What remains of the translation before, shown behind `target` until that is complete. */
  stale = "";
  /** @type {Run} */
  run = { phase: "idle" };
  /** What the translator is told beside the text. @type {() => object} */
  options = () => ({});

  /** @type {Translator | undefined} */
  #translator;
  /** @type {(session: Session) => void} */
  #onchange;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {AbortController | undefined} */
  #controller;
  /** The last complete translation and its source. @type {Translation & { source: string } | undefined} */
  #last;

  /** @param {(session: Session) => void} onchange called after every change */
  constructor(onchange) {
    this.#onchange = onchange;
  }

  /** The model is loaded: a text that was typed meanwhile is translated now. */
  set translator(/** @type {Translator | undefined} */ translator) {
    this.#translator = translator;
    if (translator && this.run.phase === "waiting" && this.#timer === undefined) {
      this.translate();
    }
  }

  get hasText() {
    return VISIBLE.test(this.source);
  }

  /**
   * The sentences of both texts, when the translation is complete and that of the current text.
   *
   * @returns {readonly Sentence[]}
   */
  get sentences() {
    const isCurrent = this.run.phase === "done" && this.#last?.source === this.source;
    return isCurrent ? (this.#last?.sentences ?? []) : [];
  }

  /**
   * The source text has changed.
   *
   * @param {string} source
   * @param {{ atOnce?: boolean }} [how] `atOnce` for pasted text, which is complete
   */
  edit(source, { atOnce = false } = {}) {
    if (source === this.source) {
      return;
    }
    this.source = source;
    if (!this.hasText) {
      this.#giveUp();
      this.#last = undefined;
      this.target = this.stale = "";
      this.run = { phase: "idle" };
    } else if (this.auto) {
      this.#giveUp();
      this.run = { phase: "waiting" };
      if (atOnce) {
        this.translate();
        return;
      }
      this.#timer = setTimeout(() => this.translate(), DEBOUNCE_MS);
    }
    this.#onchange(this);
  }

  /** Translates the current text now. */
  async translate() {
    this.#giveUp();
    if (!this.hasText) {
      return;
    }
    if (!this.#translator) {
      this.run = { phase: "waiting" };
      this.#onchange(this);
      return;
    }
    const controller = new AbortController();
    const begin = performance.now();
    this.#controller = controller;
    this.#advance("", 0, 0);
    try {
      const source = this.source;
      const translation = await this.#translator.translate(source, {
        ...this.options(),
        signal: controller.signal,
        onprogress: ({ text, sentencesDone, sentences }) =>
          this.#advance(text, sentencesDone, sentences),
      });
      this.#last = { ...translation, source };
      this.target = translation.text;
      this.stale = "";
      this.run = {
        phase: "done",
        sentences: translation.sentences.length,
        truncated: translation.sentences.filter(({ truncated }) => truncated).length,
        milliseconds: performance.now() - begin,
      };
    } catch (error) {
      if (controller.signal.aborted) {
        return;
      }
      this.run = { phase: "failed", message: error instanceof Error ? error.message : String(error) };
    }
    this.#controller = undefined;
    this.#onchange(this);
  }

  /**
   * Takes another wording for a sentence of the complete translation.
   *
   * @param {number} index
   * @param {string} wording
   */
  replace(index, wording) {
    if (this.#last && this.sentences[index]) {
      this.#last = { ...this.#last, ...replaceSentence(this.#last, index, wording) };
      this.target = this.#last.text;
      this.#onchange(this);
    }
  }

  /** Gives up what is under way; what has been translated stays. */
  stop() {
    if (this.run.phase === "waiting" || this.run.phase === "running") {
      this.#giveUp();
      this.stale = "";
      this.run = { phase: "stopped" };
      this.#onchange(this);
    }
  }

  #giveUp() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#controller?.abort();
    this.#controller = undefined;
  }

  /**
   * @param {string} target
   * @param {number} sentencesDone
   * @param {number} sentences
   */
  #advance(target, sentencesDone, sentences) {
    this.run = { phase: "running", sentencesDone, sentences };
    this.target = target;
    this.stale = this.#staleFrom(target, sentencesDone);
    this.#onchange(this);
  }

  /**
   * The old translation continues behind the sentences that are done again.
   *
   * @param {string} target
   * @param {number} sentencesDone
   */
  #staleFrom(target, sentencesDone) {
    const next = this.#last?.sentences[sentencesDone];
    if (!this.#last || !next) {
      return "";
    }
    // What is between two sentences, a space or line breaks, may be in the new text already.
    const end = this.#last.sentences[sentencesDone - 1]?.target[1] ?? 0;
    const gap = this.#last.text.slice(end, next.target[0]);
    return this.#last.text.slice(target.endsWith(gap) ? next.target[0] : end);
  }
}
