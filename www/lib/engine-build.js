/**
 * Which of the two builds of the engine this browser gets. The faster one uses relaxed SIMD, whose
 * results the standard leaves to the browser in part; it is taken when they are the right ones.
 *
 * @import { EngineBuild } from "./types.d.ts"
 */

import { CsanmtError } from "./errors.js";
import { hasRelaxedSimd } from "./simd.js";

/**
 * Downloads and compiles the engine.
 *
 * @param {object} [addresses] of the modules, when they are not beside this script
 * @param {string} [addresses.wasmUrl] alone, it is the only one that is tried
 * @param {string} [addresses.relaxedWasmUrl]
 * @returns {Promise<{ build: EngineBuild, module: WebAssembly.Module }>}
 */
export async function compileEngine({ wasmUrl, relaxedWasmUrl } = {}) {
  if (hasRelaxedSimd() && (relaxedWasmUrl || !wasmUrl)) {
    const url = relaxedWasmUrl ?? new URL("./csanmt_wasm_relaxed_bg.wasm", import.meta.url);
    try {
      const module = await compile(url);
      if (await kernelsAgree(module)) {
        return { build: "relaxed-simd", module };
      }
    } catch {
      // Missing or refused by the browser: the other build says what is wrong, if anything is.
    }
  }
  const url = wasmUrl ?? new URL("./csanmt_wasm_bg.wasm", import.meta.url);
  return { build: "simd", module: await compile(url) };
}

/** @param {string | URL} url */
async function compile(url) {
  const response = await fetch(url);
  if (!response.ok) {
    throw new CsanmtError("download", `the engine could not be downloaded: ${url} answered ${response.status}`);
  }
  // Browsers compile while the bytes arrive only under the right type, which some servers lack.
  return response.headers.get("Content-Type") === "application/wasm"
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

/**
 * Tries the kernels in an instance of their own, thrown away afterwards: the bindings can be given
 * one module only. The check calls nothing of JavaScript, so its imports may be anything.
 *
 * @param {WebAssembly.Module} module
 * @returns {Promise<boolean>}
 */
async function kernelsAgree(module) {
  /** @type {Record<string, Record<string, () => void>>} */
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    (imports[from] ??= {})[name] = () => {};
  }
  const { exports } = await WebAssembly.instantiate(module, imports);
  const { kernelsAgree } = /** @type {{ kernelsAgree: () => number }} */ (
    /** @type {unknown} */ (exports)
  );
  return kernelsAgree() === 1;
}
