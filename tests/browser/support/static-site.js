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
  ".wasm": "application/wasm",
};

/** A static file server; it has nothing outside its path. */
export class StaticSite {
  #server;

  /**
   * @param {import("node:http").Server} server
   * @param {string} url
   */
  constructor(server, url) {
    this.#server = server;
    this.url = url;
  }

  /** @param {string} base with a slash at both ends */
  static async start(base) {
    const server = createServer(async (request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://localhost");
      const path = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
      const file = join(SITE, normalize(path.slice(base.length - 1)));
      const content = path.startsWith(base) && (await readFile(file).catch(() => undefined));
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
    return new StaticSite(server, `http://127.0.0.1:${port}${base}`);
  }

  async stop() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
