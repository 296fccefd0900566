/** When the page translates, and which text wins. */

import assert from "node:assert/strict";
import { after, before, beforeEach, afterEach, test } from "node:test";

import { launch, TranslatorPage } from "./support/page.js";
import { Server } from "./support/server.js";
import { longText, OTHER_PARAGRAPH, PARAGRAPH } from "./support/texts.js";

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Server} */
let server;
/** @type {TranslatorPage} */
let page;
before(async () => {
  browser = await launch();
  server = await Server.start();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});
beforeEach(async () => {
  page = await TranslatorPage.open(browser, server.url);
  await page.ready();
});
afterEach(async () => {
  assert.deepEqual(page.complaints, []);
  await page.close();
});

/** Texts that the page has sent to its worker. */
const sent = async () => (await page.messages("translate")).map(({ text }) => text);

test("k3_fast typing is one translation, after the pause", async () => {
  await page.source.pressSequentially("我们今天去学校。", { delay: 40 });
  assert.deepEqual(await sent(), []);
  await page.translated();
  assert.deepEqual(await sent(), ["我们今天去学校。"]);
});

test("k3_a pause translates, the next edit translates again", async () => {
  await page.source.pressSequentially("你好", { delay: 10 });
  await page.translated();
  await page.source.pressSequentially("吗？", { delay: 10 });
  await page.page.waitForFunction(
    () => /** @type {any} */ (window).workerMessages.filter((/** @type {any} */ m) => m.type === "done").length === 2,
  );
  assert.deepEqual(await sent(), ["你好", "你好吗？"]);
});

test("k3_pasted text, Ctrl+Enter and the button do not wait", async () => {
  const since = (/** @type {() => Promise<void>} */ act) => {
    const begin = performance.now();
    return act().then(async () => {
      await page.page.waitForFunction(() => /** @type {any} */ (window).workerMessages.some(
        (/** @type {any} */ message) => message.type === "translate",
      ), undefined, { polling: 5 });
      await page.page.evaluate(() => { /** @type {any} */ (window).workerMessages.length = 0; });
      return performance.now() - begin;
    });
  };
  // The pause is set so long that it cannot be what started the translation.
  await page.page.evaluate(() => {
    const { setTimeout } = window;
    window.setTimeout = /** @type {any} */ (
      (/** @type {any} */ run, /** @type {number} */ ms) => setTimeout(run, ms === 300 ? 600_000 : ms)
    );
  });
  await since(() => page.paste(PARAGRAPH));
  await since(async () => {
    await page.source.fill("他昨天");
    await page.page.keyboard.press("Control+Enter");
  });
  await since(async () => {
    await page.source.fill("他昨天买了一本书。");
    await page.page.locator("#translate").click();
  });
  assert.match(await page.translated(), /[A-Za-z]/);
});

test("k3_a text under composition waits for its characters", async () => {
  const client = await page.page.context().newCDPSession(page.page);
  await page.source.focus();
  for (const text of ["n", "ni", "nih", "nihao"]) {
    await client.send("Input.imeSetComposition", {
      text,
      selectionStart: text.length,
      selectionEnd: text.length,
    });
  }
  await page.page.waitForTimeout(600);
  assert.deepEqual(await sent(), []);
  await client.send("Input.insertText", { text: "你好" });
  await page.translated();
  assert.deepEqual(await sent(), ["你好"]);
});

test("k1_the newest text wins while a long one is under way", async () => {
  await page.paste(longText(400));
  await page.page.waitForFunction(() => document.getElementById("target")?.textContent !== "");
  await page.paste(OTHER_PARAGRAPH);
  const shown = await page.translated();
  assert.equal(shown, await server.translate(OTHER_PARAGRAPH));
  assert.ok((await page.messages("abort")).length > 0);
  const done = await page.messages("done");
  const sentences = done.reduce((sum, { value }) => sum + value.sentences.length, 0);
  assert.ok(sentences < 200, `${sentences} sentences of the long text were translated`);
  await page.page.waitForTimeout(500);
  assert.equal(await page.shown(), shown);
});

test("k4_Stop and Escape end a translation and keep what is there", async () => {
  for (const stop of [
    () => page.page.locator("#stop").click(),
    () => page.page.keyboard.press("Escape"),
  ]) {
    await page.paste(longText(400));
    await page.page.waitForFunction(() => document.getElementById("target")?.textContent !== "");
    await stop();
    await page.page.locator("#status", { hasText: "Stopped." }).waitFor();
    const kept = await page.shown();
    assert.notEqual(kept, "");
    const done = await page.messages("done");
    const sentences = done.reduce((sum, { value }) => sum + value.sentences.length, 0);
    assert.ok(sentences < 400, "the long text was translated to its end");
    await page.page.evaluate(() => void (/** @type {any} */ (window).workerMessages.length = 0));
    await page.paste("");
  }
});

test("k3_without the switch only the button translates, and the choice is kept", async () => {
  await page.page.locator("#auto").uncheck();
  await page.paste(PARAGRAPH);
  await page.page.waitForTimeout(600);
  assert.deepEqual(await sent(), []);
  await page.page.locator("#translate").click();
  await page.translated();
  await page.page.reload();
  await page.ready();
  assert.equal(await page.page.locator("#auto").isChecked(), false);
});
