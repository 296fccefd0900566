/**
 * Which of the two builds of the engine this browser gets. The faster one uses relaxed SIMD, whose
 * results the standard leaves to the browser in part; it is taken when they are the right ones.
 *
 * @import { EngineBuild, Settings } from "./types.d.ts"
 */

import { CsanmtError } from "./errors.js";
import { hasRelaxedSimd } from "./simd.js";
import { isNode, readFile } from "./node.js";

/** @typedef {{ build: EngineBuild, module: WebAssembly.Module }} EngineModule */

/**
 * Downloads and compiles the engine.
 *
 * @param {Pick<Settings, "wasmUrl" | "relaxedWasmUrl" | "fetch">} settings with `wasmUrl` alone
 *   that is the only one which is tried
 * @param {(engine: EngineModule) => Promise<boolean>} accepts whether the kernels of a build with
 *   relaxed SIMD give the right results
 * @returns {Promise<EngineModule>}
 */
export async function compileEngine({ wasmUrl, relaxedWasmUrl, fetch }, accepts) {
  if (hasRelaxedSimd() && (relaxedWasmUrl || !wasmUrl)) {
    const url = relaxedWasmUrl ?? new URL("./csanmt_wasm_relaxed_bg.wasm", import.meta.url);
    const module = await compile(url, fetch).catch(() => undefined);
    // Missing or refused by the browser: the other build says what is wrong, if anything is.
    if (module && (await accepts({ build: "relaxed-simd", module }))) {
      return { build: "relaxed-simd", module };
    }
  }
  const url = wasmUrl ?? new URL("./csanmt_wasm_bg.wasm", import.meta.url);
  return { build: "simd", module: await compile(url, fetch) };
}

/**
 * @param {string | URL} url
 * @param {typeof globalThis.fetch | undefined} fetch
 */
async function compile(url, fetch) {
  if (isNode() && !fetch && new URL(url).protocol === "file:") {
    return WebAssembly.compile(/** @type {BufferSource} */ (await readFile(url)));
  }
  const response = await (fetch ?? globalThis.fetch)(String(url)).catch((error) => {
    throw new CsanmtError("download", `the engine could not be downloaded from ${url}: ${error.message}`);
  });
  if (!response.ok) {
    throw new CsanmtError("download", `the engine could not be downloaded: ${url} answered ${response.status}`);
  }
  // Browsers compile while the bytes arrive only under the right type, which some servers lack.
  return response.headers.get("Content-Type") === "application/wasm"
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}
