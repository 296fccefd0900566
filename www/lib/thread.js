/**
 * Where an engine runs: in a web worker, in one of Node's, or on the thread of the caller where
 * there is neither.
 *
 * @import { FromThread, Settings, ToThread } from "./types.d.ts"
 * @import { EngineHost } from "./engine-host.js"
 */

import { CsanmtError } from "./errors.js";
import { isNode, nodeModule } from "./node.js";

/**
 * A running engine.
 *
 * @typedef {object} Thread
 * @property {(message: ToThread, transfer?: Transferable[]) => void} post
 * @property {() => void} terminate ends it at once
 * @property {(isBusy: boolean) => void} hold whether it keeps the process running, in Node
 * @property {boolean} isInline it shares the thread of the caller
 */

/**
 * Who is told what a thread says.
 *
 * @typedef {object} Listener
 * @property {(message: FromThread) => void} onmessage
 * @property {(message: string) => void} onerror it does not work, or no longer
 */

/** @type {typeof EngineHost | undefined} */
let inlineHost;

// Where nothing bundles these files. Bundlers see the one literal address below.
const WORKER = "./worker.js";
const here = import.meta.url;

/**
 * Gives the engine that runs on the thread of the caller, for places that cannot load it when it
 * is needed: service workers.
 *
 * @param {typeof EngineHost} host
 */
export function provideInlineHost(host) {
  inlineHost = host;
}

/**
 * Starts an engine.
 *
 * @param {Settings} settings
 * @param {Listener} listener
 * @returns {Promise<Thread>}
 */
export async function startThread(settings, listener) {
  if (!settings.inline && typeof globalThis.Worker === "function") {
    return startWebWorker(settings, listener);
  }
  if (!settings.inline && isNode()) {
    return startNodeWorker(settings, listener);
  }
  return startInline(listener);
}

/** Whether engines run beside the caller here, so that several of them make sense. @param {Settings} settings */
export function hasWorkers(settings) {
  return !settings.inline && (typeof globalThis.Worker === "function" || isNode());
}

/**
 * @param {Settings} settings
 * @param {Listener} listener
 * @returns {Thread}
 */
function startWebWorker({ workerUrl, blobWorker }, { onmessage, onerror }) {
  let worker;
  try {
    worker = createWorker(workerUrl, blobWorker);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw new CsanmtError(
      "unsupported",
      `the worker cannot be started (${message}): a library from another origin needs \`blobWorker: true\``,
    );
  }
  worker.onmessage = ({ data }) => onmessage(data);
  worker.onerror = (event) => {
    event.preventDefault();
    onerror(event.message || "the worker's script could not be loaded");
  };
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    terminate: () => worker.terminate(),
    hold: () => {},
    isInline: false,
  };
}

/**
 * @param {string | undefined} workerUrl
 * @param {boolean | undefined} blobWorker
 */
function createWorker(workerUrl, blobWorker) {
  if (blobWorker) {
    // A worker's script must be of the page's origin; a script of that origin may import any.
    const url = workerUrl ?? new URL(WORKER, here).href;
    const script = new Blob([`import ${JSON.stringify(url)};`], { type: "text/javascript" });
    const address = URL.createObjectURL(script);
    const worker = new Worker(address, { type: "module" });
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    return worker;
  }
  return workerUrl !== undefined
    ? new Worker(workerUrl, { type: "module" })
    : new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
}

/**
 * @param {Settings} settings
 * @param {Listener} listener
 * @returns {Promise<Thread>}
 */
async function startNodeWorker({ workerUrl }, { onmessage, onerror }) {
  const { Worker } = await nodeModule("worker_threads");
  // The options of this process, as `--eval`, are not the worker's.
  const worker = new Worker(new URL(workerUrl ?? WORKER, here), { execArgv: [] });
  worker.on("message", onmessage);
  worker.on("error", (/** @type {Error} */ error) => onerror(error.message));
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    terminate: () => void worker.terminate(),
    hold: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
    isInline: false,
  };
}

/**
 * @param {Listener} listener
 * @returns {Promise<Thread>}
 */
async function startInline({ onmessage }) {
  const Host = inlineHost ?? (await loadInlineHost());
  let isOver = false;
  // As between threads, nothing is answered before the call has returned.
  const later = (/** @type {() => void} */ act) => queueMicrotask(() => isOver || act());
  const host = new Host((message) => later(() => onmessage(message)));
  return {
    post: (message) => later(() => host.receive(message)),
    terminate: () => {
      isOver = true;
      host.close();
    },
    hold: () => {},
    isInline: true,
  };
}

async function loadInlineHost() {
  try {
    return (await import("./engine-host.js")).EngineHost;
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw new CsanmtError(
      "unsupported",
      `the engine could not be loaded on this thread (${message}): in a service worker import "csanmt/inline"`,
    );
  }
}
