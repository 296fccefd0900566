/** The built site as any static host offers it, below a path. */

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

import { SITE } from "./server.js";

/** @type {Record<string, string>} */
const TYPES = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/** A static file server; it has nothing outside its path. */
export class StaticSite {
  #server;
  /** Files that are not those of the built site, by their path. @type {Map<string, string | Buffer>} */
  #changed;

  /**
   * @param {import("node:http").Server} server
   * @param {string} url
   * @param {Map<string, string | Buffer>} changed
   */
  constructor(server, url, changed) {
    this.#server = server;
    this.url = url;
    this.#changed = changed;
  }

  /** Paths that were asked for. @type {string[]} */
  requests = [];

  /**
   * From now on a file has another content.
   *
   * @param {string} path
   * @param {string | Buffer} content
   */
  change(path, content) {
    this.#changed.set(path, content);
  }

  /** The files are those of the built site again. */
  restore() {
    this.#changed.clear();
  }

  /** @param {string} base with a slash at both ends */
  static async start(base) {
    /** @type {Map<string, string | Buffer>} */
    const changed = new Map();
    const server = createServer(async (request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://localhost");
      const path = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
      const name = normalize(path.slice(base.length - 1));
      site.requests.push(name.slice(1));
      const other = changed.get(name.slice(1));
      const content = path.startsWith(base) && (other ?? (await readFile(join(SITE, name)).catch(() => undefined)));
      if (content) {
        response.setHeader("Content-Type", TYPES[extname(path)] ?? "application/octet-stream");
        response.end(content);
      } else {
        response.writeHead(404).end();
      }
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    const site = new StaticSite(server, `http://127.0.0.1:${port}${base}`, changed);
    return site;
  }

  async stop() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
