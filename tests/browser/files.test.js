/** Files: opened or dropped, translated with progress, given back as files. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, beforeEach, afterEach, test } from "node:test";

import { launch, TranslatorPage } from "./support/page.js";
import { Server } from "./support/server.js";
import { longText } from "./support/texts.js";

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

/** @param {{ name: string, content: string | Buffer }[]} files */
const open = (files) =>
  page.page.locator("#file").setInputFiles(
    files.map(({ name, content }) => ({ name, mimeType: "", buffer: Buffer.from(content) })),
  );

/** The row of a file. @param {string} name */
const row = (name) => page.page.locator("#file-list li", { hasText: name });

/** Waits for a file, downloads it. @param {string} name */
const result = async (name) => {
  const button = row(name).locator("button", { hasText: "Download" });
  await button.waitFor({ timeout: 60_000 });
  const [download] = await Promise.all([page.page.waitForEvent("download"), button.click()]);
  return { name: download.suggestedFilename(), content: await readFile(await download.path()) };
};

test("n1_k4_subtitles, a page and Markdown come back with everything but their text", async () => {
  const cues = "1\n00:00:01,000 --> 00:00:02,500\n我们今天去学校。\n\n2\n00:00:03,000 --> 00:00:04,000\n你想喝茶吗？\n";
  const html = '<p class="a">我们今天去<b>学校</b>。</p>\n<script>var x = "你好";</script>\n';
  const markdown = "# 你好\n\n- 我们今天去[学校](https://example.org/)。\n\n```\n代码\n```\n";
  await open([
    { name: "film.srt", content: cues },
    { name: "seite.html", content: html },
    { name: "notes.md", content: markdown },
  ]);
  const film = await result("film.srt");
  assert.equal(film.name, "film.en.srt");
  const lines = film.content.toString().split("\n");
  assert.deepEqual([0, 1, 3, 4, 5, 7, 8].map((index) => lines[index]), [0, 1, 3, 4, 5, 7, 8].map((index) => cues.split("\n")[index]));
  assert.match(lines[2] ?? "", /^[\x20-\x7e]+$/);
  const seite = (await result("seite.html")).content.toString();
  assert.match(seite, /^<p class="a">[^<]*<b>[^<]+<\/b>[^<]*<\/p>\n<script>var x = "你好";<\/script>\n$/);
  const notes = (await result("notes.md")).content.toString();
  assert.match(notes, /^# [A-Za-z].*\n\n- .*\[[^\]]+\]\(https:\/\/example\.org\/\).*\n\n```\n代码\n```\n$/);
  assert.equal(await page.source.inputValue(), "");
});

test("n1_of a table the chosen column is translated", async () => {
  await open([{ name: "goods.csv", content: "编号,名称\nA-1,我们今天去学校。\nA-2,你好\n" }]);
  await row("goods.csv").locator("select").selectOption("名称");
  await row("goods.csv").locator("button", { hasText: "Translate" }).click();
  const { name, content } = await result("goods.csv");
  assert.equal(name, "goods.en.csv");
  assert.match(content.toString(), /^编号,名称\nA-1,[^\n]*[a-z][^\n]*\nA-2,[^\n]*[a-z][^\n]*\n$/);
});

test("n4_a long file shows its progress, and can be cancelled and taken away", async () => {
  await open([{ name: "long.md", content: longText(4000).replaceAll("\n", "\n\n") }]);
  const bar = row("long.md").locator("progress");
  await page.page.waitForFunction(() => {
    const value = document.querySelector("#file-list progress")?.getAttribute("value");
    return value && Number(value) > 0 && Number(value) < 1;
  }, undefined, { timeout: 60_000 });
  await row("long.md").locator("button", { hasText: "Cancel" }).click();
  await row("long.md").locator(".file-state", { hasText: "Cancelled" }).waitFor();
  assert.equal(await bar.isVisible(), false);
  await page.paste("你好。");
  await page.translated();
  await row("long.md").locator("button", { hasText: "Remove" }).click();
  assert.equal(await page.page.locator("#files").isVisible(), false);
});

test("n5_a file that is none says so", async () => {
  await open([{ name: "broken.docx", content: "no archive" }]);
  await row("broken.docx").and(page.page.locator(".failed")).waitFor({ timeout: 30_000 });
  assert.match((await row("broken.docx").locator(".file-state").textContent()) ?? "", /^The file is damaged/);
  await open([{ name: "a.pdf", content: "%PDF-1.7" }, { name: "a.json", content: '{"a": ' }]);
  await row("a.pdf").locator(".file-state", { hasText: "This kind of file is not supported" }).waitFor();
  await row("a.json").locator(".file-state", { hasText: /mistake in the file.*line 1/ }).waitFor();
  const chinese = await TranslatorPage.open(browser, server.url, { locale: "zh-CN" });
  await chinese.ready();
  await chinese.page.locator("#file").setInputFiles([{ name: "a.docx", mimeType: "", buffer: Buffer.from("no archive") }]);
  await chinese.page.locator("#file-list .file-state", { hasText: "文件已损坏" }).waitFor();
  await chinese.close();
});

test("n4_of a table the column with Chinese is offered first", async () => {
  await open([{ name: "goods.csv", content: "编号,price,名称\n1,3,你好\n2,4,学校\n" }]);
  assert.equal(await row("goods.csv").locator("select").inputValue(), "名称");
  await row("goods.csv").locator("button", { hasText: "Translate" }).click();
  const { content } = await result("goods.csv");
  assert.match(String(content), /^编号,price,名称\n1,3,[A-Za-z][^,]*\n2,4,[A-Za-z][^,]*\n$/);
});

test("k4_a plain text becomes the text, whatever its encoding", async () => {
  const utf16 = Buffer.from("\ufeff你好，世界。", "utf16le");
  const gb18030 = Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 0xa1, 0xa3]);
  for (const [content, text] of /** @type {[string | Buffer, string][]} */ ([["你好。\n", "你好。\n"], [utf16, "你好，世界。"], [gb18030, "你好。"]])) {
    await open([{ name: "letter.txt", content }]);
    await page.page.waitForFunction((text) => /** @type {any} */ (document.getElementById("source")).value === text, text);
    assert.equal(await page.translated(), await server.translate(text));
  }
});

test("k4_the translation can be downloaded", async () => {
  await page.paste("我们今天去学校。\n\n你好。");
  const shown = await page.translated();
  const [download] = await Promise.all([page.page.waitForEvent("download"), page.page.locator("#download").click()]);
  assert.equal(download.suggestedFilename(), "translation.txt");
  assert.equal(await readFile(await download.path(), "utf8"), shown);
});

test("k4_what is dragged over the page is announced, and dropped in it", async () => {
  await page.page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(["# 你好\n"], "drop.md", { type: "text/markdown" }));
    document.body.dispatchEvent(new DragEvent("dragover", { dataTransfer: data, bubbles: true, cancelable: true }));
    /** @type {any} */ (window).dropped = data;
  });
  await page.page.locator("#drop").waitFor();
  await page.page.evaluate(() => {
    const dataTransfer = /** @type {any} */ (window).dropped;
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  });
  assert.equal(await page.page.locator("#drop").isVisible(), false);
  assert.match((await result("drop.md")).content.toString(), /^# [A-Za-z]/);
});

test("k4_a copied file is pasted as a file", async () => {
  await page.page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(["# 你好\n"], "copied.md", { type: "text/markdown" }));
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    document.getElementById("source")?.dispatchEvent(event);
  });
  assert.match((await result("copied.md")).content.toString(), /^# [A-Za-z]/);
  assert.equal(await page.source.inputValue(), "");
});
