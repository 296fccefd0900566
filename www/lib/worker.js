/** The worker: an engine that talks in messages. Runs as a web worker and as one of Node's. */

import { EngineHost } from "./engine-host.js";

/**
 * @param {{ postMessage(message: any, transfer: Transferable[]): void }} port
 * @param {(receive: (message: any) => void) => void} listen
 */
function serve(port, listen) {
  const host = new EngineHost((message, transfer = []) => port.postMessage(message, transfer));
  listen((message) => host.receive(message));
}

if (typeof globalThis.postMessage !== "function") {
  const name = "node:worker_threads";
  import(/* webpackIgnore: true */ /* @vite-ignore */ name).then(({ parentPort }) => {
    serve(parentPort, (receive) => parentPort.on("message", receive));
  });
} else {
  const port = /** @type {any} */ (self);
  serve(port, (receive) => (port.onmessage = (/** @type {MessageEvent} */ { data }) => receive(data)));
}
