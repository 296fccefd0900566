/** The built site for tests of the library: empty pages, headers, faults, and a log of requests. */

import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

import { SITE } from "./server.js";

/** @type {Record<string, string>} */
const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

/** The model's path in the site. */
export const MODEL = "/models/zh-en-tiny.safetensors";
/** The model's file. */
export const MODEL_FILE = join(SITE, MODEL);

/**
 * Answers a request in place of the site; `false` leaves it to the site.
 *
 * @typedef {(
 *   request: import("node:http").IncomingMessage,
 *   response: import("node:http").ServerResponse,
 *   path: string,
 * ) => boolean | void | Promise<boolean | void>} Intercept
 */

/** A server with ranges and validators, at the root of its origin. */
export class LibrarySite {
  #server;
  /** Paths of all requests, with the range that was asked for. @type {{ path: string, method: string, range: string | undefined }[]} */
  requests = [];
  /** Headers of every answer. @type {Record<string, string>} */
  headers = {};
  /** Pages and scripts of the test, by path. @type {Record<string, string>} */
  pages = { "/favicon.ico": "", "/": "<!doctype html><meta charset=utf-8><title>test</title>" };
  /** @type {Intercept | undefined} */
  intercept;

  constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => response.destroy(error));
    });
  }

  static async start() {
    const site = new LibrarySite();
    site.#server.listen(0, "127.0.0.1");
    await once(site.#server, "listening");
    return site;
  }

  /** Its address, without a slash at the end. */
  get url() {
    const { port } = /** @type {import("node:net").AddressInfo} */ (this.#server.address());
    return `http://127.0.0.1:${port}`;
  }

  /** How often a path was asked for with GET. @param {string} path */
  count(path) {
    return this.requests.filter((request) => request.path === path && request.method === "GET").length;
  }

  /** Ends open connections, for instance those of a download. */
  disconnect() {
    this.#server.closeAllConnections();
  }

  async stop() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  /**
   * @param {import("node:http").IncomingMessage} request
   * @param {import("node:http").ServerResponse} response
   */
  async #answer(request, response) {
    const { pathname: path } = new URL(request.url ?? "/", "http://localhost");
    this.requests.push({ path, method: request.method ?? "", range: request.headers.range });
    for (const [name, value] of Object.entries(this.headers)) {
      response.setHeader(name, value);
    }
    if ((await this.intercept?.(request, response, path)) === true) {
      return;
    }
    response.setHeader("Content-Type", TYPES[extname(path)] ?? "application/octet-stream");
    const page = this.pages[path];
    if (page !== undefined) {
      response.setHeader("Content-Type", path.endsWith(".js") ? "text/javascript" : "text/html");
      response.end(page);
      return;
    }
    const file = join(SITE, normalize(path));
    const info = await stat(file).catch(() => undefined);
    if (!info?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    await sendFile(request, response, await readFile(file));
  }
}

/**
 * Answers with bytes, or with the range of them that was asked for.
 *
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {Buffer} content
 */
export async function sendFile(request, response, content) {
  const { from, to } = rangeOf(request, content.length);
  response.setHeader("ETag", response.getHeader("ETag") ?? `"${content.length}"`);
  response.setHeader("Content-Length", to - from);
  if (request.headers.range) {
    response.setHeader("Content-Range", `bytes ${from}-${to - 1}/${content.length}`);
  }
  response.writeHead(request.headers.range ? 206 : 200);
  response.end(request.method === "HEAD" ? undefined : content.subarray(from, to));
}

/**
 * The bytes that a request asks for: all of them, or a range.
 *
 * @param {import("node:http").IncomingMessage} request
 * @param {number} length
 */
export function rangeOf({ headers }, length) {
  const [, from, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? "") ?? [];
  return { from: Number(from ?? 0), to: last ? Math.min(Number(last) + 1, length) : length };
}
