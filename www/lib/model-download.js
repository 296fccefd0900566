/** @import { LoadProgress } from "./types.d.ts" */

import { CsanmtError } from "./errors.js";

/** Waits before the next try, in milliseconds; a try that brought new bytes starts again at the first. */
const RETRY_DELAYS_MS = [500, 1500, 4000];

/**
 * Where the bytes go: `ModelBuffer` of the WebAssembly module.
 *
 * @typedef {object} Sink
 * @property {(chunk: Uint8Array) => void} write
 */

/**
 * Streams the model file into the engine's memory. A broken connection is taken up again where it
 * broke off.
 *
 * @template {Sink} S
 * @param {object} request
 * @param {string} request.url
 * @param {number} [request.bytes] the size of the file, when known
 * @param {(bytes: number) => S | Promise<S>} request.allocate makes room for a file of this size
 * @param {(progress: LoadProgress) => void} request.onprogress
 * @param {number[]} [request.retryDelaysMs]
 * @returns {Promise<S>} the filled room
 */
export async function downloadModel({
  url,
  bytes,
  allocate,
  onprogress,
  retryDelaysMs = RETRY_DELAYS_MS,
}) {
  /** @type {S | undefined} */
  let sink;
  let total = bytes;
  let loaded = 0;
  for (let tries = 0; ; tries += 1) {
    const before = loaded;
    try {
      const response = await request(url, loaded);
      total ??= announcedLength(response);
      if (total === undefined) {
        return await downloadOfUnknownLength(response, allocate, onprogress);
      }
      sink ??= await allocate(total);
      // A server that does not know ranges sends the file from its beginning.
      let skip = response.status === 206 ? 0 : loaded;
      for await (const chunk of chunks(response)) {
        const fresh = chunk.subarray(Math.min(skip, chunk.length));
        skip -= chunk.length - fresh.length;
        sink.write(fresh);
        loaded += fresh.length;
        onprogress({ loaded, total });
      }
      if (loaded < total) {
        throw new TypeError(`the connection ended after ${loaded} of ${total} bytes`);
      }
      return sink;
    } catch (error) {
      // `fetch` and the body's reader throw a TypeError for what the network did; the rest is final.
      if (!(error instanceof TypeError)) {
        throw error;
      }
      if (loaded > before) {
        tries = 0;
      }
      if (tries >= retryDelaysMs.length) {
        throw new CsanmtError("download", `the model could not be downloaded: ${error.message}`);
      }
      await new Promise((resolve) => setTimeout(resolve, retryDelaysMs[tries]));
    }
  }
}

/**
 * @param {string} url
 * @param {number} from
 */
async function request(url, from) {
  const response = await fetch(url, from > 0 ? { headers: { Range: `bytes=${from}-` } } : {});
  if (!response.ok) {
    throw new CsanmtError("download", `the model could not be downloaded: ${url} answered ${response.status}`);
  }
  return response;
}

/**
 * @param {Response} response
 * @returns {number | undefined}
 */
function announcedLength({ headers }) {
  // With a compressed body the announced length is that of the compressed bytes.
  const length = headers.get("Content-Encoding") ? null : headers.get("Content-Length");
  return length === null ? undefined : Number(length);
}

/**
 * Without a size the room can only be made once everything is here.
 *
 * @template {Sink} S
 * @param {Response} response
 * @param {(bytes: number) => S | Promise<S>} allocate
 * @param {(progress: LoadProgress) => void} onprogress
 */
async function downloadOfUnknownLength(response, allocate, onprogress) {
  const parts = [];
  let loaded = 0;
  for await (const chunk of chunks(response)) {
    parts.push(chunk);
    loaded += chunk.length;
    onprogress({ loaded, total: undefined });
  }
  const sink = await allocate(loaded);
  for (const part of parts) {
    sink.write(part);
  }
  return sink;
}

/**
 * Response bodies are async iterable in few browsers yet.
 *
 * @param {Response} response
 */
async function* chunks(response) {
  const reader = response.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) {
      return;
    }
    yield value;
  }
}
