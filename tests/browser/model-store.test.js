/** The model kept on the device: what is stored, verified, resumed, replaced and removed. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, afterEach, before, beforeEach, test } from "node:test";

import { LibraryBench, prepare } from "./support/library-page.js";
import { MODEL, MODEL_FILE, rangeOf, sendFile } from "./support/library-site.js";

/** Names that a test gives its page. @typedef {any} Any */

const CONTENT = readFileSync(MODEL_FILE);
const SHA256 = createHash("sha256").update(CONTENT).digest("hex");
const PART_BYTES = 4 << 20;

/** @type {LibraryBench} */
let bench;
/** @type {import("playwright-core").Page} */
let page;
before(async () => {
  bench = await LibraryBench.start();
});
after(() => bench?.stop());
beforeEach(async () => {
  bench.site.requests = [];
  bench.site.intercept = undefined;
  page = await bench.open();
});
afterEach(() => page.context().close());

/** Requests for the model's bytes. */
const downloads = () => bench.site.requests.filter(({ path, method }) => path === MODEL && method === "GET");

/** Creates a translator in the page, translates and destroys it. @param {Any} [options] */
const use = (options = {}) =>
  page.evaluate(async (options) => {
    const { create } = /** @type {Any} */ (window);
    /** @type {string[]} */
    const notices = [];
    /** @type {{ loaded: number, total: number }[]} */
    const progress = [];
    const translator = await create({
      ...options,
      onnotice: (/** @type {Any} */ { code }) => notices.push(code),
      onprogress: (/** @type {Any} */ report) => progress.push(report),
    });
    const text = await translator.translate("你好。");
    translator.destroy();
    return { text, notices, progress };
  }, options);

const stored = () => page.evaluate(() => /** @type {Any} */ (window).csanmt.storedModels());

test("h3 the model is stored once, verified, and used from there", async () => {
  const first = await use({ modelSha256: SHA256 });
  assert.match(first.text, /[A-Za-z]/);
  assert.deepEqual(await stored(), [{ url: bench.site.url + MODEL, bytes: CONTENT.length, sha256: SHA256 }]);
  const second = await use({ modelSha256: SHA256 });
  assert.equal(second.text, first.text);
  assert.equal(downloads().length, 1);
  assert.deepEqual([first.notices, second.notices], [[], []]);
});

test("h3 without a hash the server is asked whether the model is still the same", async () => {
  await use();
  await use();
  assert.equal(downloads().length, 1);
  assert.equal(bench.site.requests.filter(({ path, method }) => path === MODEL && method === "HEAD").length > 0, true);
  bench.site.intercept = (request, response, path) => {
    if (path !== MODEL) {
      return false;
    }
    response.setHeader("ETag", '"another"');
    sendFile(request, response, CONTENT);
    return true;
  };
  await use();
  assert.equal(downloads().length, 2);
  assert.equal((await stored()).length, 1);
});

test("h3 a damaged or missing part is noticed, and the model fetched again", async () => {
  await use({ modelSha256: SHA256 });
  for (const [round, damage] of ["flip", "delete"].entries()) {
    await page.evaluate(async ({ id, damage }) => {
      const cache = await caches.open("csanmt-models");
      const key = `/csanmt-models?${encodeURIComponent(`${id}/2`)}`;
      const response = await cache.match(key);
      const bytes = new Uint8Array((await response?.arrayBuffer()) ?? new ArrayBuffer(2000));
      bytes[1000] = (bytes[1000] ?? 0) ^ 1;
      await (damage === "flip" ? cache.put(key, new Response(bytes)) : cache.delete(key));
    }, { id: SHA256, damage });
    const { text, notices } = await use({ modelSha256: SHA256 });
    assert.match(text, /[A-Za-z]/);
    assert.deepEqual(notices, ["store-damaged"]);
    assert.equal(downloads().length, 2 + round);
  }
  await use({ modelSha256: SHA256 });
  assert.equal(downloads().length, 3);
});

test("h3 a model with another hash is refused and not stored", async () => {
  const outcome = await page.evaluate((sha) => {
    const { create, failure } = /** @type {Any} */ (window);
    return failure(create({ modelSha256: sha }));
  }, "0".repeat(64));
  assert.equal(outcome.code, "download");
  assert.match(outcome.message, /SHA-256/);
  assert.deepEqual(await stored(), []);
});

test("h4 without a Cache API it works from memory, with a notice", async () => {
  await page.evaluate(() => Object.defineProperty(globalThis, "caches", { value: undefined }));
  const { text, notices } = await use();
  assert.match(text, /[A-Za-z]/);
  assert.deepEqual(notices, ["no-store"]);
});

test("h4 when there is no room it works from memory, with a notice, and nothing half is left", async () => {
  await page.evaluate(() => {
    const put = Cache.prototype.put;
    let count = 0;
    Cache.prototype.put = function (...args) {
      count += 1;
      return count > 3 ? Promise.reject(new DOMException("full", "QuotaExceededError")) : put.apply(this, args);
    };
  });
  const { text, notices } = await use({ modelSha256: SHA256 });
  assert.match(text, /[A-Za-z]/);
  assert.deepEqual(notices, ["store-full"]);
  assert.deepEqual(await stored(), []);
  assert.equal(await page.evaluate(async () => (await (await caches.open("csanmt-models")).keys()).length), 0);
});

test("h6 a broken connection is taken up where it broke off, and progress only rises", async () => {
  let broken = 0;
  bench.site.intercept = (request, response, path) => {
    if (path !== MODEL || broken === 2) {
      return false;
    }
    broken += 1;
    const { from, to } = rangeOf(request, CONTENT.length);
    response.writeHead(from > 0 ? 206 : 200, {
      "Content-Length": to - from,
      ETag: '"1"',
      ...(from > 0 && { "Content-Range": `bytes ${from}-${to - 1}/${CONTENT.length}` }),
    });
    const end = Math.min(to, from + 3_000_000);
    response.write(CONTENT.subarray(from, end), () => setTimeout(() => response.destroy(), 50));
    return true;
  };
  const { text, progress } = await use({ modelSha256: SHA256 });
  assert.match(text, /[A-Za-z]/);
  const [, second, third] = downloads().map(({ range }) => range);
  assert.match(second ?? "", /^bytes=[1-9]\d*-/);
  assert.match(third ?? "", /^bytes=[1-9]\d*-/);
  const loaded = progress.map((/** @type {Any} */ report) => report.loaded);
  assert.deepEqual(loaded, loaded.toSorted((/** @type {number} */ a, /** @type {number} */ b) => a - b));
  assert.equal(loaded.at(-1), CONTENT.length);
});

test("h6 after a reload the download goes on with what was stored", async () => {
  let sent = 0;
  bench.site.intercept = (_, response, path) => {
    if (path !== MODEL || sent > 0) {
      return false;
    }
    sent = 11_000_000;
    response.writeHead(200, { "Content-Length": CONTENT.length, ETag: `"${CONTENT.length}"` });
    response.write(CONTENT.subarray(0, sent));
    return true;
  };
  await page.evaluate(async () => {
    const { create } = /** @type {Any} */ (window);
    await new Promise((resolve) => {
      create({ onprogress: (/** @type {Any} */ { loaded }) => loaded >= 11_000_000 && resolve(undefined) }).catch(() => {});
    });
    // The second part is written while the third arrives.
    await new Promise((resolve) => setTimeout(resolve, 300));
  });
  await page.reload();
  bench.site.disconnect();
  await prepare(page);
  const { text } = await use();
  assert.match(text, /[A-Za-z]/);
  assert.equal(downloads().at(-1)?.range, `bytes=${2 * PART_BYTES}-`);
});

test("h7 another version takes the place of the old one when it is verified, not before", async () => {
  await use({ modelSha256: SHA256 });
  const changed = Buffer.from(CONTENT);
  // A weight of the model: the file is as valid as before.
  changed.writeUInt8(changed.readUInt8(CONTENT.length - 1) ^ 1, CONTENT.length - 1);
  const sha = createHash("sha256").update(changed).digest("hex");
  const refused = await page.evaluate((sha) => {
    const { create, failure } = /** @type {Any} */ (window);
    return failure(create({ modelSha256: sha }));
  }, sha);
  assert.equal(refused.code, "download");
  assert.deepEqual((await stored()).map((/** @type {Any} */ { sha256 }) => sha256), [SHA256]);
  bench.site.intercept = (request, response, path) => {
    if (path !== MODEL) {
      return false;
    }
    sendFile(request, response, changed);
    return true;
  };
  await use({ modelSha256: sha });
  assert.deepEqual((await stored()).map((/** @type {Any} */ { sha256 }) => sha256), [sha]);
});

test("h7 stored models can be removed", async () => {
  await use();
  await page.evaluate(() => /** @type {Any} */ (window).csanmt.removeStoredModels());
  assert.deepEqual(await stored(), []);
  assert.equal(await page.evaluate(async () => (await (await caches.open("csanmt-models")).keys()).length), 0);
});

test("h8 the model may be bytes, a file, or come from a store of one's own", async () => {
  const { texts, keys, again } = await page.evaluate(async (address) => {
    const { create } = /** @type {Any} */ (window);
    const response = await fetch(address);
    const bytes = await response.arrayBuffer();
    const translate = async (/** @type {Any} */ options) => {
      const translator = await create({ modelUrl: undefined, ...options });
      const text = await translator.translate("我们今天去学校。");
      translator.destroy();
      return text;
    };
    /** @type {Map<string, Uint8Array>} */
    const map = new Map();
    const store = {
      get: async (/** @type {string} */ key) => map.get(key)?.slice(),
      put: async (/** @type {string} */ key, /** @type {Uint8Array} */ value) => void map.set(key, value.slice()),
      delete: async (/** @type {string} */ key) => void map.delete(key),
      keys: async () => [...map.keys()],
    };
    const texts = [
      await translate({ model: bytes }),
      await translate({ model: new Uint8Array(bytes) }),
      await translate({ model: new File([bytes], "model.safetensors") }),
      await translate({ modelUrl: address, store }),
    ];
    const keys = map.size;
    /** @type {string[]} */
    const asked = [];
    const fetching = (/** @type {string} */ url, /** @type {Any} */ init) => {
      asked.push(`${init?.method ?? "GET"} ${new URL(url).pathname}`);
      return fetch(url, init);
    };
    texts.push(await translate({ modelUrl: address, store, fetch: fetching }));
    return { texts, keys, again: asked };
  }, MODEL);
  assert.equal(new Set(texts).size, 1);
  assert.match(texts[0], /[A-Za-z]/);
  assert.equal(keys, Math.ceil(CONTENT.length / PART_BYTES) + 1);
  assert.ok(again.some((path) => path.endsWith(".wasm")), "the given fetch was not used");
  assert.ok(!again.includes(`GET ${MODEL}`), "the store was not used");
});
