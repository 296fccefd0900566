/** The library's main-thread side, with a worker that does what the test says. */

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { CsanmtTranslator } from "../../www/lib/index.js";

/** Workers that have been started, oldest first. @type {FakeWorker[]} */
let workers;

class FakeWorker {
  /** @type {any[]} */
  received = [];
  terminated = false;
  /** @type {((event: any) => void) | undefined} */
  onmessage;
  /** @type {((event: any) => void) | undefined} */
  onerror;

  /** @param {string | URL} url */
  constructor(url) {
    this.url = String(url);
    workers.push(this);
  }

  /** @param {any} message */
  postMessage(message) {
    this.received.push(structuredClone(message));
  }

  terminate() {
    this.terminated = true;
  }

  /** @param {any} data */
  say(data) {
    this.onmessage?.({ data });
  }

  requests() {
    return this.received.filter(({ type }) => type === "translate");
  }
}

const global = /** @type {any} */ (globalThis);

beforeEach(() => {
  workers = [];
  global.Worker = FakeWorker;
  global.location = { href: "https://example.org/page/" };
});
afterEach(() => {
  delete global.Worker;
  delete global.location;
});

/** @param {number} index */
const worker = (index) => {
  const found = workers[index];
  assert.ok(found, `no worker ${index}`);
  return found;
};

const create = async () => {
  const creation = CsanmtTranslator.create({ modelUrl: "model" });
  worker(0).say({ type: "ready" });
  return creation;
};

const TRANSLATION = { text: "Hello.", sentences: [] };

test("addresses are the page's, not the worker's", async () => {
  const creation = CsanmtTranslator.create({ modelUrl: "m/model", modelBytes: 5, wasmUrl: "/e.wasm", relaxedWasmUrl: "/r.wasm" });
  assert.deepEqual(worker(0).received, [
    {
      type: "load",
      modelUrl: "https://example.org/page/m/model",
      modelBytes: 5,
      wasmUrl: "https://example.org/e.wasm",
      relaxedWasmUrl: "https://example.org/r.wasm",
    },
  ]);
  assert.match(worker(0).url, /\/www\/lib\/worker\.js$/);
  worker(0).say({ type: "ready" });
  (await creation).destroy();
  assert.equal(worker(0).terminated, true);
});

test("a failed load rejects with its code and ends the worker", async () => {
  const creation = CsanmtTranslator.create({ modelUrl: "model" });
  worker(0).say({ type: "load-failed", error: { code: "download", message: "no" } });
  await assert.rejects(creation, { name: "CsanmtError", code: "download", message: "no" });
  assert.equal(worker(0).terminated, true);
});

test("a signal gives up loading", async () => {
  const controller = new AbortController();
  const creation = CsanmtTranslator.create({ modelUrl: "model", signal: controller.signal });
  controller.abort();
  await assert.rejects(creation, { name: "AbortError" });
  assert.equal(worker(0).terminated, true);
});

test("steps add up, and the answer is the whole translation", async () => {
  const translator = await create();
  /** @type {any[]} */
  const seen = [];
  const answer = translator.translate("你好", { beam: 2, onprogress: (progress) => seen.push(progress) });
  const [{ id, options }] = worker(0).requests();
  assert.deepEqual(options, { beam: 2 });
  worker(0).say({ type: "step", id, added: "A. ", sentencesDone: 1, sentences: 2 });
  worker(0).say({ type: "step", id, added: "B.", sentencesDone: 2, sentences: 2 });
  worker(0).say({ type: "done", id, translation: TRANSLATION, memoryBytes: 65536 });
  assert.deepEqual(await answer, TRANSLATION);
  assert.deepEqual(seen.map(({ text }) => text), ["A. ", "A. B."]);
  assert.equal(translator.memoryBytes, 65536);
});

test("an aborted request is rejected at once, and its answer ignored", async () => {
  const translator = await create();
  const controller = new AbortController();
  const answer = translator.translate("你好", { signal: controller.signal });
  const [{ id }] = worker(0).requests();
  controller.abort();
  await assert.rejects(answer, { name: "AbortError" });
  assert.deepEqual(worker(0).received.at(-1), { type: "abort", id });
  worker(0).say({ type: "done", id, translation: TRANSLATION, memoryBytes: 1 });
  await assert.rejects(translator.translate("x", { signal: controller.signal }), { name: "AbortError" });
  assert.equal(worker(0).requests().length, 1);
});

test("after a crash a new worker takes over, and a request is tried once more", async () => {
  const translator = await create();
  const answer = translator.translate("你好");
  const other = translator.translate("再见");
  worker(0).say({ type: "crashed", message: "unreachable" });
  assert.equal(worker(0).terminated, true);
  assert.deepEqual(worker(1).requests().map(({ text }) => text), ["你好", "再见"]);
  worker(1).say({ type: "ready" });
  const [first, second] = worker(1).requests();
  worker(1).say({ type: "done", id: first.id, translation: TRANSLATION, memoryBytes: 1 });
  assert.deepEqual(await answer, TRANSLATION);
  worker(1).onerror?.({ message: "out of memory", preventDefault() {} });
  await assert.rejects(other, { code: "crashed", message: /out of memory/ });
  assert.equal(second.text, "再见");
  assert.equal(workers.length, 3);
});

test("a worker that never starts rejects the creation", async () => {
  const creation = CsanmtTranslator.create({ modelUrl: "model" });
  worker(0).onerror?.({ message: "", preventDefault() {} });
  await assert.rejects(creation, { code: "crashed", message: /script could not be loaded/ });
});

test("destroy rejects what has no answer and what comes later", async () => {
  const translator = await create();
  const answer = translator.translate("你好");
  translator.destroy();
  await assert.rejects(answer, { code: "destroyed" });
  await assert.rejects(translator.translate("x"), { code: "destroyed" });
});

test("progress never falls, also when a restarted worker loads again", async () => {
  /** @type {number[]} */
  const seen = [];
  const creation = CsanmtTranslator.create({
    modelUrl: "model",
    onprogress: ({ loaded }) => seen.push(loaded),
  });
  for (const loaded of [1, 5, 9]) {
    worker(0).say({ type: "loading", loaded, total: 9 });
  }
  worker(0).say({ type: "ready" });
  const translator = await creation;
  worker(0).say({ type: "crashed", message: "unreachable" });
  worker(1).say({ type: "loading", loaded: 2, total: 9 });
  assert.deepEqual(seen, [1, 5, 9, 9]);
  translator.destroy();
});
