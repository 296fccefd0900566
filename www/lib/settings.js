/**
 * Where the parts of the translator come from: what a call gives, else what the page has configured.
 *
 * @import { ModelStore, Settings, SourceOptions, StoredModel } from "./types.d.ts"
 */

import { defaultStore } from "./model-source.js";
import { modelsIn, removeFrom } from "./model-store.js";
import { isNode } from "./node.js";

/** An idle model is given up after this time, when it can be had again without the network. */
const IDLE_MS = 5 * 60_000;

/** @type {SourceOptions} */
let configured = {};

/**
 * Sets options once for everything that is created later. Further calls add to them; an option
 * that is `undefined` is the library's own again.
 *
 * @param {SourceOptions} options
 */
export function configure(options) {
  configured = { ...configured, ...options };
}

/**
 * The models that are stored on this device.
 *
 * @param {Pick<SourceOptions, "store">} [options]
 * @returns {Promise<StoredModel[]>}
 */
export async function storedModels(options = {}) {
  const store = storeOf(options);
  return store ? modelsIn(store) : [];
}

/**
 * Removes stored models, broken downloads as well. What is loaded stays usable.
 *
 * @param {{ modelUrl?: string | URL } & Pick<SourceOptions, "store">} [options] with `modelUrl`
 *   only the one from there
 */
export async function removeStoredModels({ modelUrl, ...options } = {}) {
  const store = storeOf(options);
  if (store) {
    await removeFrom(store, modelUrl === undefined ? undefined : absolute(modelUrl));
  }
}

/**
 * @param {SourceOptions} options
 * @returns {Settings}
 */
export function resolveSettings(options) {
  /** @type {SourceOptions} */
  const given = { ...configured, ...defined(options) };
  // A model that a call names replaces the configured one with all that is said of it.
  if (options.model !== undefined || options.modelUrl !== undefined) {
    const { model, modelUrl, modelBytes, modelSha256 } = options;
    Object.assign(given, { model, modelUrl, modelBytes, modelSha256 });
  }
  const { model, modelUrl, wasmUrl, relaxedWasmUrl, workerUrl, fetch } = given;
  return {
    model,
    modelUrl: modelUrl === undefined || model !== undefined ? undefined : absolute(modelUrl),
    modelBytes: given.modelBytes,
    modelSha256: given.modelSha256,
    wasmUrl: wasmUrl === undefined ? undefined : absolute(wasmUrl),
    relaxedWasmUrl: relaxedWasmUrl === undefined ? undefined : absolute(relaxedWasmUrl),
    workerUrl: workerUrl === undefined ? undefined : absolute(workerUrl),
    workers: given.workers,
    idleMs: given.idleMs ?? IDLE_MS,
    fetch,
    store: storeOf(given),
    inline: given.inline ?? false,
    blobWorker: given.blobWorker ?? false,
  };
}

/** @type {ModelStore | undefined} */
let ownStore;

/** @param {Pick<SourceOptions, "store">} options */
function storeOf({ store = configured.store }) {
  return store === undefined ? (ownStore ??= defaultStore()) : (store ?? undefined);
}

/** @param {SourceOptions} options */
function defined(options) {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/**
 * A worker resolves relative addresses against its own, callers mean the page's. In Node a path is
 * that of a file.
 *
 * @param {string | URL} url
 */
function absolute(url) {
  return new URL(url, globalThis.document?.baseURI ?? globalThis.location?.href ?? folder()).href;
}

function folder() {
  if (!isNode()) {
    return undefined;
  }
  const path = String(/** @type {any} */ (globalThis).process.cwd()).replaceAll("\\", "/");
  const escaped = path.split("/").map(encodeURIComponent).join("/").replace(/^([A-Za-z])%3A/, "/$1:");
  return `file://${escaped}/`;
}
