import { CsanmtError } from "./errors.js";

/** Waits before the next try, in milliseconds; a try that brought new bytes starts again at the first. */
const RETRY_DELAYS_MS = [500, 1500, 4000];

/**
 * The model file from the network, piece by piece. A broken connection is taken up again where it
 * broke off.
 *
 * @typedef {object} Download
 * @property {number | undefined} bytes the size of the file, when somebody said it
 * @property {string | undefined} version what the server calls this version of the file
 * @property {AsyncGenerator<Uint8Array, void>} chunks
 */

/**
 * Begins the download: the answer of the server is there.
 *
 * @param {object} request
 * @param {string} request.url
 * @param {number} [request.bytes] the size of the file, when known
 * @param {number} [request.from] where to begin
 * @param {string} [request.version] the version of what is before
 * @param {typeof globalThis.fetch} [request.fetch]
 * @param {AbortSignal} [request.signal]
 * @param {number[]} [request.retryDelaysMs]
 * @returns {Promise<Download & { from: number }>} `from` is 0 when the file begins anew
 */
export async function downloadModel({
  url,
  bytes,
  from = 0,
  version,
  fetch = globalThis.fetch,
  signal,
  retryDelaysMs = RETRY_DELAYS_MS,
}) {
  let loaded = from;
  let tries = 0;

  /** @returns {Promise<Response>} */
  async function ask() {
    for (;;) {
      try {
        const headers = /** @type {Record<string, string>} */ (
          loaded > 0 ? { Range: `bytes=${loaded}-` } : {}
        );
        const response = await fetch(url, { headers, signal: signal ?? null });
        if (response.status === 416 && loaded > 0) {
          // It is shorter now: another file.
          loaded = 0;
          continue;
        }
        if (!response.ok) {
          throw new CsanmtError("download", `the model could not be downloaded: ${url} answered ${response.status}`);
        }
        return response;
      } catch (error) {
        await wait(error);
      }
    }
  }

  /** Waits before the next try, or gives up. @param {unknown} error */
  async function wait(error) {
    signal?.throwIfAborted();
    // `fetch` and the body's reader throw a TypeError for what the network did; the rest is final.
    if (!(error instanceof TypeError)) {
      throw error;
    }
    const delay = retryDelaysMs[tries];
    if (delay === undefined) {
      throw new CsanmtError("download", `the model could not be downloaded: ${error.message}`);
    }
    tries += 1;
    await new Promise((resolve) => setTimeout(resolve, delay));
    signal?.throwIfAborted();
  }

  let response = await ask();
  const found = versionOf(response);
  if (from > 0 && (response.status !== 206 || (version !== undefined && found !== version))) {
    // The file has changed, or the server knows no ranges.
    if (response.status === 206) {
      loaded = 0;
      response = await ask();
    }
    loaded = 0;
  }
  const total = bytes ?? announcedLength(response, loaded);

  async function* chunks() {
    // A server that does not know ranges sends the file from its beginning.
    let skip = 0;
    for (;;) {
      try {
        for await (const chunk of bodyOf(response)) {
          const fresh = chunk.subarray(Math.min(skip, chunk.length));
          skip -= chunk.length - fresh.length;
          if (fresh.length > 0) {
            loaded += fresh.length;
            tries = 0;
            yield fresh;
          }
        }
        if (total === undefined || loaded >= total) {
          return;
        }
        throw new TypeError(`the connection ended after ${loaded} of ${total} bytes`);
      } catch (error) {
        await wait(error);
        const before = loaded;
        response = await ask();
        skip = response.status === 206 ? 0 : before;
        if (loaded < before) {
          throw new CsanmtError("download", `the model changed while it was downloaded from ${url}`);
        }
      }
    }
  }

  return { from: loaded, bytes: total, version: found, chunks: chunks() };
}

/**
 * What the server says now of the version of a file; undefined when it cannot be reached or says
 * nothing.
 *
 * @param {string} url
 * @param {typeof globalThis.fetch} [fetch]
 */
export async function currentVersion(url, fetch = globalThis.fetch) {
  try {
    const response = await fetch(url, { method: "HEAD", cache: "no-cache" });
    return response.ok ? versionOf(response) : undefined;
  } catch {
    return undefined;
  }
}

/** @param {Response} response */
function versionOf({ headers }) {
  return headers.get("ETag") ?? headers.get("Last-Modified") ?? undefined;
}

/**
 * @param {Response} response
 * @param {number} from where it begins
 * @returns {number | undefined}
 */
function announcedLength({ headers, status }, from) {
  // With a compressed body the announced length is that of the compressed bytes.
  const length = headers.get("Content-Encoding") ? null : headers.get("Content-Length");
  return length === null ? undefined : Number(length) + (status === 206 ? from : 0);
}

/**
 * Response bodies are async iterable in few browsers yet.
 *
 * @param {Response} response
 * @returns {AsyncGenerator<Uint8Array, void>}
 */
export async function* bodyOf(response) {
  const reader = response.body?.getReader();
  try {
    while (reader) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      yield value;
    }
  } finally {
    reader?.cancel().catch(() => {});
  }
}
