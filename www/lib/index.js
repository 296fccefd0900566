/**
 * Chinese to English translation on the device, in workers.
 *
 * ```js
 * import { Translator } from "csanmt";
 *
 * const translator = await Translator.create({
 *   sourceLanguage: "zh",
 *   targetLanguage: "en",
 *   modelUrl: "/models/zh-en-tiny.safetensors",
 * });
 * console.log(await translator.translate("我们今天去学校。"));
 * ```
 *
 * Importing this module touches nothing: no worker, no fetch, no global.
 */

export { CsanmtError } from "./errors.js";
export { detectLanguages, LanguageDetector } from "./language-detector.js";
export { configure, removeStoredModels, storedModels } from "./settings.js";
export { isSupported } from "./simd.js";
export { Translator } from "./translator.js";
