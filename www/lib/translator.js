/**
 * The translator, in the shape of the browsers' built-in one, with more that it can do.
 *
 * @import {
 *   Availability, CreateOptions, DetailedOptions, DetectedLanguage, DocumentOptions, EngineOptions,
 *   Notice, Settings, SourceOptions, TranslateOptions, TranslatedDocument, Translation,
 * } from "./types.d.ts"
 */

import { checkedSignal, checkedTag, dictionary, monitored } from "./arguments.js";
import { translateFile } from "./document-translation.js";
import { CsanmtError, destroyedError, quotaExceededError } from "./errors.js";
import { canonicalTag, isSameLanguage, isTranslated } from "./language-tags.js";
import { Pool } from "./pool.js";
import { unlessAborted } from "./promises.js";
import { resolveSettings } from "./settings.js";
import { isSupported } from "./simd.js";
import { isStored } from "./model-source.js";
import { translateText } from "./text-translation.js";

const UNSUPPORTED =
  "this browser lacks WebAssembly SIMD; Chrome and Edge 91, Firefox 89, Safari 16.4 or later have it";

/** Text without a single visible character is its own translation. */
const BLANK = /^[\s\p{Cc}]*$/u;

const secret = Symbol();

/** Translates from Chinese to English on this device. Made by {@link Translator.create}. */
export class Translator {
  #sourceLanguage;
  #targetLanguage;
  #inputQuota;
  /** Nothing when the languages are the same. @type {Pool | undefined} */
  #pool;
  /** Aborted when this object is destroyed. */
  #life = new AbortController();
  /** @type {((notice: Notice) => void) | undefined} */
  #onnotice;

  /**
   * Whether a translator can be created, and whether that takes a download.
   *
   * @param {{ sourceLanguage: string, targetLanguage: string } & SourceOptions} options
   * @returns {Promise<Availability>}
   */
  static async availability(options) {
    const given = dictionary(options, "availability");
    const source = checkedTag(given, "sourceLanguage");
    const target = checkedTag(given, "targetLanguage");
    const languages = { source: canonicalTag(source), target: canonicalTag(target) };
    if (isSameLanguage(languages.source, languages.target)) {
      return "available";
    }
    const settings = resolveSettings(given);
    if (!isSupported() || !isTranslated(languages.source, languages.target)) {
      return "unavailable";
    }
    if (settings.model !== undefined) {
      return "available";
    }
    if (settings.modelUrl === undefined) {
      return "unavailable";
    }
    switch (Pool.existing(settings)?.state) {
      case "ready":
        return "available";
      case "loading":
        return "downloading";
      default:
        return (await isStored(settings)) ? "available" : "downloadable";
    }
  }

  /**
   * Loads the model, which all translators of a page share.
   *
   * @param {CreateOptions} options
   * @returns {Promise<Translator>}
   */
  static async create(options) {
    const given = dictionary(options, "create");
    const source = checkedTag(given, "sourceLanguage");
    const target = checkedTag(given, "targetLanguage");
    const signal = checkedSignal(given);
    const languages = { source: canonicalTag(source), target: canonicalTag(target) };
    const reports = monitored(given, signal);
    signal?.throwIfAborted();
    const isIdentity = isSameLanguage(languages.source, languages.target);
    if (!isIdentity && !isTranslated(languages.source, languages.target)) {
      const pair = `${languages.source} to ${languages.target}`;
      throw new DOMException(`there is no translation from ${pair}, only from Chinese to English`, "NotSupportedError");
    }
    if (!isIdentity && !isSupported()) {
      throw new CsanmtError("unsupported", UNSUPPORTED);
    }
    const pool = isIdentity ? undefined : Pool.acquire(withModel(resolveSettings(given)));
    const translator = new Translator(secret, languages, pool, given);
    try {
      await unlessAborted(
        pool?.load((progress) => {
          reports.report(progress.total ? progress.loaded / progress.total : 0);
          given.onprogress?.(progress);
        }) ?? Promise.resolve(),
        signal,
      );
    } catch (error) {
      reports.end();
      translator.#end(error);
      throw error;
    }
    reports.report(0);
    reports.report(1);
    reports.end();
    // The events may have aborted it.
    if (signal?.aborted) {
      translator.#end(signal.reason);
      throw signal.reason;
    }
    signal?.addEventListener("abort", () => translator.#end(signal.reason), { once: true });
    return translator;
  }

  /**
   * Use {@link Translator.create}.
   *
   * @private
   * @param {symbol} key
   * @param {{ source: string, target: string }} languages
   * @param {Pool | undefined} pool
   * @param {CreateOptions} options
   */
  constructor(key, languages, pool, { inputQuota = Infinity, onnotice }) {
    if (key !== secret) {
      throw new TypeError("Illegal constructor: use Translator.create()");
    }
    this.#sourceLanguage = languages.source;
    this.#targetLanguage = languages.target;
    this.#inputQuota = inputQuota;
    this.#pool = pool;
    this.#onnotice = onnotice;
    if (onnotice) {
      pool?.listen(onnotice);
    }
  }

  /** The language translated from, as a canonical tag. */
  get sourceLanguage() {
    return this.#sourceLanguage;
  }

  /** The language translated to, as a canonical tag. */
  get targetLanguage() {
    return this.#targetLanguage;
  }

  /** Most characters that one text may have. */
  get inputQuota() {
    return this.#inputQuota;
  }

  /** Bytes of WebAssembly memory of all workers, after their last work. */
  get memoryBytes() {
    return this.#pool?.memoryBytes ?? 0;
  }

  /** Which build of the engine runs here. */
  get build() {
    return this.#pool?.build;
  }

  /** Most workers that work at once; more than one are started when there is much to do. */
  get workers() {
    return this.#pool?.workers ?? 0;
  }

  /**
   * Translates a text of any number of lines and sentences.
   *
   * @param {string} text
   * @param {TranslateOptions} [options]
   * @returns {Promise<string>}
   */
  async translate(text, options) {
    return (await this.translateDetailed(text, options)).text;
  }

  /**
   * Translates a text as it goes: the stream gives the translation piece by piece.
   *
   * @param {string} text
   * @param {TranslateOptions} [options]
   * @returns {ReadableStream<string>}
   */
  translateStreaming(text, options = {}) {
    const given = arguments.length === 0 ? undefined : String(text);
    const signal = checkedSignal(options ?? {});
    const cancelled = new AbortController();
    const stop = () => cancelled.abort(signal?.reason);
    return new ReadableStream({
      start: async (controller) => {
        let length = 0;
        const add = (/** @type {string} */ text) => {
          if (text.length > length) {
            controller.enqueue(text.slice(length));
            length = text.length;
          }
        };
        try {
          signal?.throwIfAborted();
          signal?.addEventListener("abort", stop, { once: true });
          if (given === undefined) {
            throw new TypeError("translateStreaming needs a text");
          }
          const { onprogress } = options ?? {};
          const { text } = await this.translateDetailed(given, {
            ...options,
            signal: cancelled.signal,
            onprogress: (progress) => {
              add(progress.text);
              onprogress?.(progress);
            },
          });
          add(text);
          controller.close();
        } catch (error) {
          controller.error(error);
        } finally {
          signal?.removeEventListener("abort", stop);
        }
      },
      cancel: (reason) => cancelled.abort(reason),
    });
  }

  /**
   * Translates a text and tells its sentences.
   *
   * @param {string} text
   * @param {DetailedOptions} [options]
   * @returns {Promise<Translation>}
   */
  async translateDetailed(text, options) {
    if (arguments.length === 0) {
      throw new TypeError("a text is needed");
    }
    const input = String(text);
    const { signal: _, onprogress, ...asked } = options ?? {};
    const signal = checkedSignal(options ?? {});
    this.#check(signal);
    const usage = usageOf(input);
    if (usage > this.#inputQuota) {
      throw quotaExceededError(usage, this.#inputQuota);
    }
    if (!this.#pool || BLANK.test(input)) {
      return { text: input, sentences: [] };
    }
    const job = this.#during(signal);
    try {
      const how = { signal: job.signal, onprogress };
      return await translateText(this.#pool, this, input, engineOptions(asked), how);
    } finally {
      job.end();
    }
  }

  /**
   * Translates a file: txt, md, html, srt, vtt, json, csv, tsv, docx, pptx, xlsx or epub. What is
   * not text stays as it is.
   *
   * @param {Blob | ArrayBuffer | ArrayBufferView | string} file
   * @param {DocumentOptions} [options]
   * @returns {Promise<TranslatedDocument>}
   */
  async translateDocument(file, options = {}) {
    const { name, format, column, signal: _, onprogress, ...asked } = options;
    const signal = checkedSignal(options);
    this.#check(signal);
    if (!this.#pool) {
      throw new CsanmtError("options", "a file needs no translation into its own language");
    }
    const job = this.#during(signal);
    try {
      const how = { name, format, column, signal: job.signal, onprogress };
      return await translateFile(this.#pool, file, how, engineOptions(asked));
    } finally {
      job.end();
    }
  }

  /**
   * The languages that a text may be in, the most likely first and `und` last.
   *
   * @param {string} text
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<DetectedLanguage[]>}
   */
  async detectLanguages(text, options = {}) {
    const signal = checkedSignal(options);
    this.#check(signal);
    if (!this.#pool) {
      throw new CsanmtError("options", "this translator has no engine: use detectLanguages() of the package");
    }
    const job = this.#during(signal);
    try {
      const message = { type: /** @type {const} */ ("detect"), text: String(text) };
      return (await this.#pool.run(this, message, { signal: job.signal })).value;
    } finally {
      job.end();
    }
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
    this.#check(checkedSignal(options ?? {}));
    return usageOf(String(text));
  }

  /** Ends it: what has no answer yet is rejected, and the last one ends the workers. */
  destroy() {
    this.#end(destroyedError());
  }

  /** @param {unknown} reason */
  #end(reason) {
    if (this.#life.signal.aborted) {
      return;
    }
    this.#life.abort(reason);
    if (this.#onnotice) {
      this.#pool?.unlisten(this.#onnotice);
    }
    this.#pool?.release();
  }

  /** @param {AbortSignal | undefined} signal */
  #check(signal) {
    signal?.throwIfAborted();
    this.#life.signal.throwIfAborted();
  }

  /**
   * A signal for one call, aborted with it or with this object.
   *
   * @param {AbortSignal | undefined} signal
   */
  #during(signal) {
    const controller = new AbortController();
    const signals = signal ? [signal, this.#life.signal] : [this.#life.signal];
    const stops = signals.map((from) => {
      const stop = () => controller.abort(from.reason);
      from.addEventListener("abort", stop, { once: true });
      return () => from.removeEventListener("abort", stop);
    });
    return { signal: controller.signal, end: () => stops.forEach((stop) => stop()) };
  }
}

/** @param {Settings} settings */
function withModel(settings) {
  if (settings.model === undefined && settings.modelUrl === undefined) {
    throw new CsanmtError("options", "no model: give `modelUrl` or `model`, once for all with configure()");
  }
  return settings;
}

/**
 * What the engine understands of the options of a call.
 *
 * @param {Record<string, any>} options
 * @returns {EngineOptions}
 */
function engineOptions(options) {
  const { beam, format, alternatives, alignment, glossary, keep, wrappedLines } = options;
  const chosen = { beam, format, alternatives, alignment, glossary, keep, wrappedLines };
  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined));
}

/** @param {string} text */
function usageOf(text) {
  let count = 0;
  for (const _ of text) {
    count += 1;
  }
  return count;
}
