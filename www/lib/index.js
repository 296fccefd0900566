/**
 * Chinese to English translation on the device, in a Web Worker.
 *
 * ```js
 * import { CsanmtTranslator } from "csanmt";
 *
 * const translator = await CsanmtTranslator.create({ modelUrl: "/models/zh-en-tiny.safetensors" });
 * const { text } = await translator.translate("我们今天去学校。");
 * ```
 *
 * Importing this module touches nothing: no worker, no fetch, no global.
 */

export { CsanmtError } from "./errors.js";
export { isSupported } from "./simd.js";
export { CsanmtTranslator } from "./translator.js";
