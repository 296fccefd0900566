/**
 * The interfaces of the browsers' built-in translator where a browser lacks them: importing this
 * module installs what is absent.
 *
 * ```js
 * import { polyfill } from "csanmt/polyfill";
 *
 * polyfill({ modelUrl: "/models/zh-en-tiny.safetensors" });
 * const translator = await Translator.create({ sourceLanguage: "zh", targetLanguage: "en" });
 * ```
 *
 * @import { SourceOptions } from "./types.d.ts"
 */

import { LanguageDetector } from "./language-detector.js";
import { configure } from "./settings.js";
import { Translator } from "./translator.js";

/**
 * Installs `globalThis.Translator` and `globalThis.LanguageDetector`, each only when it is absent.
 *
 * @param {{ force?: boolean } & SourceOptions} [options] with `force` in place of the browser's own;
 *   the rest goes to `configure()`
 * @returns {{ Translator: boolean, LanguageDetector: boolean }} which of them were installed
 */
export function polyfill({ force = false, ...options } = {}) {
  configure(options);
  const install = (/** @type {string} */ name, /** @type {unknown} */ value) => {
    if (name in globalThis && !force) {
      return false;
    }
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    return true;
  };
  return {
    Translator: install("Translator", Translator),
    LanguageDetector: install("LanguageDetector", LanguageDetector),
  };
}

polyfill();
