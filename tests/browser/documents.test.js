/** Texts and files spread over workers: the same as one worker gives, in order, with progress. */

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";

import { LibraryBench } from "./support/library-page.js";
import { FORMATS, sample } from "./support/samples.js";
import { SENTENCES } from "./support/texts.js";
import { assertSameText } from "./support/texts-equal.js";

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

/** Texts whose pieces meet in every way: on one line, between lines, copied beside translated. */
const TEXTS = {
  "one line": SENTENCES.slice(0, 60).join(""),
  "lines with blank ones": SENTENCES.slice(60, 120).map((line, index) => (index % 7 === 0 ? `\n  ${line}\r\n` : line)).join("\n"),
  "English between": SENTENCES.slice(0, 40).map((line, index) => (index % 3 === 0 ? line : `This is sentence ${index}.  And one more!`)).join(" "),
  "nothing but English": Array.from({ length: 40 }, (_, index) => `Line ${index} stays.   As it is.`).join(" "),
  "marks and emoji": `\t${SENTENCES.slice(200, 230).join("😀 ")}<SENT_SPLIT>${SENTENCES.slice(230, 250).join("<SENT_SPLIT>")} `,
  "blank at both ends": `\n\n \t${SENTENCES.slice(100, 130).join("\t")}\n\n`,
};

for (const [name, text] of Object.entries(TEXTS)) {
  test(`c1 c4 a text is the same from two workers as from one: ${name}`, async () => {
    const { one, two, progress } = await page.evaluate(async (text) => {
      const { create } = /** @type {Any} */ (window);
      const translate = async (/** @type {number} */ workers, /** @type {Any} */ onprogress) => {
        const translator = await create({ workers });
        const translation = await translator.translateDetailed(text, { alignment: true, alternatives: 2, onprogress });
        translator.destroy();
        return translation;
      };
      /** @type {Any[]} */
      const progress = [];
      return { one: await translate(1, undefined), two: await translate(2, (/** @type {Any} */ report) => progress.push(report)), progress };
    }, text);
    assertSameText(two.text, one.text, name);
    assert.deepEqual(two.sentences, one.sentences);
    let done = 0;
    for (const report of progress) {
      assert.ok(one.text.startsWith(report.text), `progress shows ${JSON.stringify(report.text.slice(-40))}`);
      assert.ok(report.sentencesDone > done && report.sentencesDone <= report.sentences);
      done = report.sentencesDone;
    }
    assert.equal(progress.at(-1)?.sentences, one.sentences.length);
    for (const { source, target, alignment, confidence } of two.sentences) {
      assert.ok(source[0] < source[1] && target[0] < target[1] && confidence > 0 && confidence <= 1);
      for (const pair of alignment) {
        assert.ok(pair.source[0] >= source[0] && pair.source[1] <= source[1]);
        assert.ok(pair.target[0] >= target[0] && pair.target[1] <= target[1]);
      }
    }
  });
}

test("c6 wrapped lines are joined, whatever the number of workers", async () => {
  const text = `${SENTENCES.slice(0, 40).join("").replace(/.{15}/gu, "$&\n")}\n\n  ${SENTENCES.slice(40, 50).join("")}`;
  const [one, two] = await page.evaluate(async (text) => {
    const { create } = /** @type {Any} */ (window);
    const texts = [];
    for (const workers of [1, 2]) {
      const translator = await create({ workers });
      texts.push(await translator.translate(text, { wrappedLines: true }));
      translator.destroy();
    }
    return texts;
  }, text);
  assertSameText(two ?? "", one ?? "-", "wrapped");
  assert.equal(one?.split("\n").length, 3);
});

test("m6 b12 glossary and kept terms, in texts and files", async () => {
  const seen = await page.evaluate(async () => {
    const { create, failure } = /** @type {Any} */ (window);
    const translator = await create();
    const options = { glossary: [["学校", "academy"]], keep: ["老师"] };
    const file = await translator.translateDocument("# 我们今天去学校。\n", { name: "a.md", ...options });
    return {
      text: await translator.translate("我们今天去学校。老师很高兴。", options),
      file: new TextDecoder().decode(file.bytes),
      wrong: await failure(translator.translate("好", { glossary: [["甲", ""]] })),
      beam: await failure(translator.translate("好", { beam: 9 })),
    };
  });
  assert.match(seen.text, /academy/);
  assert.match(seen.text, /老师/);
  assert.match(seen.file, /^# .*academy/);
  assert.equal(seen.wrong.code, "options");
  assert.match(seen.wrong.message, /glossary\[0\]/);
  assert.equal(seen.beam.code, "options");
});

test("e1 b8 HTML and Markdown keep tags, marks and code", async () => {
  const { html, markdown } = await page.evaluate(async () => {
    const { create } = /** @type {Any} */ (window);
    const translator = await create();
    const html = '<p class="a">我们<b>今天</b>去<a href="/x?y=1&amp;z">学校</a>。</p><!-- 注 --><code>代码</code>';
    return {
      html: await translator.translate(html, { format: "html" }),
      markdown: await translator.translate("# 你好\n\n- 运行 `代码`。\n", { format: "markdown" }),
    };
  });
  assert.match(html, /^<p class="a">.+<\/p><!-- 注 --><code>代码<\/code>$/s);
  assert.match(html, /<b>[^<]+<\/b>/);
  assert.match(html, /<a href="\/x\?y=1&amp;z">[^<]+<\/a>/);
  assert.match(markdown, /^# [A-Za-z].*\n\n- .*`代码`.*\n$/);
});

/** Runs in the page before its scripts: counts what each worker is asked for. */
function countWork() {
  const global = /** @type {Any} */ (window);
  global.work = [];
  const Original = window.Worker;
  global.Worker = class extends Original {
    /** @param {ConstructorParameters<typeof Worker>} args */
    constructor(...args) {
      super(...args);
      this.number = global.work.push({}) - 1;
    }

    /** @param {any[]} args */
    postMessage(...args) {
      const counts = global.work[this.number];
      counts[args[0].type] = (counts[args[0].type] ?? 0) + 1;
      // @ts-ignore: one of two signatures
      super.postMessage(...args);
    }
  };
}

test("n1 n2 n3 n4 a file of every format is the same from two workers as from one, and both work", async () => {
  const context = await bench.browser.newContext();
  await context.addInitScript(countWork);
  const page = await bench.openIn(context);
  const files = FORMATS.map((format) => ({ format, base64: sample(format, SENTENCES.slice(0, 40)) }));
  const seen = await page.evaluate(async (files) => {
    const { create, work } = /** @type {Any} */ (window);
    const one = await create({ workers: 1 });
    const two = await create({ workers: 2 });
    // The second worker is started when there is work for it.
    for (let wait = 0; wait < 50 && work.length < 3; wait += 1) {
      await two.translate("我们今天去学校。".repeat(60));
    }
    const mine = work.slice(1);
    const base64Of = (/** @type {Uint8Array} */ bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    const seen = [];
    for (const { format, base64 } of files) {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const how = { name: `a.${format}`, ...(format === "csv" && { column: 2 }) };
      const alone = base64Of((await one.translateDocument(bytes, how)).bytes);
      const before = mine.map((/** @type {Any} */ counts) => ({ ...counts }));
      /** @type {Any[]} */
      const progress = [];
      const translated = await two.translateDocument(bytes, { ...how, onprogress: (/** @type {Any} */ report) => progress.push(report) });
      const pieces = mine.map((/** @type {Any} */ counts, /** @type {number} */ index) =>
        ["units", "part"].reduce((sum, type) => sum + (counts[type] ?? 0) - (before[index][type] ?? 0), 0),
      );
      seen.push({ format: translated.format, base64, alone, shared: base64Of(translated.bytes), pieces, progress });
    }
    return seen;
  }, files);
  assert.deepEqual(seen.map(({ format }) => format), FORMATS);
  for (const { format, base64, alone, shared, pieces, progress } of seen) {
    assert.notEqual(shared, base64, format);
    assert.equal(shared, alone, format);
    assert.equal(pieces.length, 2);
    assert.ok(Math.min(...pieces) > 0, `${format}: the workers had ${pieces} pieces`);
    let last = { unitsDone: 0, charactersDone: -1 };
    for (const report of progress) {
      assert.ok(report.charactersDone > last.charactersDone && report.unitsDone >= last.unitsDone, format);
      last = report;
    }
    const { unitsDone, units, charactersDone, characters } = /** @type {Any} */ (last);
    assert.deepEqual([unitsDone, charactersDone], [units, characters], format);
  }
  await context.close();
});

test("n1 n4 n6 a long file goes over both workers, with progress, and can be given up", async () => {
  const lines = Array.from({ length: 150 }, (_, index) => SENTENCES[index % SENTENCES.length] ?? "");
  const cues = lines.map((line, index) => `${index + 1}\n00:00:${String(index % 60).padStart(2, "0")},000 --> 00:01:00,000\n${line}\n`).join("\n");
  const requests = bench.site.requests.length;
  const seen = await page.evaluate(async (cues) => {
    const { create } = /** @type {Any} */ (window);
    const translator = await create({ workers: 2 });
    /** @type {Any[]} */
    const progress = [];
    const file = new File([cues], "film.srt");
    const document = await translator.translateDocument(file, { onprogress: (/** @type {Any} */ report) => progress.push(report) });
    const one = await create({ workers: 1 });
    const same = (await (await one.translateDocument(file)).blob.text()) === (await document.blob.text());
    const controller = new AbortController();
    const reason = { mine: true };
    const aborted = await translator
      .translateDocument(file, { signal: controller.signal, onprogress: () => controller.abort(reason) })
      .catch((/** @type {unknown} */ error) => error === reason);
    const { name, format, truncated, blob } = document;
    return { name, format, truncated, type: blob.type, text: await blob.text(), progress, same, aborted };
  }, cues);
  assert.deepEqual([seen.name, seen.format, seen.type, seen.same, seen.aborted], ["film.en.srt", "srt", "application/x-subrip", true, true]);
  assert.equal(seen.text.match(/-->/g)?.length, 150);
  assert.deepEqual(seen.text.match(/^\d+$/gm), cues.match(/^\d+$/gm));
  const fractions = seen.progress.map((/** @type {Any} */ { charactersDone, characters }) => charactersDone / characters);
  assert.deepEqual(fractions, fractions.toSorted((/** @type {number} */ a, /** @type {number} */ b) => a - b));
  assert.deepEqual([fractions[0], fractions.at(-1)], [0, 1]);
  const later = bench.site.requests.slice(requests).filter(({ path }) => !path.startsWith("/lib/") && !path.startsWith("/models/"));
  assert.deepEqual(later, []);
});

test("n4 n6 a short text does not wait for a file, and a file that is given up leaves its workers free", async () => {
  const seen = await page.evaluate(async (text) => {
    const { create } = /** @type {Any} */ (window);
    const translator = await create({ workers: 2 });
    await translator.translate(text.slice(0, 2000));
    const controller = new AbortController();
    let share = 0;
    const file = translator.translateDocument(text, {
      name: "a.txt",
      signal: controller.signal,
      onprogress: (/** @type {Any} */ { charactersDone, characters }) => (share = charactersDone / characters),
    });
    file.catch(() => {});
    while (share === 0) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const before = share;
    const short = await translator.translate("我们今天去学校。");
    const after = share;
    controller.abort();
    const reason = await file.catch((/** @type {Any} */ { name }) => name);
    // Both workers are free again, and know nothing of it.
    const again = await translator.translateDocument(text.slice(0, 3000), { name: "a.txt" });
    const one = await create({ workers: 1 });
    const alone = await one.translateDocument(text.slice(0, 3000), { name: "a.txt" });
    return { before, short, after, reason, same: String(again.bytes) === String(alone.bytes) };
  }, SENTENCES.join("\n"));
  assert.match(seen.short, /[a-z]/);
  assert.ok(seen.after - seen.before < 0.3 && seen.after < 1, `from ${seen.before} to ${seen.after} of the file in the meantime`);
  assert.equal(seen.reason, "AbortError");
  assert.equal(seen.same, true);
});

test("n1 files that cannot be read say why", async () => {
  const outcomes = await page.evaluate(async () => {
    const { create, failure } = /** @type {Any} */ (window);
    const translator = await create();
    const outcomes = [];
    for (const [content, options] of [
      ["%PDF-1.7", { name: "a.pdf" }],
      ["名称,价格\n茶,3\n", { name: "a.csv" }],
      ["PK\u0003\u0004", { name: "a.docx" }],
      ["好", { name: "a.txt", format: "doc" }],
    ]) {
      outcomes.push(await failure(translator.translateDocument(content, options)));
    }
    const table = await translator.translateDocument("名称,价格\n茶,3\n", { name: "a.csv", column: "名称" });
    return { outcomes, table: new TextDecoder().decode(table.bytes) };
  });
  assert.deepEqual(outcomes.outcomes.map(({ code }) => code), ["document", "document", "document", "options"]);
  assert.match(outcomes.outcomes[0]?.message, /PDF is not supported/);
  assert.match(outcomes.table, /^名称,价格\n[A-Za-z].*,3\n$/);
});
