/** A folder as a static host offers it, with the model below `models/`. */

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

import { MODEL } from "./package.js";

/** @type {Record<string, string>} */
const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};

/**
 * @param {string} folder
 * @returns {Promise<{ url: string, missing: string[], stop: () => void }>}
 */
export async function serve(folder) {
  /** @type {string[]} */
  const missing = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
    const isModel = path.endsWith("/models/zh-en-tiny.safetensors");
    const file = isModel ? MODEL : join(folder, normalize(path));
    const content = await readFile(file).catch(() => undefined);
    if (!content) {
      const isIcon = path === "/favicon.ico";
      if (!isIcon) {
        missing.push(path);
      }
      response.writeHead(isIcon ? 204 : 404).end();
      return;
    }
    response.setHeader("Content-Type", TYPES[extname(path)] ?? "application/octet-stream");
    response.setHeader("Content-Security-Policy", "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'");
    response.end(content);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/`, missing, stop };
}
