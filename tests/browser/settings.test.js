/** Settings, glossary, history. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, beforeEach, afterEach, test } from "node:test";

import { launch, TranslatorPage } from "./support/page.js";
import { Server } from "./support/server.js";
import { OTHER_PARAGRAPH, PARAGRAPH } from "./support/texts.js";

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

test("k7_the page's language and theme can be chosen", async () => {
  await page.page.locator("#open-settings").click();
  await page.page.locator("#language").selectOption("zh");
  assert.equal(await page.page.evaluate(() => document.documentElement.lang), "zh-Hans");
  assert.equal(await page.page.locator("#translate").innerText(), "翻译");
  assert.equal(await page.source.getAttribute("placeholder"), "输入或粘贴中文，也可以拖入文件");
  const ground = () => page.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.page.locator("#theme").selectOption("light");
  const light = await ground();
  await page.page.locator("#theme").selectOption("dark");
  assert.notEqual(await ground(), light);
  await page.page.reload();
  await page.ready();
  assert.equal(await page.page.locator("#translate").innerText(), "翻译");
  assert.notEqual(await ground(), light);
});

test("k7_a dialog gives the focus back to what opened it", async () => {
  for (const name of ["settings", "glossary"]) {
    await page.page.locator(`#open-${name}`).focus();
    await page.page.keyboard.press("Enter");
    await page.page.locator(`#${name}`).waitFor();
    assert.ok(await page.page.evaluate((name) => document.getElementById(name)?.contains(document.activeElement), name));
    await page.page.keyboard.press("Escape");
    await page.page.locator(`#${name}`).waitFor({ state: "hidden" });
    assert.equal(await page.page.evaluate(() => document.activeElement?.id), `open-${name}`);
  }
});

test("k6_speed and memory are told", async () => {
  await page.paste(PARAGRAPH);
  await page.translated();
  await page.page.locator("#open-settings").click();
  await page.page.locator("#speed", { hasText: /\d.* sentences a second/ }).waitFor();
  await page.page.locator("#memory", { hasText: /\d+\.\d MB/ }).waitFor();
  await page.page.locator("#stored", { hasText: /\d+\.\d MB stored/ }).waitFor();
});

test("glossary: terms are added, kept, exported, imported and removed", async () => {
  const open = async () => {
    await page.page.locator("#open-glossary").click();
    await page.page.locator("#glossary").waitFor();
  };
  await open();
  await page.page.locator("#term").fill("学校");
  await page.page.locator("#wording").fill("academy");
  await page.page.keyboard.press("Enter");
  await page.page.locator("#glossary-list li").waitFor();
  assert.equal(await page.page.locator("#glossary-note").textContent(), "1 term");
  await page.page.reload();
  await page.ready();
  await open();
  assert.match((await page.page.locator("#glossary-list").textContent()) ?? "", /学校academy/);
  const [download] = await Promise.all([page.page.waitForEvent("download"), page.page.locator("#glossary-export").click()]);
  assert.equal(download.suggestedFilename(), "glossary.tsv");
  assert.equal(await readFile(await download.path(), "utf8"), "学校\tacademy\n");
  await page.page.locator("#glossary-file").setInputFiles({
    name: "terms.tsv",
    mimeType: "text/tab-separated-values",
    buffer: Buffer.from("老师\tmaster\n# comment\n书\tvolume\n"),
  });
  await page.page.locator("#glossary-note", { hasText: "2 terms imported" }).waitFor();
  assert.equal(await page.page.locator("#glossary-list li").count(), 3);
  await page.page.locator("#glossary-list li button").first().click();
  assert.equal(await page.page.locator("#glossary-list li").count(), 2);
  await page.page.locator("#glossary-clear").click();
  assert.equal(await page.page.locator("#glossary-list li").count(), 0);
  assert.equal(await page.page.evaluate(() => localStorage.getItem("csanmt.glossary")), null);
});

test("m6_glossary: the translation has the prescribed terms, and can do without", async () => {
  await page.paste("我们今天去学校。");
  const usual = await page.translated();
  assert.doesNotMatch(usual, /Hogwarts/);
  await page.page.locator("#open-glossary").click();
  await page.page.locator("#term").fill("学校");
  await page.page.locator("#wording").fill("Hogwarts");
  await page.page.keyboard.press("Enter");
  await page.page.waitForFunction(() => document.getElementById("target")?.textContent?.includes("Hogwarts"));
  await page.page.keyboard.press("Escape");
  await page.page.locator("#open-settings").click();
  await page.page.locator("#use-glossary").uncheck();
  await page.page.waitForFunction((usual) => document.getElementById("target")?.textContent === usual, usual);
});

test("c6_hard-wrapped lines are joined when asked", async () => {
  await page.paste("我们今天去\n学校。");
  await page.translated();
  const sent = async () => (await page.page.locator("#status").textContent()) ?? "";
  assert.match(await sent(), /^2 sentences/);
  await page.page.locator("#open-settings").click();
  await page.page.locator("#join-lines").check();
  await page.page.waitForFunction(() => /^1 sentence/.test(document.getElementById("status")?.textContent ?? ""));
});

test("k8_history is off at first; when on it brings texts back, and it can be emptied", async () => {
  await page.paste(PARAGRAPH);
  await page.translated();
  await page.page.waitForTimeout(800);
  assert.equal(await page.page.locator("#open-history").isVisible(), false);
  assert.equal(await page.page.evaluate(() => localStorage.getItem("csanmt.history")), null);
  await page.page.locator("#open-settings").click();
  await page.page.locator("#keep-history").check();
  await page.page.keyboard.press("Escape");
  for (const text of [PARAGRAPH, OTHER_PARAGRAPH]) {
    await page.paste("");
    await page.paste(text);
    await page.translated();
    await page.page.waitForFunction(
      (text) => localStorage.getItem("csanmt.history")?.includes(JSON.stringify(text)),
      text,
    );
  }
  await page.page.locator("#open-history").click();
  const entries = page.page.locator("#history-list .entry-button");
  assert.equal(await entries.count(), 2);
  await entries.nth(1).click();
  assert.equal(await page.source.inputValue(), PARAGRAPH);
  assert.equal(await page.translated(), await server.translate(PARAGRAPH));
  await page.page.locator("#open-history").click();
  await page.page.locator("#history-clear").click();
  assert.equal(await entries.count(), 0);
  await page.page.keyboard.press("Escape");
  await page.page.locator("#open-settings").click();
  await page.page.locator("#keep-history").uncheck();
  assert.equal(await page.page.evaluate(() => localStorage.getItem("csanmt.history")), null);
});

test("k5_two tabs know of each other's terms, history and settings, and none is lost", async () => {
  const other = await TranslatorPage.open(browser, server.url, {}, page.page.context());
  await other.ready();
  const add = async (/** @type {TranslatorPage} */ tab, /** @type {string} */ term, /** @type {string} */ wording) => {
    await tab.page.locator("#open-glossary").click();
    await tab.page.locator("#term").fill(term);
    await tab.page.locator("#wording").fill(wording);
    await tab.page.keyboard.press("Enter");
    await tab.page.keyboard.press("Escape");
  };
  await other.paste("我们今天去学校。老师很高兴。");
  await other.translated();
  await add(page, "学校", "academy");
  await other.page.waitForFunction(() => /academy/.test(document.getElementById("target")?.textContent ?? ""));
  await add(other, "老师", "master");
  await page.page.locator("#open-glossary").click();
  assert.equal(await page.page.locator("#glossary-list li").count(), 2);
  await page.page.keyboard.press("Escape");

  await page.page.locator("#open-settings").click();
  await page.page.locator("#keep-history").check();
  await page.page.locator("#theme").selectOption("dark");
  await other.page.locator("#open-history").waitFor();
  await other.page.locator("#open-settings").click();
  assert.equal(await other.page.locator("#theme").inputValue(), "dark");
  assert.equal(await other.page.locator("#keep-history").isChecked(), true);
  await other.page.locator("#join-lines").check();
  await page.page.waitForFunction(() => JSON.parse(localStorage.getItem("csanmt.settings") ?? "{}").joinLines);
  const stored = await page.page.evaluate(() => JSON.parse(localStorage.getItem("csanmt.settings") ?? "{}"));
  assert.deepEqual([stored.theme, stored.keepHistory, stored.joinLines], ["dark", true, true]);
  await other.page.close();
});
