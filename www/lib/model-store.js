/**
 * Models kept between visits. A model lies in a store in parts, so that a broken download goes on
 * where it was, also after a reload; it counts as stored when its last entry, `info`, is written.
 *
 * @import { ModelStore, StoredModel } from "./types.d.ts"
 */

/** Bytes of a part; the last one is shorter. */
const PART_BYTES = 4 << 20;
const CACHE = "csanmt-models";

/**
 * What is known of a stored model.
 *
 * @typedef {object} Info
 * @property {string} url where it came from
 * @property {number} bytes
 * @property {string} sha256 of the whole
 * @property {string[]} parts SHA-256 of each part
 * @property {string} [version] what the server called it
 */

/** The store of this origin in the browser's Cache API. @implements {ModelStore} */
export class CacheStore {
  /** Whether there is a Cache API here: not in insecure contexts, and not in Node. */
  static isAvailable() {
    return typeof globalThis.caches === "object" && globalThis.location?.protocol.startsWith("http");
  }

  /** @type {Promise<Cache> | undefined} */
  #cache;

  #open() {
    return (this.#cache ??= caches.open(CACHE));
  }

  /** @param {string} key */
  async get(key) {
    const response = await (await this.#open()).match(addressOf(key));
    return response && new Uint8Array(await response.arrayBuffer());
  }

  /** @param {string} key @param {Uint8Array} bytes */
  async put(key, bytes) {
    const body = new Blob([/** @type {BlobPart} */ (bytes)]);
    await (await this.#open()).put(addressOf(key), new Response(body));
  }

  /** @param {string} key */
  async delete(key) {
    await (await this.#open()).delete(addressOf(key));
  }

  async keys() {
    const requests = await (await this.#open()).keys();
    return requests.map(({ url }) => decodeURIComponent(new URL(url).search.slice(1)));
  }
}

/** The cache wants addresses for keys; nothing is ever fetched from them. @param {string} key */
function addressOf(key) {
  return `/csanmt-models?${encodeURIComponent(key)}`;
}

/** One model in a store, under its hash or, without one, under its address. */
export class StoreEntry {
  #store;
  #id;

  /**
   * @param {ModelStore} store
   * @param {string} id
   */
  constructor(store, id) {
    this.#store = store;
    this.#id = id;
  }

  /** What is stored, when that is complete. @returns {Promise<Info | undefined>} */
  async info() {
    return parse(await this.#store.get(`${this.#id}/info`));
  }

  /**
   * The parts one after the other.
   *
   * @param {Info} info
   * @returns {AsyncGenerator<Uint8Array, void>}
   * @throws {DamagedError} at a part that is missing or not the one that was stored
   */
  async *chunks({ parts }) {
    for (const [index, sha256] of parts.entries()) {
      const part = await this.#store.get(`${this.#id}/${index}`);
      if (!part || (await hashOf(part)) !== sha256) {
        throw new DamagedError();
      }
      yield part;
    }
  }

  /** The beginning of a model whose download broke off. */
  async partial() {
    /** @type {{ version: string | undefined } | undefined} */
    const state = parse(await this.#store.get(`${this.#id}/partial`));
    const keys = state ? new Set(await this.#store.keys()) : new Set();
    let count = 0;
    while (keys.has(`${this.#id}/${count}`)) {
      count += 1;
    }
    return { version: state?.version, parts: count, bytes: count * PART_BYTES };
  }

  /**
   * The parts of a broken download.
   *
   * @param {number} count
   * @returns {AsyncGenerator<Uint8Array, void>}
   */
  async *partialChunks(count) {
    for (let index = 0; index < count; index += 1) {
      const part = await this.#store.get(`${this.#id}/${index}`);
      if (part?.length !== PART_BYTES) {
        throw new DamagedError();
      }
      yield part;
    }
  }

  /**
   * Takes a model as it arrives.
   *
   * @param {string | undefined} version
   */
  writer(version) {
    return new StoreWriter(this.#store, this.#id, version);
  }

  /** Removes the model, whole or not. */
  async remove() {
    await removeEntries(this.#store, (key) => key.startsWith(`${this.#id}/`));
  }

  /** Removes the other models that came from the same address: this one has taken their place. @param {string} url */
  async removeOlder(url) {
    for (const { id, info } of await entries(this.#store)) {
      if (info.url === url && id !== this.#id) {
        await new StoreEntry(this.#store, id).remove();
      }
    }
  }
}

/** What lies in the store is not what was put there. */
export class DamagedError extends Error {}

/** Cuts what arrives into parts and stores them, each when it is full. */
class StoreWriter {
  #store;
  #id;
  #version;
  #part = new Uint8Array(PART_BYTES);
  #filled = 0;
  /** @type {string[]} */
  #hashes = [];
  #bytes = 0;
  /** @type {Promise<void>} */
  #written;

  /**
   * @param {ModelStore} store
   * @param {string} id
   * @param {string | undefined} version
   */
  constructor(store, id, version) {
    this.#store = store;
    this.#id = id;
    this.#version = version;
    this.#written = this.#begin();
    this.#written.catch(() => {});
  }

  async #begin() {
    await this.#store.delete(`${this.#id}/info`);
    await this.#store.put(`${this.#id}/partial`, format({ version: this.#version }));
  }

  /**
   * Takes the next bytes; resolves when there is room for more.
   *
   * @param {Uint8Array} chunk is copied
   */
  async write(chunk) {
    this.#bytes += chunk.length;
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + PART_BYTES - this.#filled);
      this.#part.set(piece, this.#filled);
      this.#filled += piece.length;
      at += piece.length;
      if (this.#filled === PART_BYTES) {
        await this.#flush();
      }
    }
  }

  /** One part is written while the next one fills up. */
  async #flush() {
    await this.#written;
    const part = this.#part.slice(0, this.#filled);
    const index = this.#hashes.push("") - 1;
    this.#filled = 0;
    this.#written = (async () => {
      this.#hashes[index] = await hashOf(part);
      await this.#store.put(`${this.#id}/${index}`, part);
    })();
    this.#written.catch(() => {});
  }

  /**
   * Everything has arrived and is right: from now on the model counts as stored.
   *
   * @param {string} url
   * @param {string} sha256
   */
  async finish(url, sha256) {
    if (this.#filled > 0) {
      await this.#flush();
    }
    await this.#written;
    /** @type {Info} */
    const info = { url, bytes: this.#bytes, sha256, parts: this.#hashes };
    if (this.#version !== undefined) {
      info.version = this.#version;
    }
    await this.#store.put(`${this.#id}/info`, format(info));
    const written = parse(await this.#store.get(`${this.#id}/info`));
    if (written?.sha256 !== sha256) {
      throw new DamagedError("the store did not keep what was written");
    }
    await this.#store.delete(`${this.#id}/partial`);
  }
}

/**
 * The models in a store.
 *
 * @param {ModelStore} store
 * @returns {Promise<StoredModel[]>}
 */
export async function modelsIn(store) {
  const found = await entries(store);
  return found.map(({ info: { url, bytes, sha256 } }) => ({ url, bytes, sha256 }));
}

/**
 * Removes models from a store, broken downloads as well.
 *
 * @param {ModelStore} store
 * @param {string} [url] only those from there
 */
export async function removeFrom(store, url) {
  if (url === undefined) {
    await removeEntries(store, () => true);
    return;
  }
  for (const { id, info } of await entries(store)) {
    if (info.url === url) {
      await new StoreEntry(store, id).remove();
    }
  }
  await new StoreEntry(store, idOf({ url })).remove();
}

/**
 * What a model is stored under.
 *
 * @param {{ url: string, sha256?: string | undefined }} model
 */
export function idOf({ url, sha256 }) {
  return sha256 ?? encodeURIComponent(url);
}

/**
 * @param {ModelStore} store
 * @returns {Promise<{ id: string, info: Info }[]>}
 */
async function entries(store) {
  const found = [];
  for (const key of await store.keys()) {
    if (key.endsWith("/info")) {
      const info = parse(await store.get(key));
      if (info) {
        found.push({ id: key.slice(0, -"/info".length), info });
      }
    }
  }
  return found;
}

/**
 * @param {ModelStore} store
 * @param {(key: string) => boolean} chosen
 */
async function removeEntries(store, chosen) {
  const keys = (await store.keys()).filter(chosen);
  // What makes a model complete goes first.
  keys.sort((a, b) => Number(b.endsWith("/info")) - Number(a.endsWith("/info")));
  for (const key of keys) {
    await store.delete(key);
  }
}

/** @param {Uint8Array} bytes */
async function hashOf(bytes) {
  const hash = await crypto.subtle.digest("SHA-256", /** @type {BufferSource} */ (bytes));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {object} value */
function format(value) {
  return new TextEncoder().encode(JSON.stringify(value));
}

/**
 * @param {Uint8Array | undefined} bytes
 * @returns {any}
 */
function parse(bytes) {
  try {
    return bytes && JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
