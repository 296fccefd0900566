/** The text in the address, and what is remembered. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launch, TranslatorPage } from "./support/page.js";
import { Server } from "./support/server.js";
import { longText, OTHER_PARAGRAPH, PARAGRAPH } from "./support/texts.js";

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Server} */
let server;
before(async () => {
  browser = await launch();
  server = await Server.start();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** @param {string} [hash] @param {import("playwright-core").BrowserContext} [context] */
const open = async (hash = "", context) => {
  const options = { permissions: ["clipboard-read", "clipboard-write"] };
  const page = await TranslatorPage.open(browser, server.url + hash, options, context);
  await page.ready();
  return page;
};

/** @param {TranslatorPage} page @param {string} text */
const addressHas = (page, text) =>
  page.page.waitForFunction(
    (text) => new URLSearchParams(location.hash.slice(1)).get("text") === text,
    text,
  );

test("k5_an address with a text translates it, and edits rewrite the address", async () => {
  const page = await open(`#src=zh&trg=en&text=${encodeURIComponent(PARAGRAPH)}`);
  assert.equal(await page.translated(), await server.translate(PARAGRAPH));
  assert.equal(await page.source.inputValue(), PARAGRAPH);
  await page.source.press("Control+End");
  await page.page.keyboard.type("好。");
  await addressHas(page, `${PARAGRAPH}好。`);
  assert.match(new URL(page.page.url()).hash, /^#src=zh&trg=en&text=/);
  await page.page.locator("#clear").click();
  await page.page.waitForFunction(() => location.hash === "#src=zh&trg=en");
  await page.close();
});

test("k5_unknown languages in the address change nothing but the text", async () => {
  const page = await open(`#src=zz&trg=qq&text=${encodeURIComponent("你好。")}`);
  assert.equal(await page.translated(), await server.translate("你好。"));
  assert.equal(await page.source.getAttribute("lang"), "zh-Hans");
  assert.equal(await page.target.getAttribute("lang"), "en");
  await page.close();
});

test("k5_a new address in an open page brings its text", async () => {
  const page = await open();
  await page.paste(PARAGRAPH);
  await page.translated();
  await page.page.evaluate((text) => void (location.hash = `#text=${encodeURIComponent(text)}`), OTHER_PARAGRAPH);
  await page.page.waitForFunction(
    (text) => /** @type {any} */ (document.getElementById("source")).value === text,
    OTHER_PARAGRAPH,
  );
  assert.equal(await page.translated(), await server.translate(OTHER_PARAGRAPH));
  await page.close();
});

test("k5_the copied link opens the same text", async () => {
  const text = `${PARAGRAPH}\n\n  a&b=c#d%20 + “引号” 𠮷\t👍`;
  const page = await open();
  await page.paste(text);
  const shown = await page.translated();
  const share = page.page.locator("#share");
  await share.click();
  await page.page.locator("#share-label", { hasText: "Link copied" }).waitFor();
  const link = await page.page.evaluate(() => navigator.clipboard.readText());
  await page.close();
  const other = await TranslatorPage.open(browser, link);
  await other.ready();
  assert.equal(await other.translated(), shown);
  assert.equal(await other.source.inputValue(), text);
  await other.close();
});

test("k5_a text too long for an address says so and stays out of it", async () => {
  const page = await open();
  await page.paste(longText(600));
  await page.page.locator("#stop").click();
  await page.page.locator("#share").click();
  await page.page.locator("#status", { hasText: "too long" }).waitFor();
  await page.page.waitForFunction(() => location.hash === "#src=zh&trg=en");
  await page.close();
});

test("k5_no text is stored unless asked, settings are", async () => {
  const context = await browser.newContext({ locale: "en-US" });
  const first = await open("", context);
  await first.paste(PARAGRAPH);
  await first.translated();
  await addressHas(first, PARAGRAPH);
  const stored = () => first.page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  assert.doesNotMatch(await stored(), /我们|school/i);
  await first.page.close();

  const second = await open("", context);
  assert.equal(await second.source.inputValue(), "");
  await second.page.locator("#open-settings").click();
  await second.page.locator("#keep-text").check();
  await second.page.locator("#theme").selectOption("dark");
  await second.page.keyboard.press("Escape");
  await second.paste(OTHER_PARAGRAPH);
  await second.translated();
  await addressHas(second, OTHER_PARAGRAPH);
  await second.page.close();

  const third = await open("", context);
  assert.equal(await third.source.inputValue(), OTHER_PARAGRAPH);
  assert.equal(await third.page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await third.page.locator("#open-settings").click();
  await third.page.locator("#keep-text").uncheck();
  assert.equal(await third.page.evaluate(() => localStorage.getItem("csanmt.text")), null);
  await context.close();
});
