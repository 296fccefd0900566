/**
 * @import {
 *   CreateOptions, EngineBuild, EngineOptions, FromWorker, LoadProgress, ToWorker, TranslateOptions,
 *   Translation, TranslationProgress,
 * } from "./types.d.ts"
 */

import { CsanmtError } from "./errors.js";
import { isSupported } from "./simd.js";

/**
 * A request that has no answer yet.
 *
 * @typedef {object} Pending
 * @property {string} text
 * @property {EngineOptions} options
 * @property {string} translated the translation so far
 * @property {boolean} retried it was under way when the engine stopped working once before
 * @property {((progress: TranslationProgress) => void) | undefined} onprogress
 * @property {(translation: Translation) => void} resolve
 * @property {(error: unknown) => void} reject
 */

/**
 * A model in a worker of its own. Requests are answered in the order they are made; one that is no
 * longer wanted is given up by its signal, within a step of the engine.
 */
export class CsanmtTranslator {
  /** @type {Worker | undefined} */
  #worker;
  /** @type {CreateOptions} */
  #options;
  /** @type {Map<number, Pending>} */
  #pending = new Map();
  #lastId = 0;
  #memoryBytes = 0;
  /** @type {EngineBuild | undefined} */
  #build;
  /** Settles when the first worker is ready or will never be. @type {PromiseWithResolvers<void>} */
  #created = withResolvers();
  #isReady = false;
  #loaded = 0;

  /**
   * Starts a worker and loads the model into it.
   *
   * @param {CreateOptions} options
   * @returns {Promise<CsanmtTranslator>}
   */
  static async create(options) {
    options.signal?.throwIfAborted();
    if (!isSupported()) {
      throw new CsanmtError(
        "unsupported",
        "this browser lacks WebAssembly SIMD; Chrome and Edge 91, Firefox 89, Safari 16.4 or later have it",
      );
    }
    const translator = new CsanmtTranslator(options);
    const giveUp = () => translator.#close(options.signal?.reason);
    options.signal?.addEventListener("abort", giveUp, { once: true });
    try {
      await translator.#created.promise;
    } finally {
      options.signal?.removeEventListener("abort", giveUp);
    }
    return translator;
  }

  /**
   * Use {@link CsanmtTranslator.create}.
   *
   * @private
   * @param {CreateOptions} options
   */
  constructor(options) {
    this.#options = options;
    this.#start();
  }

  /** Bytes of WebAssembly memory after the last translation. */
  get memoryBytes() {
    return this.#memoryBytes;
  }

  /** Which build of the engine this browser runs. */
  get build() {
    return this.#build;
  }

  /**
   * Translates a text of any number of lines and sentences.
   *
   * @param {string} text
   * @param {TranslateOptions} [options]
   * @returns {Promise<Translation>}
   */
  translate(text, { signal, onprogress, ...options } = {}) {
    if (signal?.aborted) {
      return Promise.reject(signal.reason);
    }
    if (!this.#worker) {
      return Promise.reject(new CsanmtError("destroyed", "the translator was destroyed"));
    }
    const { promise, resolve, reject } = /** @type {PromiseWithResolvers<Translation>} */ (
      withResolvers()
    );
    const id = ++this.#lastId;
    /** @type {Pending} */
    const pending = { text, options, translated: "", retried: false, onprogress, resolve, reject };
    this.#pending.set(id, pending);
    this.#post({ type: "translate", id, text, options });

    if (signal) {
      const abort = () => {
        if (this.#pending.delete(id)) {
          this.#post({ type: "abort", id });
          reject(signal.reason);
        }
      };
      signal.addEventListener("abort", abort, { once: true });
      const forget = () => signal.removeEventListener("abort", abort);
      promise.then(forget, forget);
    }
    return promise;
  }

  /** Ends the worker and frees its memory at once; requests without an answer are rejected. */
  destroy() {
    this.#close(new CsanmtError("destroyed", "the translator was destroyed"));
  }

  #start() {
    const { modelUrl, modelBytes, wasmUrl, relaxedWasmUrl, workerUrl } = this.#options;
    const worker = workerUrl
      ? new Worker(workerUrl, { type: "module" })
      : new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => this.#receive(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#recover(event.message || "the worker's script could not be loaded");
    };
    this.#worker = worker;
    this.#post({
      type: "load",
      modelUrl: absolute(modelUrl),
      modelBytes,
      wasmUrl: wasmUrl && absolute(wasmUrl),
      relaxedWasmUrl: relaxedWasmUrl && absolute(relaxedWasmUrl),
    });
  }

  /** @param {ToWorker} message */
  #post(message) {
    this.#worker?.postMessage(message);
  }

  /** @param {FromWorker} message */
  #receive(message) {
    switch (message.type) {
      case "loading":
        return this.#report(message);
      case "ready":
        this.#isReady = true;
        this.#build = message.build;
        return this.#created.resolve();
      case "load-failed":
        return this.#close(new CsanmtError(message.error.code, message.error.message));
      case "crashed":
        return this.#recover(message.message);
    }
    // Whatever else arrives belongs to a request, which may have been given up meanwhile.
    const pending = this.#pending.get(message.id);
    if (!pending) {
      return;
    }
    if (message.type === "step") {
      pending.translated += message.added;
      const { sentencesDone, sentences } = message;
      pending.onprogress?.({ text: pending.translated, sentencesDone, sentences });
      return;
    }
    this.#pending.delete(message.id);
    if (message.type === "done") {
      this.#memoryBytes = message.memoryBytes;
      pending.resolve(message.translation);
    } else {
      pending.reject(new CsanmtError(message.error.code, message.error.message));
    }
  }

  /** @param {LoadProgress} progress */
  #report({ loaded, total }) {
    // A restarted worker begins at zero; what is reported never falls.
    this.#loaded = Math.max(this.#loaded, loaded);
    this.#options.onprogress?.({ loaded: this.#loaded, total });
  }

  /**
   * The engine stopped working: a new worker takes over. A request that has now seen this twice is
   * rejected; so is everything when the worker was not even ready.
   *
   * @param {string} message
   */
  #recover(message) {
    const error = new CsanmtError("crashed", `the engine stopped working: ${message}`);
    if (!this.#isReady) {
      return this.#close(error);
    }
    this.#isReady = false;
    this.#worker?.terminate();
    this.#start();
    for (const [id, pending] of this.#pending) {
      if (pending.retried) {
        this.#pending.delete(id);
        pending.reject(error);
        continue;
      }
      pending.retried = true;
      pending.translated = "";
      this.#post({ type: "translate", id, text: pending.text, options: pending.options });
    }
  }

  /** @param {unknown} reason */
  #close(reason) {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#created.reject(reason);
    for (const pending of this.#pending.values()) {
      pending.reject(reason);
    }
    this.#pending.clear();
  }
}

/**
 * A worker resolves relative addresses against its own, callers mean the page's.
 *
 * @param {string | URL} url
 */
function absolute(url) {
  return new URL(url, globalThis.document?.baseURI ?? globalThis.location?.href).href;
}

/**
 * `Promise.withResolvers`, which browsers have had only since 2024.
 *
 * @template T
 * @returns {PromiseWithResolvers<T>}
 */
function withResolvers() {
  /** @type {any} */
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
}
