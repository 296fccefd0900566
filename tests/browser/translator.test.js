/** The pool of workers, with workers that do what the test says. */

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { removeStoredModels, Translator } from "../../www/lib/index.js";
import { hasRelaxedSimd } from "../../www/lib/simd.js";

/** Workers that have been started, oldest first. @type {FakeWorker[]} */
let workers;

/** Loads as a worker does by itself; what it translates says the test. */
class FakeWorker {
  /** @type {any[]} */
  received = [];
  terminated = false;
  /** Whether it answers while it is loaded. */
  static loads = true;
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
  postMessage({ module, ...message }) {
    this.received.push({ ...structuredClone(message), ...(module && { module: true }) });
    const values = /** @type {Record<string, any>} */ ({
      open: { build: message.build, isRight: true },
      allocate: undefined,
      write: undefined,
      seal: { sha256: "", memoryBytes: 1000 },
      piece: { piece: new Uint8Array(4), bytes: 4 },
    });
    if (FakeWorker.loads && message.type in values) {
      queueMicrotask(() => this.say({ type: "answer", id: message.id, value: values[message.type] }));
    }
  }

  terminate() {
    this.terminated = true;
  }

  /** @param {any} data */
  say(data) {
    if (!this.terminated) {
      this.onmessage?.({ data });
    }
  }

  /** What it has been asked to translate. */
  requests() {
    return this.received.filter(({ type }) => type === "translate");
  }

  /** Answers a request with one sentence. @param {any} request @param {string} text @param {number} [total] */
  finish({ id }, text, total = 1) {
    const sentence = { source: [0, 2], target: [0, text.length], truncated: false, confidence: 1 };
    const value = { start: 0, source: "你好", text, sentences: [sentence] };
    this.say({ type: "done", id, value, total, memoryBytes: 65536 });
  }
}

const MODULE = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
/** @type {string[]} */
let asked;
const global = /** @type {any} */ (globalThis);

beforeEach(() => {
  workers = [];
  asked = [];
  FakeWorker.loads = true;
  global.Worker = FakeWorker;
  global.location = { href: "https://example.org/page/", protocol: "https:" };
});
afterEach(() => {
  delete global.Worker;
  delete global.location;
});

/** @param {string} url */
const fetch = async (url) => {
  asked.push(url);
  return new Response(url.endsWith(".wasm") ? MODULE : new Uint8Array(4), { headers: { "Content-Length": "4" } });
};

/** @param {number} index */
const worker = (index) => {
  const found = workers[index];
  assert.ok(found, `no worker ${index}`);
  return found;
};

const LANGUAGES = { sourceLanguage: "zh", targetLanguage: "en" };
/** @param {object} [options] */
const create = (options) =>
  Translator.create({ ...LANGUAGES, modelUrl: "model", fetch: /** @type {any} */ (fetch), workers: 1, ...options });

/** Lets what hangs on settled promises run. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

test("i3 addresses are the page's, not the worker's", async () => {
  const translator = await create({ modelUrl: "m/model", wasmUrl: "/e.wasm", relaxedWasmUrl: "/r.wasm", workerUrl: "w.js" });
  assert.deepEqual(asked, [
    hasRelaxedSimd() ? "https://example.org/r.wasm" : "https://example.org/e.wasm",
    "https://example.org/page/m/model",
  ]);
  assert.equal(worker(0).url, "https://example.org/page/w.js");
  translator.destroy();
  assert.equal(worker(0).terminated, true);
});

test("i3 without addresses the parts lie beside the library", async () => {
  const translator = await create();
  assert.match(worker(0).url, /\/www\/lib\/worker\.js$/);
  assert.match(asked[0] ?? "", /\/www\/lib\/csanmt_wasm(_relaxed)?_bg\.wasm$/);
  translator.destroy();
});

test("a model that cannot be had rejects with its code and ends the worker", async () => {
  const creation = create({
    fetch: async (/** @type {string} */ url) => (url.endsWith(".wasm") ? fetch(url) : new Response("", { status: 404 })),
  });
  await assert.rejects(creation, { name: "CsanmtError", code: "download", message: /404/ });
  assert.equal(worker(0).terminated, true);
  await assert.rejects(create({ modelUrl: undefined }), { code: "options", message: /no model/ });
});

test("f4 a signal gives up loading at once", async () => {
  FakeWorker.loads = false;
  const controller = new AbortController();
  const creation = create({ signal: controller.signal });
  await settle();
  controller.abort();
  await assert.rejects(creation, { name: "AbortError" });
  assert.equal(worker(0).terminated, true);
});

test("steps add up, and the answer is the whole translation", async () => {
  const translator = await create();
  /** @type {any[]} */
  const seen = [];
  const answer = translator.translateDetailed("你好", { beam: 2, onprogress: (progress) => seen.push(progress) });
  const [{ id, options, text }] = worker(0).requests();
  assert.deepEqual([options, text], [{ beam: 2 }, "你好"]);
  worker(0).say({ type: "step", id, added: "A. ", sentencesDone: 1, sentences: 2, total: 0 });
  worker(0).say({ type: "step", id, added: "B.", sentencesDone: 2, sentences: 2, total: 0 });
  worker(0).finish({ id }, "Hello.");
  assert.equal((await answer).text, "Hello.");
  assert.deepEqual(seen.map(({ text }) => text), ["A. ", "A. B."]);
  assert.equal(translator.memoryBytes, 65536);
  translator.destroy();
});

test("f4 an aborted request is rejected at once, and its answer ignored", async () => {
  const translator = await create();
  const controller = new AbortController();
  const answer = translator.translate("你好", { signal: controller.signal });
  const [{ id }] = worker(0).requests();
  controller.abort();
  await assert.rejects(answer, { name: "AbortError" });
  assert.deepEqual(worker(0).received.find(({ type }) => type === "abort"), { type: "abort", id });
  worker(0).finish({ id }, "Hello.");
  await assert.rejects(translator.translate("x", { signal: controller.signal }), { name: "AbortError" });
  assert.equal(worker(0).requests().length, 1);
  translator.destroy();
});

test("f5 after a crash a new worker takes over, and what was under way is tried once more", async () => {
  const translator = await create();
  const bad = translator.translate("你好");
  const good = translator.translate("再见");
  worker(0).say({ type: "crashed", message: "unreachable" });
  assert.equal(worker(0).terminated, true);
  await settle();
  assert.deepEqual(worker(1).requests().map(({ text }) => text), ["你好", "再见"]);
  worker(1).onerror?.({ message: "out of memory", preventDefault() {} });
  await assert.rejects(bad, { code: "crashed", message: /out of memory/ });
  await settle();
  const [again] = worker(2).requests();
  assert.equal(again.text, "再见");
  worker(2).finish(again, "Bye.");
  assert.equal(await good, "Bye.");
  assert.equal(workers.length, 3);
  translator.destroy();
});

test("a worker that never starts rejects the creation", async () => {
  FakeWorker.loads = false;
  const creation = create();
  await settle();
  worker(0).onerror?.({ message: "", preventDefault() {} });
  await assert.rejects(creation, { code: "crashed", message: /script could not be loaded/ });
});

test("f4 destroy rejects what has no answer and what comes later, and ends the worker", async () => {
  const translator = await create();
  const answer = translator.translate("你好");
  translator.destroy();
  await assert.rejects(answer, { name: "AbortError" });
  await assert.rejects(translator.translate("x"), { name: "AbortError" });
  assert.equal(worker(0).terminated, true);
});

test("i6 translators with equal settings share workers and model until the last one ends", async () => {
  const [one, two] = await Promise.all([create(), create()]);
  const other = await create({ modelUrl: "other" });
  assert.equal(workers.length, 2);
  assert.equal(asked.filter((url) => url.endsWith("/model")).length, 1);
  one.destroy();
  one.destroy();
  assert.equal(worker(0).terminated, false);
  const answer = two.translate("你好");
  worker(0).finish(worker(0).requests()[0], "Hello.");
  assert.equal(await answer, "Hello.");
  two.destroy();
  assert.equal(worker(0).terminated, true);
  assert.equal(worker(1).terminated, false);
  other.destroy();
});

test("f6 an idle model is unloaded when it can be had again, and the next call loads it", async () => {
  const model = new Uint8Array(4);
  const translator = await create({ model, idleMs: 30 });
  const answer = translator.translate("你好");
  await new Promise((resolve) => setTimeout(resolve, 80));
  assert.equal(worker(0).terminated, false, "it was unloaded while it worked");
  worker(0).finish(worker(0).requests()[0], "Hello.");
  await answer;
  await new Promise((resolve) => setTimeout(resolve, 80));
  assert.equal(worker(0).terminated, true);
  const next = translator.translate("再见");
  await settle();
  worker(1).finish(worker(1).requests()[0], "Bye.");
  assert.equal(await next, "Bye.");
  translator.destroy();
  // Without a store it would have to be downloaded again.
  const remote = await create({ idleMs: 10 });
  await new Promise((resolve) => setTimeout(resolve, 60));
  assert.equal(worker(2).terminated, false);
  remote.destroy();
});

test("a long text goes to several workers in pieces, and comes together in its order", async () => {
  const translator = await create({ workers: 2 });
  const text = Array.from({ length: 30 }, (_, line) => `第${line}行。`).join("\n");
  /** @type {string[]} */
  const seen = [];
  const answer = translator.translateDetailed(text, { onprogress: ({ text }) => seen.push(text) });
  const lines = text.split("\n");
  /** @param {number} index @param {any} request */
  const finish = (index, { id, from, to }) => {
    const part = lines.slice(from, to).map((line) => `${line}\n`);
    const start = lines.slice(0, from).join("").length + from;
    const source = part.join("").slice(0, to === 30 ? -1 : undefined);
    const translated = source.replaceAll(/第(\d+)行。/g, "Line $1.");
    /** @type {any[]} */
    const sentences = [];
    let at = 0;
    for (const line of translated.split("\n").filter((line) => line !== "")) {
      sentences.push({ source: [0, 1], target: [at, at + line.length], truncated: false, confidence: 1 });
      at += line.length + 1;
    }
    worker(index).say({ type: "done", id, value: { start, source, text: translated, sentences }, total: 30, memoryBytes: 1 });
  };
  finish(0, worker(0).requests()[0]);
  await settle();
  const pieces = () => workers.flatMap((worker, index) => worker.requests().slice(index === 0 ? 1 : 0).map((request) => ({ index, request })));
  const done = new Set();
  // The other worker is the faster one.
  for (let round = 0; round < 10; round += 1) {
    for (const { index, request } of pieces().reverse()) {
      if (!done.has(request.id)) {
        done.add(request.id);
        finish(index, request);
        await settle();
      }
    }
  }
  const { text: translated, sentences } = await answer;
  assert.equal(translated, lines.map((_, line) => `Line ${line}.`).join("\n"));
  assert.equal(sentences.length, 30);
  assert.deepEqual(sentences.map(({ target }) => translated.slice(...target)), translated.split("\n"));
  assert.ok(seen.every((text) => translated.startsWith(text)));
  assert.ok(workers.length === 2 && worker(1).requests().length > 0);
  assert.equal(workers.flatMap((worker) => worker.requests()).filter(({ text }) => text !== undefined).length, 2);
  assert.equal(worker(0).received.at(-1).type, "forget");
  translator.destroy();
});

test("progress never falls, also when a restarted worker loads again", async () => {
  /** @type {number[]} */
  const seen = [];
  const translator = await create({ onprogress: (/** @type {any} */ { loaded }) => seen.push(loaded) });
  worker(0).say({ type: "crashed", message: "unreachable" });
  await settle();
  assert.deepEqual(seen, [4]);
  translator.destroy();
});

test("i5 what needs no store works without one", async () => {
  await removeStoredModels();
});
