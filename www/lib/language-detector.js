/**
 * The language detector, in the shape of the browsers' built-in one. It needs the engine, and no
 * model.
 *
 * @import { Availability, DetectedLanguage, DetectorOptions, SourceOptions } from "./types.d.ts"
 */

import { checkedSignal, dictionary, monitored } from "./arguments.js";
import { CsanmtError, destroyedError, quotaExceededError } from "./errors.js";
import { canonicalTag, isDetected } from "./language-tags.js";
import { Pool } from "./pool.js";
import { unlessAborted } from "./promises.js";
import { resolveSettings } from "./settings.js";
import { isSupported } from "./simd.js";

const secret = Symbol();

/** Tells which language a text is in. Made by {@link LanguageDetector.create}. */
export class LanguageDetector {
  #pool;
  #languages;
  #inputQuota;
  #life = new AbortController();

  /**
   * Whether a detector can be created.
   *
   * @param {DetectorOptions} [options]
   * @returns {Promise<Availability>}
   */
  static async availability(options = {}) {
    const languages = expected(dictionary(options, "availability"));
    if (!isSupported() || !languages.every(isDetected)) {
      return "unavailable";
    }
    return Pool.existing(engineOnly(options))?.state === "ready" ? "available" : "downloadable";
  }

  /**
   * Loads the engine.
   *
   * @param {DetectorOptions} [options]
   * @returns {Promise<LanguageDetector>}
   */
  static async create(options = {}) {
    const given = dictionary(options, "create");
    const signal = checkedSignal(given);
    const languages = expected(given);
    const reports = monitored(given, signal);
    signal?.throwIfAborted();
    const unknown = languages.find((tag) => !isDetected(tag));
    if (unknown !== undefined) {
      throw new DOMException(`${unknown} is not among the languages that are told apart`, "NotSupportedError");
    }
    if (!isSupported()) {
      throw new CsanmtError("unsupported", "this browser lacks WebAssembly SIMD");
    }
    const pool = Pool.acquire(engineOnly(given));
    const detector = new LanguageDetector(secret, pool, languages, given);
    try {
      reports.report(0);
      await unlessAborted(pool.load(), signal);
    } catch (error) {
      reports.end();
      detector.#end(error);
      throw error;
    }
    reports.report(1);
    reports.end();
    if (signal?.aborted) {
      detector.#end(signal.reason);
      throw signal.reason;
    }
    signal?.addEventListener("abort", () => detector.#end(signal.reason), { once: true });
    return detector;
  }

  /**
   * Use {@link LanguageDetector.create}.
   *
   * @private
   * @param {symbol} key
   * @param {Pool} pool
   * @param {string[]} languages
   * @param {DetectorOptions} options
   */
  constructor(key, pool, languages, { inputQuota = Infinity }) {
    if (key !== secret) {
      throw new TypeError("Illegal constructor: use LanguageDetector.create()");
    }
    this.#pool = pool;
    this.#languages = languages.length > 0 ? Object.freeze([...languages]) : null;
    this.#inputQuota = inputQuota;
  }

  /** The languages that were said to be expected, as canonical tags. @returns {readonly string[] | null} */
  get expectedInputLanguages() {
    return this.#languages;
  }

  /** Most characters that one text may have. */
  get inputQuota() {
    return this.#inputQuota;
  }

  /**
   * The languages that a text may be in, the most likely first and `und` last.
   *
   * @param {string} text
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<DetectedLanguage[]>}
   */
  async detect(text, options) {
    if (arguments.length === 0) {
      throw new TypeError("detect needs a text");
    }
    const input = String(text);
    const signal = checkedSignal(options ?? {});
    signal?.throwIfAborted();
    this.#life.signal.throwIfAborted();
    const usage = [...input].length;
    if (usage > this.#inputQuota) {
      throw quotaExceededError(usage, this.#inputQuota);
    }
    const answer = this.#pool.run(this, { type: "detect", text: input }, { signal });
    return (await unlessAborted(answer, this.#life.signal)).value;
  }

  /**
   * How much of the quota a text uses: its characters.
   *
   * @param {string} text
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<number>}
   */
  async measureInputUsage(text, options) {
    if (arguments.length === 0) {
      throw new TypeError("measureInputUsage needs a text");
    }
    checkedSignal(options ?? {})?.throwIfAborted();
    this.#life.signal.throwIfAborted();
    return [...String(text)].length;
  }

  /** Ends it: what has no answer yet is rejected. */
  destroy() {
    this.#end(destroyedError());
  }

  /** @param {unknown} reason */
  #end(reason) {
    if (!this.#life.signal.aborted) {
      this.#life.abort(reason);
      this.#pool.release();
    }
  }
}

/** @type {Promise<LanguageDetector> | undefined} */
let shared;

/**
 * The languages that a text may be in, the most likely first and `und` last, without a detector
 * that has to be destroyed: the engine ends when it has been idle for a while.
 *
 * @param {string} text
 * @param {{ signal?: AbortSignal } & SourceOptions} [options]
 * @returns {Promise<DetectedLanguage[]>}
 */
export async function detectLanguages(text, { signal, ...options } = {}) {
  shared ??= LanguageDetector.create(options);
  shared.catch(() => (shared = undefined));
  return (await unlessAborted(shared, signal)).detect(text, signal ? { signal } : {});
}

/** @param {DetectorOptions} options */
function expected({ expectedInputLanguages }) {
  if (expectedInputLanguages === undefined) {
    return [];
  }
  if (typeof expectedInputLanguages !== "object" || expectedInputLanguages === null) {
    throw new TypeError("expectedInputLanguages is not a list");
  }
  const tags = Array.from(expectedInputLanguages, String);
  return [...new Set(tags.map(canonicalTag))];
}

/** One worker without a model. @param {SourceOptions} options */
function engineOnly(options) {
  const settings = resolveSettings(options);
  return {
    ...settings,
    model: undefined,
    modelUrl: undefined,
    modelBytes: undefined,
    modelSha256: undefined,
    workers: 1,
  };
}
