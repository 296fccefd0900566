/**
 * Where the bytes of the model come from: what the caller has, the store, or the network.
 *
 * @import { ModelStore, Notice, Settings } from "./types.d.ts"
 */

import { CsanmtError } from "./errors.js";
import { bodyOf, currentVersion, downloadModel } from "./model-download.js";
import { CacheStore, DamagedError, idOf, StoreEntry } from "./model-store.js";
import { isNode, openFile } from "./node.js";

/** Pieces in which bytes of the caller are handed on. */
const PIECE_BYTES = 1 << 20;

/**
 * Takes a model file as it arrives.
 *
 * @typedef {object} Sink
 * @property {(bytes: number, hash: boolean) => Promise<void>} allocate makes room; called again
 *   when the file begins anew. The hash is that of `seal`
 * @property {(chunk: Uint8Array<ArrayBuffer>) => Promise<void>} write takes the chunk away
 * @property {() => Promise<string>} seal everything is there: its SHA-256
 */

/** The model of one pool of workers. */
export class ModelSource {
  #settings;
  /** @type {StoreEntry | undefined} */
  #entry;
  #notify;

  /**
   * @param {Settings} settings
   * @param {(notice: Notice) => void} notify
   */
  constructor(settings, notify) {
    this.#settings = settings;
    this.#notify = notify;
    const { modelUrl, modelSha256, store } = settings;
    if (modelUrl !== undefined && store) {
      this.#entry = new StoreEntry(store, idOf({ url: modelUrl, sha256: modelSha256 }));
    }
  }

  /** Whether a worker can be given the model again without asking the network. */
  async isAtHand() {
    const { modelUrl } = this.#settings;
    return modelUrl === undefined || isFile(modelUrl) || (await this.#stored()) !== undefined;
  }

  /**
   * Fills a sink with the model.
   *
   * @param {Sink} sink
   * @param {(loaded: number, total: number | undefined) => void} onprogress
   * @param {AbortSignal} signal
   */
  async fill(sink, onprogress, signal) {
    const { model, modelUrl } = this.#settings;
    if (model !== undefined) {
      await this.#copy(sink, await openData(model), onprogress, signal);
    } else if (modelUrl !== undefined && isFile(modelUrl)) {
      await this.#copy(sink, await openFile(modelUrl), onprogress, signal);
    } else if (modelUrl !== undefined) {
      const restored = await this.#restore(sink, onprogress, signal);
      if (!restored) {
        await this.#download(modelUrl, sink, onprogress, signal);
      }
    } else {
      throw new CsanmtError("options", "no model: give `modelUrl` or `model`, once for all with configure()");
    }
  }

  /** What the store has, when it is complete and still the right one. */
  async #stored() {
    const { modelUrl = "", modelSha256, fetch } = this.#settings;
    try {
      const info = await this.#entry?.info();
      if (info && modelSha256 === undefined && info.version !== undefined) {
        const version = await currentVersion(modelUrl, fetch);
        return version === undefined || version === info.version ? info : undefined;
      }
      return info;
    } catch {
      // A store that cannot be read is as good as none.
      return undefined;
    }
  }

  /**
   * From the store; whether that was possible.
   *
   * @param {Sink} sink
   * @param {(loaded: number, total: number | undefined) => void} onprogress
   * @param {AbortSignal} signal
   */
  async #restore(sink, onprogress, signal) {
    const entry = this.#entry;
    const info = await this.#stored();
    if (!entry || !info) {
      return false;
    }
    try {
      const { bytes } = info;
      await this.#copy(sink, { bytes, chunks: entry.chunks(info) }, onprogress, signal, info.sha256);
      return true;
    } catch (error) {
      if (!(error instanceof DamagedError)) {
        throw error;
      }
      this.#notify({ code: "store-damaged", message: "the stored model is damaged and is downloaded again" });
      await entry.remove().catch(() => {});
      return false;
    }
  }

  /**
   * @param {Sink} sink
   * @param {{ bytes: number, chunks: AsyncIterable<Uint8Array> }} data
   * @param {(loaded: number, total: number | undefined) => void} onprogress
   * @param {AbortSignal} signal
   * @param {string} [stored] the hash that its parts have been compared with
   */
  async #copy(sink, { bytes, chunks }, onprogress, signal, stored) {
    await sink.allocate(bytes, stored === undefined);
    let loaded = 0;
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      const { length } = chunk;
      await sink.write(/** @type {Uint8Array<ArrayBuffer>} */ (chunk));
      loaded += length;
      onprogress(loaded, bytes);
    }
    if (stored !== undefined && loaded !== bytes) {
      throw new DamagedError();
    }
    const sha256 = await sink.seal();
    if (stored === undefined) {
      this.#check(sha256);
    }
  }

  /**
   * @param {string} url
   * @param {Sink} sink
   * @param {(loaded: number, total: number | undefined) => void} onprogress
   * @param {AbortSignal} signal
   * @returns {Promise<void>}
   */
  async #download(url, sink, onprogress, signal) {
    const { modelBytes, fetch } = this.#settings;
    const partial = await this.#partial();
    const request = { url, fetch, signal, ...(modelBytes === undefined ? {} : { bytes: modelBytes }) };
    const download = await downloadModel({
      ...request,
      from: partial.bytes,
      ...(partial.version === undefined ? {} : { version: partial.version }),
    });
    const entry = this.#entry;
    let writer = this.#canBeKnownAgain(download.version) ? entry?.writer(download.version) : undefined;
    if (!writer) {
      const message = "the model cannot be stored here: it is downloaded again at every visit";
      this.#notify({ code: "no-store", message });
    }
    let loaded = 0;
    /** Gathered when nobody said how long the file is. @type {Uint8Array<ArrayBuffer>[] | undefined} */
    const gathered = download.bytes === undefined ? [] : undefined;
    if (download.bytes !== undefined) {
      await sink.allocate(download.bytes, true);
    }

    const take = async (/** @type {Uint8Array} */ chunk) => {
      signal.throwIfAborted();
      loaded += chunk.length;
      try {
        await writer?.write(chunk);
      } catch (error) {
        writer = undefined;
        await this.#refused(error);
      }
      const owned = /** @type {Uint8Array<ArrayBuffer>} */ (chunk);
      await (gathered ? gathered.push(owned) : sink.write(owned));
      onprogress(loaded, download.bytes);
    };

    if (download.from > 0 && entry) {
      try {
        for await (const part of entry.partialChunks(partial.parts)) {
          await take(part);
        }
      } catch (error) {
        if (!(error instanceof DamagedError)) {
          throw error;
        }
        await entry.remove().catch(() => {});
        return this.#download(url, sink, onprogress, signal);
      }
    }
    for await (const chunk of download.chunks) {
      await take(chunk);
    }
    if (gathered) {
      await sink.allocate(loaded, true);
      for (const chunk of gathered) {
        await sink.write(chunk);
      }
    }
    let sha256;
    try {
      sha256 = await sink.seal();
      this.#check(sha256);
    } catch (error) {
      // What does not load must not be stored.
      await entry?.remove().catch(() => {});
      if (download.from > 0 && error instanceof CsanmtError && error.code === "download") {
        // The parts of two versions do not fit together.
        return this.#download(url, sink, onprogress, signal);
      }
      throw error;
    }
    try {
      await writer?.finish(url, sha256);
      await (writer && entry?.removeOlder(url));
    } catch (error) {
      await this.#refused(error);
    }
  }

  /**
   * Only a hash or the server can tell whether what is stored is still the right file.
   *
   * @param {string | undefined} version
   */
  #canBeKnownAgain(version) {
    return this.#settings.modelSha256 !== undefined || version !== undefined;
  }

  /** The beginning of the file that an earlier visit has stored. */
  async #partial() {
    const none = { version: undefined, parts: 0, bytes: 0 };
    try {
      const partial = (await this.#entry?.partial()) ?? none;
      return this.#canBeKnownAgain(partial.version) ? partial : none;
    } catch {
      return none;
    }
  }

  /** The store did not take the model. @param {unknown} error */
  async #refused(error) {
    const { name, message } = /** @type {Error} */ (error);
    this.#notify({
      code: name === "QuotaExceededError" ? "store-full" : "no-store",
      message: `the model could not be stored, it is downloaded again at the next visit: ${message}`,
    });
    await this.#entry?.remove().catch(() => {});
  }

  /** @param {string} sha256 */
  #check(sha256) {
    const { modelSha256 } = this.#settings;
    if (modelSha256 !== undefined && modelSha256.toLowerCase() !== sha256) {
      throw new CsanmtError(
        "download",
        `the model is not the expected one: its SHA-256 is ${sha256}, not ${modelSha256}`,
      );
    }
  }
}

/** Whether it is a file of the machine, which Node can read. @param {string} url */
function isFile(url) {
  return isNode() && new URL(url).protocol === "file:";
}

/**
 * The store that is used unless the caller names one.
 *
 * @returns {ModelStore | undefined}
 */
export function defaultStore() {
  return CacheStore.isAvailable() ? new CacheStore() : undefined;
}

/**
 * @param {NonNullable<Settings["model"]>} model
 * @returns {Promise<{ bytes: number, chunks: AsyncIterable<Uint8Array> }>}
 */
async function openData(model) {
  if (model instanceof Blob) {
    return { bytes: model.size, chunks: bodyOf(new Response(model)) };
  }
  const bytes = ArrayBuffer.isView(model)
    ? new Uint8Array(model.buffer, model.byteOffset, model.byteLength)
    : new Uint8Array(model);
  return { bytes: bytes.length, chunks: pieces(bytes) };
}

/** Copies, because the pieces are given away. @param {Uint8Array} bytes */
async function* pieces(bytes) {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    yield bytes.slice(at, at + PIECE_BYTES);
  }
}

/**
 * Whether the model of these settings lies in the store, complete.
 *
 * @param {Settings} settings
 */
export async function isStored(settings) {
  return new ModelSource(settings, () => {}).isAtHand();
}
