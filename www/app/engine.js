/**
 * The translator as the page uses it: the library, with the model that the site's manifest names.
 *
 * @import { Notice, LoadProgress, TranslateOptions, Translation } from "./lib/types.d.ts"
 */

import { detectLanguages, removeStoredModels, storedModels, Translator } from "./lib/index.js";
import { strings } from "./i18n.js";

/** Candidates that are searched for a sentence, the best one included. */
const CANDIDATES = 6;
/** So much of a text tells its language. */
const SAMPLE_LENGTH = 2000;

/** A loaded translator. */
export class Engine {
  #translator;
  #modelUrl;

  /**
   * @param {(progress: LoadProgress) => void} onprogress
   * @param {(notice: Notice) => void} onnotice
   * @returns {Promise<Engine>}
   */
  static async load(onprogress, onnotice) {
    const { model, files } = await readManifest();
    const translator = await Translator.create({
      sourceLanguage: "zh",
      targetLanguage: "en",
      modelUrl: model,
      modelBytes: files[model]?.bytes,
      modelSha256: files[model]?.sha256,
      onprogress,
      onnotice,
    });
    return new Engine(translator, model);
  }

  /**
   * @private
   * @param {Translator} translator
   * @param {string} modelUrl
   */
  constructor(translator, modelUrl) {
    this.#translator = translator;
    this.#modelUrl = modelUrl;
  }

  /** Bytes of memory that the model and its workers take. */
  get memoryBytes() {
    return this.#translator.memoryBytes;
  }

  /**
   * @param {string} text
   * @param {TranslateOptions} options
   * @returns {Promise<Translation>}
   */
  translate(text, options) {
    return this.#translator.translateDetailed(text, options);
  }

  /**
   * Wordings of a sentence, best first.
   *
   * @param {string} text
   * @param {TranslateOptions} options
   * @returns {Promise<string[]>}
   */
  async alternatives(text, options) {
    const found = await this.#translator.translateDetailed(text, {
      ...options,
      beam: CANDIDATES,
      alternatives: CANDIDATES,
    });
    const [sentence, ...others] = found.sentences;
    // What was one sentence in its text may be two alone.
    const candidates = others.length === 0 ? (sentence?.alternatives ?? []) : [];
    return [...new Set([found.text, ...candidates.map(({ text }) => text)])];
  }

  /**
   * The language that a text is most likely in; undefined when there is no telling.
   *
   * @param {string} text
   * @returns {Promise<string | undefined>}
   */
  async languageOf(text) {
    const sample = text.slice(0, SAMPLE_LENGTH);
    if (isPlainlyChinese(sample)) {
      return "zh";
    }
    const [likely] = await detectLanguages(sample);
    return !likely || likely.detectedLanguage === "und" || likely.confidence < 0.5
      ? undefined
      : likely.detectedLanguage;
  }

  /**
   * Translates a file, keeping everything but its text.
   *
   * @param {File} file
   * @param {object} how
   * @param {string} [how.column] of a table
   * @param {readonly (readonly [string, string])[]} [how.glossary]
   * @param {AbortSignal} how.signal
   * @param {(share: number) => void} how.onprogress
   * @returns {Promise<{ content: Blob, name: string }>}
   */
  async translateFile(file, { column, glossary, signal, onprogress }) {
    const { blob, name } = await this.#translator.translateDocument(file, {
      column,
      glossary,
      signal,
      onprogress: ({ charactersDone, characters }) => onprogress(characters > 0 ? charactersDone / characters : 1),
    });
    return { content: blob, name };
  }

  /** Bytes of models that the browser keeps. */
  async storedModelBytes() {
    const models = await storedModels();
    return models.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Removes the model from the browser; the one in memory stays usable. */
  async removeModel() {
    await removeStoredModels({ modelUrl: this.#modelUrl });
  }
}

/**
 * Whether there is no doubt, and hence no need to start the detector.
 *
 * @param {string} text
 */
function isPlainlyChinese(text) {
  const count = (/** @type {RegExp} */ pattern) => text.match(pattern)?.length ?? 0;
  const isOther = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text);
  return !isOther && count(/\p{Script=Han}/gu) * 2 > count(/\p{L}/gu);
}

/** @returns {Promise<{ model: string, files: Record<string, { bytes: number, sha256: string } | undefined> }>} */
async function readManifest() {
  const response = await fetch("manifest.json").catch(() => {
    throw new Error(strings.unreachable);
  });
  if (!response.ok) {
    throw new Error(`manifest.json answered ${response.status}`);
  }
  return response.json();
}
