/**
 * The worker: one engine, one queue. The engine works in steps; between two of them the worker
 * looks at its messages, so an abort or a new request is seen within a step.
 *
 * @import { FromWorker, LoadProgress, ToWorker } from "./types.d.ts"
 */

import init, { Engine, ModelBuffer } from "./csanmt_wasm.js";
import { compileEngine } from "./engine-build.js";
import { toFailure } from "./errors.js";
import { downloadModel } from "./model-download.js";

/** Progress is reported at most this often. */
const PROGRESS_INTERVAL_MS = 50;

/** @typedef {Extract<ToWorker, { type: "translate" }>} Request */

/** Requests without an answer, oldest first. @type {Request[]} */
const queue = [];
/** @type {Engine | undefined} */
let engine;
/** @type {WebAssembly.Memory | undefined} */
let memory;
let busy = false;

self.onmessage = (/** @type {MessageEvent<ToWorker>} */ { data }) => {
  switch (data.type) {
    case "load":
      load(data);
      return;
    case "translate":
      queue.push(data);
      work();
      return;
    case "abort": {
      const at = queue.findIndex(({ id }) => id === data.id);
      if (at >= 0) {
        queue.splice(at, 1);
      }
    }
  }
};

/** @param {Extract<ToWorker, { type: "load" }>} message */
async function load({ modelUrl, modelBytes, wasmUrl, relaxedWasmUrl }) {
  try {
    // Both downloads begin at once; the model's waits for the module when it has bytes to write.
    const started = start({ wasmUrl, relaxedWasmUrl });
    started.catch(() => {});
    const buffer = await downloadModel({
      url: modelUrl,
      bytes: modelBytes,
      allocate: async (bytes) => {
        await started;
        return new ModelBuffer(bytes);
      },
      onprogress: throttled(reportLoading),
    });
    engine = new Engine(buffer);
    post({ type: "ready", build: await started });
    work();
  } catch (error) {
    post({ type: "load-failed", error: toFailure(error, "download") });
  }
}

/** @param {Parameters<typeof compileEngine>[0]} addresses */
async function start(addresses) {
  const { build, module } = await compileEngine(addresses);
  memory = (await init({ module_or_path: module })).memory;
  return build;
}

/** Answers what is queued, one after the other. */
async function work() {
  if (busy || !engine) {
    return;
  }
  busy = true;
  for (let request = queue[0]; request; request = queue[0]) {
    try {
      await answer(engine, request);
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) {
        // The module's memory can no longer be trusted: whoever made this worker replaces it.
        post({ type: "crashed", message: error.message });
        return;
      }
      post({ type: "failed", id: request.id, error: toFailure(error, "engine") });
    }
    if (queue[0] === request) {
      queue.shift();
    }
  }
  busy = false;
}

/**
 * @param {Engine} engine
 * @param {Request} request
 */
async function answer(engine, request) {
  const { id, text, options } = request;
  const job = engine.start(text, options);
  for (;;) {
    const step = job.step();
    if (step.done) {
      const translation = job.finish();
      const memoryBytes = memory?.buffer.byteLength ?? 0;
      post({ type: "done", id, translation, memoryBytes });
      return;
    }
    const { text: added, sentencesDone, sentences } = step;
    post({ type: "step", id, added, sentencesDone, sentences });
    await nextTask();
    if (queue[0] !== request) {
      job.free();
      return;
    }
  }
}

const { port1: here, port2: there } = new MessageChannel();

/** Lets waiting messages in; unlike a timer, without a delay. */
function nextTask() {
  return new Promise((resolve) => {
    here.onmessage = resolve;
    there.postMessage(null);
  });
}

/** @param {LoadProgress} progress */
function reportLoading({ loaded, total }) {
  post({ type: "loading", loaded, total });
}

/**
 * Passes on the first report, the complete one, and between them one an interval.
 *
 * @param {(progress: LoadProgress) => void} report
 * @returns {(progress: LoadProgress) => void}
 */
function throttled(report) {
  let last = -Infinity;
  return (progress) => {
    const now = performance.now();
    if (now - last >= PROGRESS_INTERVAL_MS || progress.loaded === progress.total) {
      last = now;
      report(progress);
    }
  };
}

/** @param {FromWorker} message */
function post(message) {
  self.postMessage(message);
}
