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
 */

/** Elements whose text is not for readers, or is the reader's own. */
const PASSED_OVER = "script, style, noscript, template, code, kbd, samp, textarea, input, select, svg, math, [contenteditable], [translate=no], .notranslate";
const CHINESE = /\p{Script=Han}/u;
/** Texts that are under way at once: few, so that what becomes visible is soon the next. */
const AT_ONCE = 6;

/**
 * What it needs of a translator.
 *
 * @typedef {{ translate(text: string, options?: { signal?: AbortSignal }): Promise<string> }} TextTranslator
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
  /** What a text was, and what it is now. @type {Map<Text, { original: string, translated: string }>} */
  #texts = new Map();
  /** Waiting, in the order of the document. @type {Set<Text>} */
  #waiting = new Set();
  /** Those of them that can be seen, or nearly. @type {Set<Text>} */
  #visible = new Set();
  #underWay = 0;
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
   */
  constructor(root, translator, { onprogress, onerror } = {}) {
    this.#root = root;
    this.#translator = translator;
    this.#onprogress = onprogress;
    this.#onerror = onerror;
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
  }

  /** Stops, and puts the original texts back. */
  restore() {
    this.stop();
    for (const [text, { original, translated }] of this.#texts) {
      if (text.data === translated) {
        text.data = original;
      }
    }
    this.#texts.clear();
    this.#done = 0;
  }

  /** @param {Node} node */
  #collect(node) {
    const element = node instanceof Element ? node : node.parentElement;
    if (!element || element.closest(PASSED_OVER)) {
      return;
    }
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (inner) => {
      if (inner instanceof Element) {
        return inner.matches(PASSED_OVER) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
      }
      return CHINESE.test(/** @type {Text} */ (inner).data) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP;
    });
    if (node instanceof Text) {
      this.#add(node);
    }
    while (walker.nextNode()) {
      this.#add(/** @type {Text} */ (walker.currentNode));
    }
  }

  /** @param {Text} text */
  #add(text) {
    const known = this.#texts.get(text);
    if (text.parentElement && CHINESE.test(text.data) && text.data !== known?.translated) {
      this.#waiting.add(text);
      this.#intersections?.observe(text.parentElement);
    }
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #see(entries) {
    for (const { target, isIntersecting } of entries) {
      for (const child of target.childNodes) {
        if (child instanceof Text && isIntersecting && this.#waiting.has(child)) {
          this.#visible.add(child);
        } else if (child instanceof Text) {
          this.#visible.delete(child);
        }
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
    while (this.#life && this.#underWay < AT_ONCE) {
      const [text] = this.#visible.size > 0 ? this.#visible : this.#waiting;
      if (!text) {
        return;
      }
      this.#visible.delete(text);
      this.#waiting.delete(text);
      if (text.isConnected) {
        this.#underWay += 1;
        this.#translate(text, this.#life.signal).finally(() => {
          this.#underWay -= 1;
          this.#work();
        });
      }
    }
  }

  /**
   * @param {Text} text
   * @param {AbortSignal} signal
   */
  async #translate(text, signal) {
    const original = text.data;
    try {
      const translated = await this.#translator.translate(original, { signal });
      // The page may have changed it meanwhile; then it is translated again.
      if (!signal.aborted && text.data === original) {
        this.#texts.set(text, { original, translated });
        text.data = translated;
      }
    } catch (error) {
      if (!signal.aborted) {
        this.#onerror?.(error);
      }
    }
    if (!signal.aborted) {
      this.#done += 1;
      this.#onprogress?.({ done: this.#done, all: this.#done + this.#waiting.size + this.#underWay - 1 });
    }
  }
}
