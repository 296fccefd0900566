/** The behaviours of the browsers' built-in Translator, with the real engine in Chromium. */

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";

import { LibraryBench } from "./support/library-page.js";
import { PARAGRAPH, longText } from "./support/texts.js";

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

const MALFORMED = ["", "e", "Latn", "enLatnGBfonipa", "11", "en_Latn", "en-Lat", "en-A999", "en-latn-latn", "en-GB-GB", "x"];

test("i7 types are checked before tags, and for availability as for creation", async () => {
  const outcomes = await page.evaluate(async (malformed) => {
    const { csanmt, failure } = /** @type {Any} */ (window);
    const { Translator } = csanmt;
    const wrong = [
      [],
      [undefined],
      [null],
      ["zh"],
      [{}],
      [{ sourceLanguage: "zh" }],
      [{ targetLanguage: "en" }],
      [{ sourceLanguage: "not a tag" }],
    ];
    const types = [];
    for (const method of ["create", "availability"]) {
      for (const options of wrong) {
        types.push((await failure(Translator[method](...options))).name);
      }
    }
    for (const options of [{ signal: 1 }, { monitor: 1 }]) {
      const given = { sourceLanguage: "zh", targetLanguage: "en", ...options };
      types.push((await failure(Translator.create(given))).name);
    }
    const tags = [];
    for (const tag of malformed) {
      for (const pair of [{ sourceLanguage: tag, targetLanguage: "en" }, { sourceLanguage: "zh", targetLanguage: tag }]) {
        tags.push((await failure(Translator.create(pair))).name, (await failure(Translator.availability(pair))).name);
      }
    }
    return { types, tags };
  }, MALFORMED);
  assert.deepEqual([...new Set(outcomes.types)], ["TypeError"]);
  assert.equal(outcomes.types.length, 18);
  assert.deepEqual([...new Set(outcomes.tags)], ["RangeError"]);
});

test("i7 a monitor that throws rejects with its own error, before languages and signal are looked at", async () => {
  const same = await page.evaluate(async () => {
    const { Translator } = /** @type {Any} */ (window).csanmt;
    const error = new Error("mine");
    const monitor = () => {
      throw error;
    };
    const results = [];
    for (const more of [{}, { signal: AbortSignal.abort() }]) {
      const options = { sourceLanguage: "und", targetLanguage: "und", monitor, ...more };
      results.push(await Translator.create(options).then(() => false, (/** @type {unknown} */ caught) => caught === error));
      options.sourceLanguage = "fr";
      results.push(await Translator.create(options).then(() => false, (/** @type {unknown} */ caught) => caught === error));
    }
    return results;
  });
  assert.deepEqual(same, [true, true, true, true]);
});

test("i7 Chinese in any tag to English in any tag; nothing else", async () => {
  const answers = await page.evaluate(async () => {
    const { Translator } = /** @type {Any} */ (window).csanmt;
    /** @type {Record<string, string>} */
    const answers = {};
    for (const pair of [
      "zh en", "ZH EN", "zh-CN en-GB", "zh-Hans en-US", "zh-Hant en", "zh-TW en", "zh-HK en", "zh-Hans-SG en-Latn", "cmn en",
      "zh fr", "ja en", "yue en", "zh-Latn en", "en zh", "zh en-Brai", "zh-Hant zh-Hans",
      "en en", "en-GB en-US", "zh zh-CN", "fr fr-CA",
    ]) {
      const [sourceLanguage, targetLanguage] = pair.split(" ");
      answers[pair] = await Translator.availability({ sourceLanguage, targetLanguage });
    }
    return answers;
  });
  const of = (/** @type {string} */ answer) => Object.keys(answers).filter((pair) => answers[pair] === answer);
  assert.deepEqual(of("downloadable").length, 9);
  assert.deepEqual(of("unavailable"), ["zh fr", "ja en", "yue en", "zh-Latn en", "en zh", "zh en-Brai", "zh-Hant zh-Hans"]);
  assert.deepEqual(of("available"), ["en en", "en-GB en-US", "zh zh-CN", "fr fr-CA"]);
});

test("i7 availability follows the loading", async () => {
  const states = await page.evaluate(async () => {
    const { csanmt, create, languages } = /** @type {Any} */ (window);
    const state = () => csanmt.Translator.availability(languages);
    const states = [await state()];
    const creation = create();
    states.push(await state());
    const translator = await creation;
    states.push(await state());
    translator.destroy();
    states.push(await state());
    await csanmt.removeStoredModels();
    states.push(await state());
    return states;
  });
  assert.deepEqual(states, ["downloadable", "downloading", "available", "available", "downloadable"]);
});

test("i7 the monitor hears 0, then more and more in multiples of 1/65536, then 1 and nothing behind it", async () => {
  const runs = await page.evaluate(async () => {
    const { create } = /** @type {Any} */ (window);
    const runs = [];
    // From the network, from the store, and when it is loaded already.
    let last;
    for (let run = 0; run < 3; run += 1) {
      /** @type {Any[]} */
      const events = [];
      let handled = 0;
      const translator = await create({
        monitor(/** @type {Any} */ monitor) {
          monitor.ondownloadprogress = () => (handled += 1);
          monitor.addEventListener("downloadprogress", (/** @type {ProgressEvent} */ event) => {
            const { loaded, total, lengthComputable } = event;
            events.push({ loaded, total, lengthComputable, isProgress: event instanceof ProgressEvent });
          });
        },
      });
      const atEnd = events.length;
      await new Promise((resolve) => setTimeout(resolve, 100));
      runs.push({ events, handled, late: events.length - atEnd });
      last?.destroy();
      last = run === 1 ? translator : translator.destroy();
    }
    return runs;
  });
  for (const { events, handled, late } of runs) {
    assert.ok(events.length >= 2);
    assert.equal(handled, events.length);
    assert.equal(late, 0);
    assert.equal(events[0].loaded, 0);
    assert.equal(events.at(-1).loaded, 1);
    for (const [index, event] of events.entries()) {
      assert.deepEqual({ ...event, loaded: 0 }, { loaded: 0, total: 1, lengthComputable: true, isProgress: true });
      assert.ok(Number.isInteger(event.loaded * 65536), `${event.loaded}`);
      assert.ok(index === 0 || event.loaded > events[index - 1].loaded);
    }
  }
  assert.ok(runs[0].events.length > 3, "the download was not reported");
});

test("i7 an aborted creation rejects with the reason itself, and is silent from then on", async () => {
  const results = await page.evaluate(async () => {
    const { create } = /** @type {Any} */ (window);
    const results = [];
    for (const at of ["before", "0", "1"]) {
      const controller = new AbortController();
      const reason = { mine: true };
      let after = 0;
      if (at === "before") {
        controller.abort(reason);
      }
      const monitor = (/** @type {EventTarget} */ monitor) =>
        monitor.addEventListener("downloadprogress", (event) => {
          after += controller.signal.aborted ? 1 : 0;
          if (String(/** @type {ProgressEvent} */ (event).loaded) === at) {
            controller.abort(reason);
          }
        });
      const isReason = await create({ monitor, signal: controller.signal })
        .then(() => false, (/** @type {unknown} */ caught) => caught === reason);
      await new Promise((resolve) => setTimeout(resolve, 100));
      results.push({ isReason, after });
    }
    const { name } = await create({ signal: AbortSignal.abort() }).catch((/** @type {unknown} */ error) => error);
    return { results, name };
  });
  assert.deepEqual(results.results, Array(3).fill({ isReason: true, after: 0 }));
  assert.equal(results.name, "AbortError");
});

test("i7 languages are the canonical tags, the quota is unlimited, and usage is a number", async () => {
  const seen = await page.evaluate(async () => {
    const { csanmt } = /** @type {Any} */ (window);
    const translator = await csanmt.Translator.create({ sourceLanguage: "ZH-hans", targetLanguage: "EN-gb" });
    const { sourceLanguage, targetLanguage, inputQuota } = translator;
    return { sourceLanguage, targetLanguage, inputQuota, usage: await translator.measureInputUsage("𠮷好") };
  });
  assert.deepEqual(seen, { sourceLanguage: "zh-Hans", targetLanguage: "en-GB", inputQuota: Infinity, usage: 2 });
});

test("i7 text beyond a quota is refused with both numbers", async () => {
  const refused = await page.evaluate(async () => {
    const { create } = /** @type {Any} */ (window);
    const translator = await create({ inputQuota: 3 });
    const { name, requested, quota } = await translator.translate("四个汉字").catch((/** @type {unknown} */ error) => error);
    return { name, requested, quota, fits: await translator.translate("三个字") };
  });
  assert.match(refused.fits, /[A-Za-z]/);
  assert.deepEqual({ ...refused, fits: "" }, { name: "QuotaExceededError", requested: 4, quota: 3, fits: "" });
});

test("i7 translate gives a string, and the stream the same one in pieces", async () => {
  const { whole, pieces, isStream } = await page.evaluate(async (text) => {
    const { create } = /** @type {Any} */ (window);
    const translator = await create();
    const whole = await translator.translate(text);
    const stream = translator.translateStreaming(text);
    const pieces = [];
    for await (const piece of stream) {
      pieces.push(piece);
    }
    return { whole, pieces, isStream: stream instanceof ReadableStream };
  }, longText(40));
  assert.equal(isStream, true);
  assert.ok(pieces.length > 4, `${pieces.length} pieces`);
  assert.equal(pieces.join(""), whole);
  assert.equal(whole.split("\n").length, 40);
});

test("i7 blank text and control characters come back, and do not stop a sentence", async () => {
  const { wrong, sentence } = await page.evaluate(async () => {
    const { create } = /** @type {Any} */ (window);
    const translator = await create();
    const blank = ["", " ", "\n", "\r\n", "\t", "\f", " \n　\t", ...Array.from({ length: 0x1f }, (_, code) => String.fromCharCode(code))];
    const wrong = [];
    for (const text of blank) {
      let streamed = "";
      for await (const piece of translator.translateStreaming(text)) {
        streamed += piece;
      }
      if ((await translator.translate(text)) !== text || streamed !== text) {
        wrong.push(text);
      }
    }
    return { wrong, sentence: await translator.translate("我们今天\u0001去学校。") };
  });
  assert.deepEqual(wrong, []);
  assert.match(sentence, /[A-Za-z]{3}/);
});

test("i7 the same language is the text itself, and needs no model", async () => {
  const text = "Any text. 任何文字。";
  const before = bench.site.requests.filter(({ path }) => path.endsWith(".wasm")).length;
  const echoed = await page.evaluate(async (text) => {
    const { Translator } = /** @type {Any} */ (window).csanmt;
    const translator = await Translator.create({ sourceLanguage: "en", targetLanguage: "en-US" });
    const echoed = await translator.translate(text);
    translator.destroy();
    return echoed;
  }, text);
  assert.equal(echoed, text);
  assert.equal(bench.site.requests.filter(({ path }) => path.endsWith(".wasm")).length, before);
});

test("i7 other languages are refused when they are asked for", async () => {
  const { name } = await page.evaluate(() => {
    const { csanmt, failure } = /** @type {Any} */ (window);
    return failure(csanmt.Translator.create({ sourceLanguage: "fr", targetLanguage: "en" }));
  });
  assert.equal(name, "NotSupportedError");
});

test("i7 a signal that is aborted, before or in between, gives its reason; the translator works on", async () => {
  const results = await page.evaluate(async (text) => {
    const { create } = /** @type {Any} */ (window);
    const translator = await create();
    const results = [];
    const isIt = (/** @type {Promise<unknown>} */ promise, /** @type {unknown} */ reason) =>
      promise.then(() => "resolved", (caught) => (caught === reason ? "reason" : String(caught)));
    const drain = async (/** @type {ReadableStream} */ stream) => {
      for await (const _ of /** @type {Any} */ (stream)) {
        // Until it ends or fails.
      }
    };
    for (const when of ["before", "after"]) {
      for (const call of [
        (/** @type {Any} */ options) => translator.translate(text, options),
        (/** @type {Any} */ options) => drain(translator.translateStreaming(text, options)),
        // Measuring takes no time in which it could be aborted.
        ...(when === "before" ? [(/** @type {Any} */ options) => translator.measureInputUsage(text, options)] : []),
      ]) {
        const controller = new AbortController();
        const reason = { mine: when };
        if (when === "before") {
          controller.abort(reason);
        }
        const outcome = isIt(call({ signal: controller.signal }), reason);
        if (when === "after") {
          await new Promise((resolve) => setTimeout(resolve, 30));
          controller.abort(reason);
        }
        results.push(await outcome);
      }
    }
    const { name } = await translator.translate(text, { signal: AbortSignal.abort() }).catch((/** @type {unknown} */ error) => error);
    return { results, name, still: await translator.translate("你好。") };
  }, longText(200));
  assert.deepEqual(results.results, Array(5).fill("reason"));
  assert.equal(results.name, "AbortError");
  assert.match(results.still, /[A-Za-z]/);
});

test("i7 destroy rejects what is under way and what comes later, and ends open streams", async () => {
  const names = await page.evaluate(async (text) => {
    const { create } = /** @type {Any} */ (window);
    const translator = await create();
    const name = (/** @type {Promise<unknown>} */ promise) => promise.then(() => "resolved", ({ name }) => name);
    const pending = name(translator.translate(text));
    const reader = translator.translateStreaming(text).getReader();
    await reader.read();
    translator.destroy();
    const closed = name(reader.closed);
    const late = [name(translator.translate("好")), name(translator.measureInputUsage("好")), name(translator.translateStreaming("好").getReader().read())];
    translator.destroy();
    return Promise.all([pending, closed, ...late]);
  }, longText(200));
  assert.deepEqual(names, Array(5).fill("AbortError"));
});

test("i7 the signal of the creation destroys later, with its reason", async () => {
  const results = await page.evaluate(async (text) => {
    const { create } = /** @type {Any} */ (window);
    const controller = new AbortController();
    const translator = await create({ signal: controller.signal });
    const reason = new TypeError("enough");
    const isIt = (/** @type {Promise<unknown>} */ promise) => promise.then(() => false, (caught) => caught === reason);
    const pending = isIt(translator.translate(text));
    controller.abort(reason);
    return [await pending, await isIt(translator.translate("好"))];
  }, longText(200));
  assert.deepEqual(results, [true, true]);
});

test("i7 many calls at once are answered, each with its own translation", async () => {
  const { same, different, streams, expected } = await page.evaluate(async (texts) => {
    const { create } = /** @type {Any} */ (window);
    const translator = await create();
    const expected = [];
    for (const text of texts) {
      expected.push(await translator.translate(text));
    }
    const read = async (/** @type {string} */ text) => {
      let all = "";
      for await (const piece of translator.translateStreaming(text)) {
        all += piece;
      }
      return all;
    };
    return {
      expected,
      same: await Promise.all(Array.from({ length: 5 }, () => translator.translate(texts[0]))),
      different: await Promise.all(texts.map((text) => translator.translate(text))),
      streams: await Promise.all(texts.map(read)),
    };
  }, [PARAGRAPH, "他昨天买了一本书。", "天气很好。", "你想喝茶吗？"]);
  assert.deepEqual(same, Array(5).fill(expected[0]));
  assert.deepEqual(different, expected);
  assert.deepEqual(streams, expected);
});

test("i7 the polyfill installs what is absent, and replaces only when it is asked to", async () => {
  const seen = await page.evaluate(async () => {
    const global = /** @type {Any} */ (window);
    const native = class Native {};
    global.Translator = native;
    delete global.LanguageDetector;
    const { polyfill } = await import(new URL("/lib/polyfill.js", location.href).href);
    const kept = global.Translator === native;
    const added = typeof global.LanguageDetector.create;
    const again = polyfill();
    const forced = polyfill({ force: true, modelUrl: "/models/zh-en-tiny.safetensors" });
    const translator = await global.Translator.create({ sourceLanguage: "zh", targetLanguage: "en" });
    return { kept, added, again, forced, text: await translator.translate("你好。") };
  });
  assert.match(seen.text, /[A-Za-z]/);
  assert.deepEqual(
    { ...seen, text: "" },
    {
      kept: true,
      added: "function",
      again: { Translator: false, LanguageDetector: false },
      forced: { Translator: true, LanguageDetector: true },
      text: "",
    },
  );
});
