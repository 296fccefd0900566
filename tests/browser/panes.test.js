/** The two panes: scrolling, copying, clearing, counting, and keeping the layout of the text. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launch, TranslatorPage } from "./support/page.js";
import { Server } from "./support/server.js";
import { longText, PARAGRAPH } from "./support/texts.js";

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Server} */
let server;
/** @type {TranslatorPage} */
let page;
before(async () => {
  browser = await launch();
  server = await Server.start();
  page = await TranslatorPage.open(browser, server.url, {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await page.ready();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const clipboard = () => page.page.evaluate(() => navigator.clipboard.readText());

/** The share of its content that a pane is scrolled past. */
const share = (/** @type {string} */ id) =>
  page.page.evaluate((id) => {
    const pane = document.getElementById(id);
    return pane ? pane.scrollTop / (pane.scrollHeight - pane.clientHeight) : NaN;
  }, id);

/** Turns the wheel over a pane. */
const wheel = async (/** @type {string} */ id, /** @type {number} */ pixels) => {
  await page.page.locator(`#${id}`).hover();
  await page.page.mouse.wheel(0, pixels);
  // The browser may spread the movement over some frames.
  let before = NaN;
  for (let now = await share(id); now !== before; now = await share(id)) {
    before = now;
    await page.page.waitForTimeout(60);
  }
};

/** The line of a pane that stands a share of its height below its upper edge. Every line is one sentence here. */
const lineAt = (/** @type {"source" | "target"} */ id, /** @type {number} */ share) =>
  page.page.evaluate(([id, share]) => {
    const pane = /** @type {HTMLElement} */ (document.getElementById(/** @type {string} */ (id)));
    const y = pane.scrollTop + Number(share) * pane.clientHeight;
    // The text of a field is measured by the copy behind it.
    const sheet = /** @type {HTMLElement} */ (id === "source" ? document.querySelector("#mirror .sheet") : pane);
    const start = sheet.getBoundingClientRect().top - sheet.scrollTop;
    const walker = document.createTreeWalker(sheet, NodeFilter.SHOW_TEXT);
    let line = 0;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent ?? "";
      for (let at = 0; at < text.length; at = (text.indexOf("\n", at) + 1) || text.length) {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        if (range.getBoundingClientRect().top - start > y) {
          return line;
        }
        line += 1;
      }
    }
    return line;
  }, [id, share]);

test("k4_each pane follows the other sentence by sentence, and to both ends", async () => {
  // Lines that are kept as they are, then lines that grow: shares of the height do not agree.
  const kept = Array.from({ length: 40 }, (_, index) => `https://example.org/${index}`);
  await page.paste(`${kept.join("\n")}\n${longText(60)}`);
  await page.translated();
  await page.page.waitForFunction(
    () => document.querySelector("#mirror .sheet")?.textContent === /** @type {any} */ (document.getElementById("source")).value,
  );
  for (const [leader, follower] of /** @type {const} */ ([["source", "target"], ["target", "source"]])) {
    for (const pixels of [300, 500, 700, -200, 100_000, -400, -900, -100_000]) {
      const before = await share(leader);
      await wheel(leader, pixels);
      const led = await share(leader);
      assert.ok(Math.sign(led - before) === Math.sign(pixels), `${leader} went from ${before} to ${led}`);
      const [line, other] = [await lineAt(leader, led), await lineAt(follower, led)];
      assert.ok(Math.abs(line - other) <= 1, `${leader} is at line ${line}, ${follower} at line ${other}`);
      if (led === 0 || led > 0.999) {
        assert.ok(Math.abs((await share(follower)) - led) < 0.01, `${follower} is not at the end`);
      }
    }
  }
});

test("an edit at the end of a long text does not scroll away from it", async () => {
  await page.paste(longText(60));
  await page.translated();
  await page.source.focus();
  await page.page.keyboard.press("Control+End");
  await page.page.keyboard.type("你好。");
  await page.translated();
  assert.ok((await share("source")) > 0.98);
  assert.ok((await share("target")) > 0.98);
});

test("k4_copies the whole translation and says so", async () => {
  await page.paste(`${PARAGRAPH}\n\n${PARAGRAPH}`);
  const shown = await page.translated();
  const copy = page.page.locator("#copy");
  await copy.click();
  assert.equal(await clipboard(), shown);
  assert.match((await copy.textContent()) ?? "", /Copied/);
  assert.equal(await page.status.textContent(), "Copied");
  await page.page.locator("#copy-label", { hasText: /^Copy$/ }).waitFor();
});

test("a selection across lines is copied as it is in the text", async () => {
  await page.paste("你好。\n\n  谢谢。\n");
  const shown = await page.translated();
  await page.target.evaluate((element) => document.getSelection()?.selectAllChildren(element));
  await page.page.keyboard.press("Control+C");
  assert.equal(await clipboard(), shown);
});

test("c1_c2_lines out are lines in, with their spaces", async () => {
  const source = "\n第一行。\n\n　第二行。第三句。\n";
  await page.paste(source);
  const shown = await page.translated();
  assert.equal(shown.split("\n").length, source.split("\n").length);
  assert.equal(shown, await server.translate(source));
});

test("k4_clear empties both panes and goes back to typing", async () => {
  await page.paste(PARAGRAPH);
  await page.translated();
  await page.page.locator("#clear").click();
  assert.equal(await page.source.inputValue(), "");
  await page.rendered();
  assert.equal(await page.shown(), "");
  assert.equal(await page.page.evaluate(() => document.activeElement?.id), "source");
  for (const id of ["#clear", "#copy", "#translate"]) {
    assert.equal(await page.page.locator(id).isDisabled(), true, id);
  }
  assert.equal(await page.page.locator("#count").textContent(), "0 characters");
});

test("k6_a long paste keeps what was there, and can be undone", async () => {
  await page.paste("");
  await page.source.fill("前后");
  await page.source.evaluate((field) => /** @type {HTMLTextAreaElement} */ (field).setSelectionRange(1, 1));
  const pasted = longText(450);
  // A long text comes into the field in pieces.
  const complete = (/** @type {string} */ expected) => page.page.waitForFunction(
    (expected) => document.querySelector("textarea")?.value === expected,
    expected,
    { timeout: 5000 },
  );
  await page.source.evaluate((field, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, pasted);
  await page.page.keyboard.type("好");
  await complete(`前${pasted}好后`);
  await page.source.evaluate((field, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, "很".repeat(7000));
  await page.page.keyboard.press("Control+z");
  await complete(`前${pasted}好后`);
});

test("k4_counts characters as people do", async () => {
  await page.paste("𠮷野家");
  await page.translated();
  assert.equal(await page.page.locator("#count").textContent(), "3 characters");
  await page.paste("好");
  await page.translated();
  assert.equal(await page.page.locator("#count").textContent(), "1 character");
});

test("c3_blank text is not translated", async () => {
  const before = (await page.messages("translate")).length;
  await page.paste(" \n　\t");
  await page.page.keyboard.press("Control+Enter");
  await page.page.waitForTimeout(400);
  assert.equal((await page.messages("translate")).length, before);
  assert.equal(await page.shown(), "");
});

test("k4_a dropped text file becomes the text", async () => {
  await page.paste("");
  await page.page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(["你好。\n"], "letter.txt", { type: "text/plain" }));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await page.translated();
  assert.equal(await page.source.inputValue(), "你好。\n");
});

test("f1_a thousand translations do not grow the engine's memory", async () => {
  const manifest = await (await fetch(`${server.url}manifest.json`)).json();
  const limit = 1.3 * manifest.files[manifest.model].bytes + 32e6;
  // With several workers it is chance which sentences one of them gets, and so when it meets those
  // that need most.
  const context = await browser.newContext({ locale: "en-US" });
  await context.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, "hardwareConcurrency", { value: 1 });
  });
  const alone = await TranslatorPage.open(browser, server.url, {}, context);
  await alone.ready();
  const bytes = [];
  for (let round = 0; round < 6; round += 1) {
    await alone.paste("");
    await alone.paste(longText(200 + (round % 2)));
    await alone.translated();
    bytes.push(Math.max(...(await alone.messages("done")).map(({ memoryBytes }) => memoryBytes)));
  }
  assert.equal(bytes.at(-1), bytes[2], `memory after each round: ${bytes}`);
  assert.ok(Math.max(...bytes) <= limit, `${bytes} bytes, more than ${limit}`);
  assert.deepEqual(alone.complaints, []);
  await alone.close();
});

test("the console is free of complaints", () => {
  assert.deepEqual(page.complaints, []);
});
