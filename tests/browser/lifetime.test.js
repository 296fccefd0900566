/** Memory and lifetime of the engine in Chromium. */

import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { after, afterEach, before, beforeEach, test } from "node:test";

import { LibraryBench } from "./support/library-page.js";
import { MODEL_FILE } from "./support/library-site.js";
import { SITE } from "./support/server.js";
import { SENTENCES, longText } from "./support/texts.js";
import { timedTest } from "./support/timed-test.js";

/** Names that a test gives its page. @typedef {any} Any */

/** Short translations; the demand is ten thousand, which `npm run soak` does. */
const COUNT = Number(process.env.CSANMT_SOAK ?? 1500);
const MEMORY_LIMIT = 1.3 * statSync(MODEL_FILE).size + 32e6;

/** @type {LibraryBench} */
let bench;
/** @type {import("playwright-core").Page} */
let page;
before(async () => {
  bench = await LibraryBench.start();
});
after(() => bench?.stop());
beforeEach(async () => {
  bench.site.intercept = undefined;
  page = await bench.open();
});
afterEach(() => page.context().close());

test(`f1 f3 memory is flat over ${COUNT} short translations, and not far above the model`, async (context) => {
  const { bytes, loaded } = await page.evaluate(async ({ sentences, count }) => {
    const { create } = /** @type {Any} */ (window);
    const translator = await create({ workers: 1 });
    const loaded = translator.memoryBytes;
    // The engine keeps the room of the largest batch so far.
    const longest = [...sentences].sort((a, b) => b.length - a.length).slice(0, 24);
    await translator.translate(longest.join("\n"));
    const short = sentences.filter(({ length }) => length <= 16);
    // Parts of the dictionary are unpacked when a word first asks for them.
    for (const sentence of short) {
      await translator.translate(sentence);
    }
    const bytes = [translator.memoryBytes];
    for (let index = 0; index < count; index += 1) {
      await translator.translate(short[index % short.length]);
      if (index % 100 === 99) {
        bytes.push(translator.memoryBytes);
      }
    }
    return { bytes, loaded };
  }, { sentences: SENTENCES, count: COUNT });
  context.diagnostic(`${loaded} bytes with the model loaded, ${bytes.at(-1)} at the end, limit ${MEMORY_LIMIT}`);
  assert.deepEqual([...new Set(bytes)].length, 1, `memory after each 100: ${bytes}`);
  assert.ok(Math.max(loaded, ...bytes) <= MEMORY_LIMIT);
});

test("f2 fifty translators made and destroyed leave nothing behind", async () => {
  const translated = await page.evaluate(async () => {
    const { create } = /** @type {Any} */ (window);
    let translated = 0;
    for (let round = 0; round < 50; round += 1) {
      const translator = await create({ workers: 1 });
      translated += (await translator.translate("你好。")) === "" ? 0 : 1;
      translator.destroy();
    }
    return translated;
  });
  assert.equal(translated, 50);
  for (let wait = 0; wait < 50 && page.workers().length > 0; wait += 1) {
    await page.waitForTimeout(100);
  }
  assert.equal(page.workers().length, 0);
});

timedTest("f4 an aborted job frees its worker within 100 ms, and destruction ends it within 100 ms", async (context) => {
  const { freed, destroyed } = await page.evaluate(async (text) => {
    const { create } = /** @type {Any} */ (window);
    const translator = await create({ workers: 1 });
    await translator.translate(text.slice(0, 300));
    /** @type {number[]} */
    const waits = [];
    for (let round = 0; round < 8; round += 1) {
      const alone = performance.now();
      await translator.translate("好");
      const own = performance.now() - alone;
      const controller = new AbortController();
      translator.translate(text, { signal: controller.signal }).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 100 + 7 * round));
      const begin = performance.now();
      controller.abort();
      await translator.translate("好");
      waits.push(performance.now() - begin - own);
    }
    const pending = translator.translate(text).catch((/** @type {unknown} */ error) => error);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const begin = performance.now();
    translator.destroy();
    await pending;
    return { freed: Math.max(...waits), destroyed: performance.now() - begin };
  }, longText(300));
  context.diagnostic(`freed after ${freed.toFixed()} ms at most, destroyed after ${destroyed.toFixed()} ms`);
  assert.ok(freed < 100, `${freed} ms`);
  assert.ok(destroyed < 100, `${destroyed} ms`);
});

/**
 * Makes the first workers trap in WebAssembly when they translate.
 *
 * @param {number} times
 */
function trap(times) {
  // `(func (export "f") unreachable)`
  const module = "0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,5,1,3,0,0,11";
  bench.site.intercept = (_, response, path) => {
    if (path !== "/lib/csanmt_wasm.js" || times === 0) {
      return false;
    }
    times -= 1;
    bench.site.intercept = times > 0 ? bench.site.intercept : undefined;
    const script = readFileSync(`${SITE}/lib/csanmt_wasm.js`, "utf8");
    const hook = `
      const { step } = wasm_bindgen.Job.prototype;
      let calls = 0;
      wasm_bindgen.Job.prototype.step = function () {
        if (++calls === 3) {
          new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([${module}]))).exports.f();
        }
        return step.call(this);
      };
      return wasm_bindgen;`;
    assert.ok(script.includes("\nreturn wasm_bindgen;"));
    response.writeHead(200, { "Content-Type": "text/javascript", "Cache-Control": "no-store" });
    response.end(script.replace("\nreturn wasm_bindgen;", hook));
    return true;
  };
}

test("f5 after a trap in WebAssembly the engine is made anew, and the text translated as if nothing had been", async () => {
  const text = longText(30);
  const expected = await page.evaluate(async (text) => (await /** @type {Any} */ (window).create({ workers: 1 })).translate(text), text);
  trap(1);
  const other = await bench.open();
  const outcome = await other.evaluate(async (text) => {
    const { create } = /** @type {Any} */ (window);
    const translator = await create({ workers: 1 });
    /** @type {string[]} */
    const progress = [];
    const translated = await translator.translate(text, { onprogress: (/** @type {Any} */ { text }) => progress.push(text) });
    return { translated, progress };
  }, text);
  assert.equal(outcome.translated, expected);
  assert.ok(outcome.progress.every((/** @type {string} */ text) => expected.startsWith(text)));
  await other.context().close();
});

test("f5 when it traps again, that is a clear error, and the next text is translated", async () => {
  trap(2);
  const outcome = await page.evaluate(async (text) => {
    const { create, failure } = /** @type {Any} */ (window);
    const translator = await create({ workers: 1 });
    const outcome = await failure(translator.translate(text));
    return { ...outcome, next: await translator.translate("你好。") };
  }, longText(30));
  assert.equal(outcome.code, "crashed");
  assert.match(outcome.message, /stopped working: unreachable/);
  assert.match(outcome.next, /[A-Za-z]/);
});

test("f5 the same on the thread of the page", async () => {
  const outcome = await page.evaluate(async (text) => {
    const { create, failure } = /** @type {Any} */ (window);
    const translator = await create({ inline: true });
    const before = await translator.translate("你好。");
    const validate = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 5, 1, 3, 0, 0, 11]);
    const { f } = /** @type {Any} */ (new WebAssembly.Instance(new WebAssembly.Module(validate)).exports);
    // The clock is the one thing that the engine asks of the page while it works.
    const { now } = Date;
    let traps = 2;
    Date.now = () => {
      if (traps > 0) {
        traps -= 1;
        f();
      }
      return now.call(Date);
    };
    const crashed = await failure(translator.translate(text));
    return { code: crashed.code, before, after: await translator.translate("你好。") };
  }, longText(30));
  assert.equal(outcome.code, "crashed");
  assert.equal(outcome.after, outcome.before);
});

test("f6 an idle engine is unloaded, and the next call loads it from the store", async () => {
  const before = bench.site.count("/models/zh-en-tiny.safetensors");
  const translated = await page.evaluate(async () => {
    const { create } = /** @type {Any} */ (window);
    const translator = /** @type {Any} */ (window).translator = await create({ idleMs: 200 });
    return translator.translate("你好。");
  });
  for (let wait = 0; wait < 50 && page.workers().length > 0; wait += 1) {
    await page.waitForTimeout(100);
  }
  assert.equal(page.workers().length, 0);
  const again = await page.evaluate(() => /** @type {Any} */ (window).translator.translate("你好。"));
  assert.equal(again, translated);
  assert.equal(bench.site.count("/models/zh-en-tiny.safetensors"), before + 1);
});
