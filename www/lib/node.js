/**
 * The little that Node does another way than browsers. Its modules are loaded by a name that no
 * bundler sees, and only there.
 */

/** Whether this is Node, not a browser, and not a runtime with the browsers' interfaces. */
export function isNode() {
  const { process } = /** @type {any} */ (globalThis);
  return typeof process?.versions?.node === "string" && typeof globalThis.Worker === "undefined";
}

/**
 * @param {string} name
 * @returns {Promise<any>}
 */
export function nodeModule(name) {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${name}`);
}

/**
 * @param {string | URL} url of a file
 * @returns {Promise<Uint8Array>}
 */
export async function readFile(url) {
  const { readFile } = await nodeModule("fs/promises");
  return readFile(new URL(url));
}

/**
 * The bytes of a file, piece by piece.
 *
 * @param {string | URL} url of a file
 * @returns {Promise<{ bytes: number, chunks: AsyncIterable<Uint8Array> }>}
 */
export async function openFile(url) {
  const { createReadStream, promises } = await nodeModule("fs");
  const { size } = await promises.stat(new URL(url));
  return { bytes: size, chunks: createReadStream(new URL(url), { highWaterMark: 1 << 20 }) };
}
