/** The behaviours of the browsers' built-in LanguageDetector, with the real engine in Chromium. */

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";

import { LibraryBench } from "./support/library-page.js";

/** Names that a test gives its page. @typedef {any} Any */

/** @type {LibraryBench} */
let bench;
/** @type {import("playwright-core").Page} */
let page;
before(async () => {
  bench = await LibraryBench.start();
});
after(() => bench?.stop());
beforeEach(async () => {
  page = await bench.open();
});
afterEach(() => page.context().close());

test("i7 what detect gives is ranked, canonical, and ends in und", async () => {
  const texts = ["我们今天去学校。", "這是繁體中文的句子。", "これは日本語です。", "한국어 문장입니다.", "This is an English sentence.", "", "12345", "?", "Guten Tag, wie geht es Ihnen?"];
  const answers = await page.evaluate(async (texts) => {
    const { LanguageDetector } = /** @type {Any} */ (window).csanmt;
    const detector = await LanguageDetector.create();
    return Promise.all(texts.map((text) => detector.detect(text)));
  }, texts);
  const first = answers.map(([likely]) => likely.detectedLanguage);
  assert.deepEqual(first, ["zh-Hans", "zh-Hant", "ja", "ko", "en", "und", "und", "und", "de"]);
  for (const answer of answers) {
    const confidences = answer.map((/** @type {Any} */ { confidence }) => confidence);
    const last = answer.at(-1);
    assert.equal(last.detectedLanguage, "und");
    assert.ok(last.confidence > 0);
    assert.deepEqual(confidences, confidences.toSorted((/** @type {number} */ a, /** @type {number} */ b) => b - a));
    const sum = confidences.reduce((/** @type {number} */ sum, /** @type {number} */ next) => sum + next, 0);
    assert.ok(sum <= 1 + 1e-6, `${sum}`);
    assert.ok(sum - last.confidence < 0.99, `${sum - last.confidence}`);
    const tags = answer.map((/** @type {Any} */ { detectedLanguage }) => detectedLanguage);
    assert.deepEqual(tags, Intl.getCanonicalLocales(tags));
    assert.equal(new Set(tags).size, tags.length);
  }
});

test("i7 expected languages are canonical and each there once; malformed ones are refused", async () => {
  const seen = await page.evaluate(async () => {
    const { csanmt, failure } = /** @type {Any} */ (window);
    const { LanguageDetector } = csanmt;
    const expected = async (/** @type {Any} */ options) => (await LanguageDetector.create(options)).expectedInputLanguages;
    return {
      lists: [
        await expected({}),
        await expected({ expectedInputLanguages: [] }),
        await expected({ expectedInputLanguages: ["ZH-hans", "en", "EN"] }),
        await expected(undefined),
      ],
      errors: [
        (await failure(LanguageDetector.create({ expectedInputLanguages: ["en-Lat"] }))).name,
        (await failure(LanguageDetector.availability({ expectedInputLanguages: ["11"] }))).name,
        (await failure(LanguageDetector.create({ expectedInputLanguages: ["tlh"] }))).name,
        (await failure(LanguageDetector.create({ expectedInputLanguages: 5 }))).name,
      ],
      availability: [
        await LanguageDetector.availability(),
        await LanguageDetector.availability({ expectedInputLanguages: ["zh-TW", "en-AU"] }),
        await LanguageDetector.availability({ expectedInputLanguages: ["tlh"] }),
      ],
    };
  });
  assert.deepEqual(seen.lists, [null, null, ["zh-Hans", "en"], null]);
  assert.deepEqual(seen.errors, ["RangeError", "RangeError", "NotSupportedError", "TypeError"]);
  assert.deepEqual(seen.availability, ["available", "available", "unavailable"]);
});

test("i7 monitor, signals, quota and destruction are those of the translator", async () => {
  const seen = await page.evaluate(async () => {
    const { csanmt, failure } = /** @type {Any} */ (window);
    const { LanguageDetector } = csanmt;
    /** @type {number[]} */
    const loaded = [];
    const monitor = (/** @type {EventTarget} */ monitor) =>
      monitor.addEventListener("downloadprogress", (event) => loaded.push(/** @type {ProgressEvent} */ (event).loaded));
    const controller = new AbortController();
    const detector = await LanguageDetector.create({ monitor, signal: controller.signal, inputQuota: 2 });
    const error = new Error("mine");
    const throws = LanguageDetector.create({ monitor: () => { throw error; } });
    const reason = { mine: true };
    const names = [
      await throws.catch((/** @type {unknown} */ caught) => caught === error),
      (await failure(detector.detect("三个字"))).name,
      (await failure(detector.detect("好", { signal: AbortSignal.abort() }))).name,
      await detector.measureInputUsage("好"),
      (await failure(detector.detect())).name,
    ];
    const pending = detector.detect("好").catch((/** @type {unknown} */ caught) => caught === reason);
    controller.abort(reason);
    names.push(await pending, await detector.detect("好").catch((/** @type {unknown} */ caught) => caught === reason));
    const other = await LanguageDetector.create();
    other.destroy();
    names.push((await failure(other.detect("好"))).name);
    return { loaded, names };
  });
  assert.equal(seen.loaded[0], 0);
  assert.equal(seen.loaded.at(-1), 1);
  assert.deepEqual(seen.names, [true, "QuotaExceededError", "AbortError", 1, "TypeError", true, true, "AbortError"]);
});

test("i7 the detector needs no model", async () => {
  const before = bench.site.requests.filter(({ path }) => path.endsWith(".safetensors")).length;
  const found = await page.evaluate(async () => {
    const { detectLanguages } = /** @type {Any} */ (window).csanmt;
    return (await detectLanguages("你好"))[0].detectedLanguage;
  });
  assert.equal(found, "zh-Hans");
  assert.equal(bench.site.requests.filter(({ path }) => path.endsWith(".safetensors")).length, before);
});
