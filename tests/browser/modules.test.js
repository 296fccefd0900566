/** The page's rules without a page: texts, sentences, addresses, glossaries, history. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { formatGlossary, Glossary, parseGlossary } from "../../www/app/glossary.js";
import { History } from "../../www/app/history.js";
import { replaceSentence, sentenceAt, sentenceOver } from "../../www/app/sentences.js";
import { loadSettings, saveSettings } from "../../www/app/settings.js";
import { LONGEST_HASH, readHash, writeHash } from "../../www/app/share-link.js";
import { cut } from "../../www/app/text-pieces.js";
import { SENTENCES } from "./support/texts.js";

/** @type {Map<string, string>} */
let stored;
/** Characters that the storage takes. */
let room = Infinity;

beforeEach(() => {
  stored = new Map();
  room = Infinity;
  /** @type {any} */ (globalThis).localStorage = {
    getItem: (/** @type {string} */ key) => stored.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => {
      if (value.length > room) {
        throw new DOMException("full", "QuotaExceededError");
      }
      stored.set(key, value);
    },
    removeItem: (/** @type {string} */ key) => stored.delete(key),
  };
});

/** @param {[number, number]} source @param {[number, number]} target */
const sentence = (source, target) => /** @type {any} */ ({ source, target, truncated: false });
const THREE = [sentence([0, 3], [0, 5]), sentence([4, 6], [6, 10]), sentence([6, 9], [11, 20])];

test("k5_a text goes into the address and comes back", () => {
  const texts = ["你好。", "a&b=c#d%20+e", " 前后 \n\n行\t二 ", "𠮷👨‍👩‍👧", SENTENCES.slice(0, 40).join("\n")];
  for (const text of texts) {
    const hash = writeHash(text);
    assert.match(hash, /^#src=zh&trg=en&text=/);
    assert.equal(readHash(hash), text);
  }
});

test("k5_half a character and a text too long for an address do no harm", () => {
  assert.equal(readHash(writeHash("好\ud800")), "好\ufffd");
  assert.equal(writeHash("好".repeat(LONGEST_HASH)), "#src=zh&trg=en");
  assert.equal(writeHash(""), "#src=zh&trg=en");
});

test("k5_unknown language codes leave the panes as they are", () => {
  assert.equal(readHash("#src=zz&trg=qq&text=好"), "好");
  assert.equal(readHash("#text=好"), "好");
  assert.equal(readHash("#src=zh-Hant&trg=en-GB&text=a+b"), "a b");
  assert.equal(readHash("#src=zh"), undefined);
  assert.equal(readHash(""), undefined);
});

test("k8_the sentence at an offset", () => {
  const found = [0, 2, 3, 4, 6, 8, 9, 50].map((offset) => sentenceAt(THREE, "source", offset));
  assert.deepEqual(found, [0, 0, 0, 1, 2, 2, 2, 2]);
  assert.equal(sentenceAt([], "source", 3), -1);
  assert.equal(sentenceAt([sentence([2, 3], [0, 1])], "source", 1), -1);
  assert.equal(sentenceOver(THREE, "source", 50), -1);
  assert.equal(sentenceOver(THREE, "target", 15), 2);
});

test("k8_another wording moves what follows, and nothing else", () => {
  const text = "Hello there, my friends.";
  const { text: shorter, sentences } = replaceSentence({ text: text.slice(0, 20), sentences: THREE }, 1, "x");
  assert.equal(shorter, `${text.slice(0, 6)}x${text.slice(10, 20)}`);
  assert.deepEqual(sentences.map(({ target }) => target), [[0, 5], [6, 7], [8, 17]]);
  assert.deepEqual(sentences.map(({ source }) => source), THREE.map(({ source }) => source));
});

test("k1_blocks: nothing is lost, none is long, and there are not too many", () => {
  const texts = [
    "", "\n", "\n\n一\n", "短\n".repeat(5000), "好。".repeat(20_000), "x".repeat(9000),
    "👍".repeat(3000), `${"长".repeat(4000)}\n\n${"行\n".repeat(400)}`,
    SENTENCES.join(""), SENTENCES.join("\n"),
  ];
  for (const text of texts) {
    const pieces = cut(text);
    assert.equal(pieces.join(""), text);
    assert.ok(pieces.every((piece) => piece.length <= 2001 && piece !== ""));
    assert.ok(pieces.every((piece) => !/\p{Surrogate}/u.test(piece)), "a character is cut in two");
    assert.ok(pieces.length <= text.length / 140 + 2, `${pieces.length} blocks for ${text.length} characters`);
  }
});

test("glossary: lines of term, tab and translation, out and in again", () => {
  const text = "\ufeff# comment\n深度学习\tdeep learning\r\n\n 张三 \t Zhang San \n";
  const { entries, bad } = parseGlossary(text);
  assert.equal(bad, undefined);
  assert.deepEqual(entries, [["深度学习", "deep learning"], ["张三", "Zhang San"]]);
  assert.deepEqual(parseGlossary(formatGlossary(entries)).entries, entries);
  assert.equal(parseGlossary("好 good").bad, "好 good");
  assert.equal(parseGlossary("好\t").bad, "好\t");
});

test("glossary: is kept, and a known term gets the new translation", () => {
  let changes = 0;
  const glossary = new Glossary(() => (changes += 1));
  glossary.add([["甲", "A"], ["乙", "B"]]);
  glossary.add([["甲", "C"]]);
  assert.deepEqual(new Glossary(() => {}).entries, [["甲", "C"], ["乙", "B"]]);
  glossary.remove("甲");
  glossary.clear();
  assert.deepEqual(new Glossary(() => {}).entries, []);
  assert.equal(changes, 4);
});

test("k8_history: newest first, drafts are one entry, and it stays small", () => {
  const history = new History();
  history.add("我们", "We");
  history.add("我们今天", "We today");
  history.add("他", "He");
  history.add("我们今天", "We, today");
  assert.deepEqual(history.entries.map(({ source }) => source), ["我们今天", "他"]);
  history.add("长".repeat(5000), "long");
  for (let index = 0; index < 100; index += 1) {
    history.add(`第${index}句话。`, "x");
  }
  assert.equal(history.entries.length, 60);
  assert.equal(new History().entries.length, 60);
});

test("k6_history: a full storage keeps the newest", () => {
  room = 400;
  const history = new History();
  for (let index = 0; index < 20; index += 1) {
    history.add(`第${index}句话。`, "x".repeat(50));
  }
  const kept = new History().entries;
  assert.ok(kept.length > 0 && kept.length < 20);
  assert.equal(kept[0]?.source, "第19句话。");
});

test("k5_settings are remembered, others' values are not believed, no storage is no harm", () => {
  const settings = loadSettings();
  assert.equal(settings.keepText, false);
  assert.equal(settings.keepHistory, false);
  saveSettings({ ...settings, theme: "dark", auto: false });
  assert.equal(loadSettings().theme, "dark");
  assert.equal(loadSettings().auto, false);
  stored.set("csanmt.settings", '{"auto":"yes","theme":7}');
  assert.equal(loadSettings().auto, true);
  stored.set("csanmt.settings", "{");
  assert.equal(loadSettings().theme, "system");
  Object.defineProperty(globalThis, "localStorage", {
    configurable: true,
    get: () => {
      throw new DOMException("no", "SecurityError");
    },
  });
  assert.equal(loadSettings().auto, true);
  saveSettings(settings);
});
