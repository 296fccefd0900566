/**
 * Translates the Chinese text of a document in place: what is visible first, what comes later as
 * well, and everything can be as it was again.
 *
 * ```js
 * import { Translator } from "csanmt";
 * import { DomTranslation } from "csanmt/dom";
 *
 * const translation = new DomTranslation(document.body, await Translator.create({ … }));
 * translation.start();
 * translation.restore();
 * ```
 *
 * A paragraph is translated as a whole, with its links and emphasis, which stand where their words
 * are; elements stay the same objects.
 */

import { textsOf, unitsIn } from "./dom-units.js";

/** @import { DomUnit } from "./dom-unit.js" */

/** Texts that are under way at once: few, so that what becomes visible is soon the next. */
const AT_ONCE = 6;

/**
 * What it needs of a translator.
 *
 * @typedef {object} TextTranslator
 * @property {(text: string, options?: { signal?: AbortSignal, format?: "html" }) => Promise<string>} translate
 * @property {Function} [translateDetailed] the translator of this package has it
 */

/**
 * How far it is.
 *
 * @typedef {{ done: number, all: number }} DomProgress
 */

/** A part of a document with its translation. */
export class DomTranslation {
  #root;
  #translator;
  #onprogress;
  #onerror;
  #isMarkup;
  /** What was translated, in that order. @type {Set<DomUnit>} */
  #units = new Set();
  /** The newest unit that begins with a node. @type {WeakMap<Node, DomUnit>} */
  #byNode = new WeakMap();
  /** Waiting, in the order of the document. @type {Set<DomUnit>} */
  #waiting = new Set();
  /** Those of them that can be seen, or nearly. @type {Set<DomUnit>} */
  #visible = new Set();
  /** Those by what they are in. @type {Map<Element, Set<DomUnit>>} */
  #inside = new Map();
  /** @type {Set<DomUnit>} */
  #busy = new Set();
  #done = 0;
  /** @type {AbortController | undefined} */
  #life;
  /** @type {MutationObserver | undefined} */
  #mutations;
  /** @type {IntersectionObserver | undefined} */
  #intersections;

  /**
   * @param {Element} root
   * @param {TextTranslator} translator
   * @param {object} [how]
   * @param {(progress: DomProgress) => void} [how.onprogress]
   * @param {(error: unknown) => void} [how.onerror] a text could not be translated, and stays
   * @param {boolean} [how.markup] the translator keeps tags when it is told `format: "html"`, as that of
   *   this package does; else every text is translated by itself
   */
  constructor(root, translator, { onprogress, onerror, markup } = {}) {
    this.#root = root;
    this.#translator = translator;
    this.#onprogress = onprogress;
    this.#onerror = onerror;
    this.#isMarkup = markup ?? typeof translator.translateDetailed === "function";
  }

  /** Whether it translates what appears. */
  get isActive() {
    return this.#life !== undefined;
  }

  /** Translates what is there and what will be. */
  start() {
    if (this.#life) {
      return;
    }
    this.#life = new AbortController();
    this.#intersections = new IntersectionObserver((entries) => this.#see(entries), { rootMargin: "50%" });
    this.#mutations = new MutationObserver((records) => this.#change(records));
    this.#mutations.observe(this.#root, { childList: true, characterData: true, subtree: true });
    this.#collect(this.#root);
    this.#work();
  }

  /** Stops; what is translated stays so. */
  stop() {
    this.#life?.abort();
    this.#life = undefined;
    this.#mutations?.disconnect();
    this.#intersections?.disconnect();
    this.#waiting.clear();
    this.#visible.clear();
    this.#inside.clear();
    // What was under way is given up.
    this.#busy = new Set();
  }

  /** Stops, and puts the original texts back. */
  restore() {
    this.stop();
    // What was translated last may stand in what was translated before.
    for (const unit of [...this.#units].reverse()) {
      unit.restore();
    }
    this.#units.clear();
    this.#done = 0;
  }

  /** @param {Node} node */
  #collect(node) {
    for (const unit of unitsIn(node, this.#root, this.#isMarkup)) {
      this.#add(unit);
    }
  }

  /** @param {DomUnit} unit */
  #add(unit) {
    const [first] = unit.nodes;
    const known = first && this.#byNode.get(first);
    const isAhead = known && (this.#waiting.has(known) || this.#busy.has(known));
    if (!first || known?.isShown || (isAhead && known.isUnchanged && known.nodes.length === unit.nodes.length)) {
      return;
    }
    if (known) {
      this.#drop(known);
    }
    this.#byNode.set(first, unit);
    this.#waiting.add(unit);
    const inside = this.#inside.get(unit.parent);
    this.#inside.set(unit.parent, inside ? inside.add(unit) : new Set([unit]));
    this.#intersections?.observe(unit.parent);
  }

  /** It waits no more. @param {DomUnit} unit */
  #drop(unit) {
    this.#waiting.delete(unit);
    this.#visible.delete(unit);
    const inside = this.#inside.get(unit.parent);
    inside?.delete(unit);
    if (inside?.size === 0) {
      this.#inside.delete(unit.parent);
      this.#intersections?.unobserve(unit.parent);
    }
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #see(entries) {
    for (const { target, isIntersecting } of entries) {
      for (const unit of this.#inside.get(target) ?? []) {
        isIntersecting ? this.#visible.add(unit) : this.#visible.delete(unit);
      }
    }
    this.#work();
  }

  /** @param {MutationRecord[]} records */
  #change(records) {
    for (const { type, target, addedNodes } of records) {
      if (type === "characterData") {
        this.#collect(target);
      }
      addedNodes.forEach((node) => this.#collect(node));
    }
    this.#work();
  }

  #work() {
    while (this.#life && this.#busy.size < AT_ONCE) {
      const [unit] = this.#visible.size > 0 ? this.#visible : this.#waiting;
      if (!unit) {
        return;
      }
      this.#drop(unit);
      if (unit.isUnchanged && unit.parent.isConnected) {
        const busy = this.#busy.add(unit);
        this.#translate(unit, this.#life.signal).finally(() => {
          busy.delete(unit);
          this.#work();
        });
      } else if (unit.parent.isConnected) {
        this.#collect(unit.parent);
      }
    }
  }

  /**
   * @param {DomUnit} unit
   * @param {AbortSignal} signal
   */
  async #translate(unit, signal) {
    const { text, isMarkup } = unit.source;
    try {
      const translated = await this.#translator.translate(text, isMarkup ? { signal, format: "html" } : { signal });
      if (!signal.aborted) {
        this.#show(unit, translated);
      }
    } catch (error) {
      if (!signal.aborted) {
        this.#onerror?.(error);
      }
    }
    if (!signal.aborted) {
      this.#done += 1;
      this.#onprogress?.({ done: this.#done, all: this.#done + this.#waiting.size + this.#busy.size - 1 });
    }
  }

  /** @param {DomUnit} unit @param {string} translated */
  #show(unit, translated) {
    // Only what the page itself changes is news.
    this.#change(this.#mutations?.takeRecords() ?? []);
    if (unit.show(translated)) {
      this.#units.add(unit);
      const [first] = unit.nodes;
      if (first) {
        this.#byNode.set(first, unit);
      }
    } else if (unit.isUnchanged && unit.source.isMarkup) {
      textsOf(unit).forEach((text) => this.#add(text));
    }
    this.#mutations?.takeRecords();
  }
}
