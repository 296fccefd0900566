/** Sentences and their partners: marks, other wordings, moving the translation to the left. */

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";

import { launch, TranslatorPage } from "./support/page.js";
import { Server } from "./support/server.js";
import { PARAGRAPH } from "./support/texts.js";

const TEXT = `${PARAGRAPH}\n\n他昨天买了一本书。`;
const SOURCES = ["我们今天去学校。", "老师很高兴。", "你想喝茶吗？", "他昨天买了一本书。"];

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Server} */
let server;
/** @type {TranslatorPage} */
let page;
/** The translation of every sentence, in order. @type {string[]} */
let targets;
before(async () => {
  browser = await launch();
  server = await Server.start();
  page = await TranslatorPage.open(browser, server.url);
  await page.ready();
  targets = await Promise.all(SOURCES.map((sentence) => server.translate(sentence)));
});
after(async () => {
  await browser?.close();
  await server?.stop();
});
beforeEach(async () => {
  await page.page.mouse.move(2, 2);
  await page.paste("");
  await page.paste(TEXT);
  await page.translated();
  await page.page.waitForFunction(() => document.querySelector("#mirror .block"));
});

/** What is marked in both panes. */
const marked = () =>
  page.page.evaluate(() =>
    ["sentence-source", "sentence-target"].map((name) =>
      [.../** @type {any} */ (CSS.highlights.get(name) ?? [])].map(String).join(),
    ),
  );

/** @param {number} index */
const isMarked = async (index) => {
  const expected = [SOURCES[index], targets[index]];
  await page.page.waitForFunction(
    (expected) =>
      ["sentence-source", "sentence-target"].every((name, side) => {
        const [range] = /** @type {any} */ (CSS.highlights.get(name) ?? []);
        return String(range ?? "") === (expected[side] ?? "");
      }),
    expected,
  );
};

/** The middle of a sentence of the translation, in the window. @param {number} index */
const middle = (index) =>
  page.page.evaluate((text) => {
    const target = /** @type {HTMLElement} */ (document.getElementById("target"));
    const walker = document.createTreeWalker(target, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.textContent?.indexOf(text) ?? -1;
      if (at >= 0) {
        const range = document.createRange();
        range.setStart(node, at + Math.floor(text.length / 2));
        range.setEnd(node, at + Math.floor(text.length / 2) + 1);
        const { left, top, width, height } = range.getBoundingClientRect();
        return { x: left + width / 2, y: top + height / 2 };
      }
    }
    throw new Error(`no ${text}`);
  }, targets[index] ?? "");

test("k8_the pointer over a sentence marks it and its partner", async () => {
  for (const index of [2, 0, 3]) {
    const { x, y } = await middle(index);
    await page.page.mouse.move(x, y);
    await isMarked(index);
  }
  await page.page.mouse.move(2, 2);
  await isMarked(-1);
  // Over the source text: its first line begins in the pane's upper left corner.
  const box = await page.source.boundingBox();
  assert.ok(box);
  await page.page.mouse.move(box.x + 40, box.y + 22);
  await isMarked(0);
});

test("k8_the caret in a sentence marks it and its partner", async () => {
  await page.source.focus();
  for (const [offset, index] of [[2, 0], [10, 1], [TEXT.length - 2, 3]]) {
    await page.source.evaluate(
      (area, offset) => /** @type {HTMLTextAreaElement} */ (area).setSelectionRange(offset, offset),
      offset,
    );
    await isMarked(Number(index));
  }
});

test("k7_the sentences can be reached by keyboard, and are read aloud", async () => {
  await page.target.focus();
  await page.page.keyboard.press("ArrowRight");
  await page.page.keyboard.press("ArrowRight");
  await isMarked(1);
  assert.equal(await page.page.locator("#sentence").textContent(), targets[1]);
  await page.page.keyboard.press("ArrowLeft");
  await isMarked(0);
  assert.notDeepEqual(await marked(), ["", ""]);
});

test("k8_a click offers other wordings, and the chosen one takes the sentence's place", async () => {
  const { x, y } = await middle(1);
  await page.page.mouse.click(x, y);
  const choices = page.page.locator("#alternatives-list button");
  await choices.nth(1).waitFor();
  assert.equal(await choices.first().textContent(), targets[1]);
  assert.equal(await choices.first().getAttribute("aria-current"), "true");
  const other = (await choices.nth(1).textContent()) ?? "";
  assert.notEqual(other, targets[1]);
  await choices.nth(1).click();
  await page.rendered();
  const expected = `${targets[0]} ${other} ${targets[2]}\n\n${targets[3]}`;
  assert.equal(await page.shown(), expected);
  // The sentences behind it are still found where they are now.
  targets[1] = other;
  const last = await middle(3);
  await page.page.mouse.move(last.x, last.y);
  await isMarked(3);
  targets[1] = await server.translate(SOURCES[1] ?? "");
});

test("k7_other wordings can be chosen by keyboard, and Escape goes back", async () => {
  await page.target.focus();
  await page.page.keyboard.press("ArrowRight");
  await page.page.keyboard.press("Enter");
  const list = page.page.locator("#alternatives");
  await list.waitFor();
  await page.page.locator("#alternatives-list button").nth(1).waitFor();
  await page.page.keyboard.press("Escape");
  await list.waitFor({ state: "hidden" });
  assert.equal(await page.page.evaluate(() => document.activeElement?.id), "target");
  await page.page.keyboard.press("Enter");
  await page.page.locator("#alternatives-list button").nth(1).waitFor();
  await page.page.keyboard.press("ArrowDown");
  const other = await page.page.evaluate(() => document.activeElement?.textContent);
  await page.page.keyboard.press("Enter");
  await list.waitFor({ state: "hidden" });
  await page.page.waitForFunction((other) => document.getElementById("target")?.textContent?.startsWith(other ?? "?"), other);
});

for (const [text, language] of /** @type {const} */ ([
  ["今日は学校に行きます。とても楽しいです。", "Japanese"],
  ["오늘은 학교에 갑니다. 날씨가 좋습니다.", "Korean"],
  ["We are going to school today. The teacher is happy.", "English"],
])) {
  test(`l4_${language} is named as what it is`, async () => {
    await page.paste(text);
    await page.page.locator("#hint", { hasText: `not Chinese: it seems to be ${language}` }).waitFor();
    await page.paste(TEXT);
    await page.page.waitForFunction(() => document.getElementById("hint")?.textContent === "");
  });
}

test("k4_swap moves the translation to the left, and undo brings the text back", async () => {
  const shown = await page.shown();
  await page.page.locator("#swap").click();
  assert.equal(await page.source.inputValue(), shown);
  const notice = page.page.locator("#notices .notice", { hasText: "not available" });
  await notice.waitFor();
  await notice.locator("button", { hasText: "Undo" }).click();
  assert.equal(await page.source.inputValue(), TEXT);
  assert.equal(await page.translated(), shown);
  await page.paste("");
  await page.rendered();
  assert.equal(await page.page.locator("#swap").isDisabled(), true);
});

test("the console is free of complaints", () => {
  assert.deepEqual(page.complaints, []);
});
