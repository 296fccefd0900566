/**
 * The first interface of this package, for pages that still use it: a {@link Translator} whose
 * `translate` tells the sentences.
 *
 * @import {
 *   DetailedOptions, EngineBuild, SourceOptions, LoadProgress, Translation,
 * } from "./types.d.ts"
 */

import { Pool } from "./pool.js";
import { resolveSettings } from "./settings.js";
import { Translator } from "./translator.js";

/** @deprecated Use {@link Translator}. */
export class CsanmtTranslator {
  #translator;
  #build;

  /**
   * @param {{
   *   signal?: AbortSignal, onprogress?: (progress: LoadProgress) => void,
   * } & SourceOptions} options
   */
  static async create(options) {
    const translator = await Translator.create({
      sourceLanguage: "zh",
      targetLanguage: "en",
      ...options,
    });
    const build = await Pool.existing(resolveSettings(options))?.build();
    return new CsanmtTranslator(translator, build);
  }

  /**
   * @private
   * @param {Translator} translator
   * @param {EngineBuild | undefined} build
   */
  constructor(translator, build) {
    this.#translator = translator;
    this.#build = build;
  }

  /** Bytes of WebAssembly memory after the last translation. */
  get memoryBytes() {
    return this.#translator.memoryBytes;
  }

  /** Which build of the engine this browser runs. */
  get build() {
    return this.#build;
  }

  /**
   * @param {string} text
   * @param {DetailedOptions} [options]
   * @returns {Promise<Translation>}
   */
  translate(text, options) {
    return this.#translator.translateDetailed(text, options);
  }

  /** Ends it. */
  destroy() {
    this.#translator.destroy();
  }
}
