/**
 * The translator as the page uses it: the library, the model's address from the site's manifest.
 *
 * @import { LoadProgress, TranslateOptions, Translation } from "./lib/types.d.ts"
 */

import { CsanmtTranslator } from "./lib/index.js";
import { strings } from "./i18n.js";

/** A loaded translator. */
export class Engine {
  #translator;

  /**
   * @param {(progress: LoadProgress) => void} onprogress
   * @param {(notice: { code: string }) => void} _onnotice
   * @returns {Promise<Engine>}
   */
  static async load(onprogress, _onnotice) {
    const manifest = await readManifest();
    const translator = await CsanmtTranslator.create({
      modelUrl: manifest.model,
      modelBytes: manifest.files[manifest.model]?.bytes,
      onprogress,
    });
    return new Engine(translator);
  }

  /**
   * @private
   * @param {CsanmtTranslator} translator
   */
  constructor(translator) {
    this.#translator = translator;
  }

  async removeModel() {}

  /** @param {string} _text @returns {Promise<string | undefined>} */
  async languageOf(_text) {
    return undefined;
  }

  /** Bytes of the model that the browser keeps. */
  async storedModelBytes() {
    return 0;
  }

  /**
   * Translates a file, keeping everything but its text.
   *
   * @param {File} file
   * @param {{ signal: AbortSignal, onprogress: (share: number) => void }} options
   * @returns {Promise<{ content: Blob, name: string }>}
   */
  async translateFile(file, options) {
    throw new Error(`not yet ${file.name} ${options}`);
  }

  get memoryBytes() {
    return this.#translator.memoryBytes;
  }

  /**
   * @param {string} text
   * @param {TranslateOptions} options
   * @returns {Promise<Translation>}
   */
  translate(text, options) {
    return this.#translator.translate(text, options);
  }

  /**
   * Other wordings of a sentence, best first.
   *
   * @param {string} text
   * @param {TranslateOptions} options
   * @returns {Promise<string[]>}
   */
  async alternatives(text, options) {
    const { text: best } = await this.#translator.translate(text, options);
    return [best];
  }
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
