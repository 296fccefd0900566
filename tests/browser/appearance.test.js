/** How the page looks and reads: pictures for the eye, rules for the rest. */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";

import { launch, TranslatorPage } from "./support/page.js";
import { Server } from "./support/server.js";
import { SENTENCES } from "./support/texts.js";

const PICTURES =
  process.env.SCREENSHOTS ?? fileURLToPath(new URL("../../target/screenshots", import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");

const TEXT = [
  "今天天气很好，我们去公园吧。我喜欢学习中文和英文。",
  "",
  SENTENCES.slice(0, 3).join(""),
  "",
  SENTENCES.slice(200, 206).join(""),
].join("\n");

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Server} */
let server;
before(async () => {
  mkdirSync(PICTURES, { recursive: true });
  browser = await launch();
  server = await Server.start();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Widths of phones, tablets and desks; the narrowest that must do; a desk at 200 % zoom. */
const SIZES = [
  { name: "320", viewport: { width: 320, height: 568 } },
  { name: "360", viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 },
  { name: "768", viewport: { width: 768, height: 1024 } },
  { name: "1440", viewport: { width: 1440, height: 900 } },
  { name: "zoomed", viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
];
/** @type {({ name: string } & import("playwright-core").BrowserContextOptions)[]} */
const LOOKS = [
  ...SIZES.map((size) => ({ ...size, colorScheme: /** @type {const} */ ("light") })),
  ...SIZES.map((size) => ({ ...size, name: `${size.name}-dark`, colorScheme: /** @type {const} */ ("dark") })),
  { name: "1440-chinese", viewport: { width: 1440, height: 900 }, locale: "zh-CN" },
].filter(({ name }) => name !== "zoomed-dark" && name !== "320-dark");

for (const { name, ...options } of LOOKS) {
  test(`k7_${name}: no overflow, no accessibility violation in any state`, async () => {
    const page = await TranslatorPage.open(browser, server.url, { reducedMotion: "reduce", ...options });
    const look = async (/** @type {string} */ state) => {
      await page.rendered();
      await page.page.screenshot({ path: `${PICTURES}/${name}-${state}.png` });
      await checkRules(page);
    };
    await page.ready();
    await look("empty");
    await page.paste(TEXT);
    await page.rendered();
    await page.page.locator("#target[aria-busy=false]").waitFor();
    await page.page.waitForFunction(() => document.querySelector("#mirror .block"));
    await page.target.focus();
    await page.page.keyboard.press("ArrowRight");
    await look("translated");
    await page.page.keyboard.press("Enter");
    await page.page.locator("#alternatives").waitFor();
    await page.page.waitForFunction(
      () => !/…$/.test(document.getElementById("alternatives-note")?.textContent ?? ""),
    );
    await look("alternatives");
    await page.page.keyboard.press("Escape");
    for (const dialog of ["settings", "glossary"]) {
      await page.page.locator(`#open-${dialog}`).click();
      await look(dialog);
      await page.page.keyboard.press("Escape");
    }
    await page.close();
  });
}

test("k7_files, messages, history and a long text: no accessibility violation", async () => {
  const page = await TranslatorPage.open(browser, server.url, { viewport: { width: 768, height: 1024 }, reducedMotion: "reduce" });
  const look = async (/** @type {string} */ state) => {
    await page.rendered();
    await page.page.screenshot({ path: `${PICTURES}/768-${state}.png` });
    await checkRules(page);
  };
  await page.ready();
  await page.page.locator("#file").setInputFiles([
    { name: "notes.md", mimeType: "", buffer: Buffer.from("# 你好\n") },
    { name: "broken.docx", mimeType: "", buffer: Buffer.from("no archive") },
    { name: "goods.csv", mimeType: "", buffer: Buffer.from("编号,名称\n1,你好\n") },
  ]);
  await page.page.locator("#file-list button", { hasText: "Download" }).waitFor({ timeout: 60_000 });
  await page.page.locator("#file-list .failed").waitFor({ timeout: 60_000 });
  await page.page.locator("#open-settings").click();
  await page.page.locator("#keep-history").check();
  await page.page.keyboard.press("Escape");
  await page.paste("我们今天去学校。");
  await page.translated();
  await page.page.waitForFunction(() => localStorage.getItem("csanmt.history"));
  await page.page.locator("#swap").click();
  await page.page.locator("#hint", { hasText: "not Chinese" }).waitFor();
  await look("files");
  await page.page.locator("#open-history").click();
  await look("history");
  await page.page.keyboard.press("Escape");
  await page.paste(SENTENCES.join("\n").repeat(10).slice(0, 70_000));
  await page.page.locator("#paragraphs textarea").waitFor();
  await page.page.waitForFunction(() => (document.getElementById("target")?.textContent?.length ?? 0) > 500);
  await look("long");
  await page.close();
});

test("while loading, while translating, and when loading fails", async () => {
  const options = { viewport: { width: 1280, height: 800 }, serviceWorkers: /** @type {const} */ ("block") };
  const page = await TranslatorPage.open(browser, "about:blank", options);
  await page.page.route("**/*.wasm", () => {});
  await page.page.goto(server.url);
  await page.page.locator("#loading").waitFor();
  await page.page.screenshot({ path: `${PICTURES}/loading.png` });
  await checkRules(page);
  await page.page.unroute("**/*.wasm");
  await page.page.route("**/manifest.json", (route) => route.abort());
  await page.page.reload();
  await page.page.locator("#notice").waitFor();
  await page.page.screenshot({ path: `${PICTURES}/failed.png` });
  await checkRules(page);
  await page.page.unroute("**/manifest.json");
  await page.page.locator("#retry").click();
  await page.ready();
  await page.paste(SENTENCES.slice(0, 300).join(""));
  await page.page.waitForFunction(() => document.getElementById("target")?.textContent !== "");
  await page.page.waitForTimeout(600);
  await page.page.screenshot({ path: `${PICTURES}/translating.png` });
  await page.close();
});

test("k7_the panes name their languages, and every control can be reached by keyboard", async () => {
  const page = await TranslatorPage.open(browser, server.url);
  await page.ready();
  assert.equal(await page.source.getAttribute("lang"), "zh-Hans");
  assert.equal(await page.target.getAttribute("lang"), "en");
  await page.paste("你好。");
  await page.translated();
  await page.source.focus();
  const reached = [];
  for (let press = 0; press < 13; press += 1) {
    await page.page.keyboard.press("Tab");
    reached.push(await page.page.evaluate(() => document.activeElement?.id));
  }
  const after = ["auto", "translate", "target", "copy", "download", "share"];
  assert.deepEqual(reached.slice(0, after.length), after);
  for (const id of ["open-file", "open-glossary", "open-settings", "clear", "swap"]) {
    assert.ok(reached.includes(id), `${id} is not among ${reached}`);
  }
  await page.close();
});

test("k7_the whole page works at 320 pixels and in forced colours", async () => {
  const page = await TranslatorPage.open(browser, server.url, {
    viewport: { width: 320, height: 568 },
    forcedColors: "active",
  });
  await page.ready();
  await page.paste("你好。");
  await page.translated();
  for (const id of ["clear", "swap", "auto", "translate", "copy", "download", "share", "open-file", "open-settings"]) {
    const control = page.page.locator(`#${id}`);
    await control.scrollIntoViewIfNeeded();
    const box = await control.boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 320, `${id} is at ${JSON.stringify(box)}`);
    assert.ok(box.height >= 20 && box.width >= 20, `${id} is too small: ${JSON.stringify(box)}`);
  }
  await page.close();
});

for (const width of [360, 768]) {
  test(`k7_names stay on one line and nothing moves while a text is translated, ${width} pixels`, async () => {
    const page = await TranslatorPage.open(browser, server.url, { viewport: { width, height: 740 } });
    await page.ready();
    await page.page.locator("#open-settings").click();
    await page.page.locator("#keep-history").check();
    for (const select of await page.page.locator("#settings select").all()) {
      const cut = await select.evaluate((element) => element.scrollWidth - element.clientWidth);
      assert.ok(cut <= 0, `a choice is ${cut} pixels too narrow`);
    }
    await page.page.keyboard.press("Escape");
    await page.page.evaluate(() => {
      const global = /** @type {any} */ (window);
      global.seen = new Set();
      const look = () => {
        const lines = ["h1", "#source-label", "#target-label", "#status"].map((selector) => {
          const range = document.createRange();
          range.selectNodeContents(/** @type {Element} */ (document.querySelector(selector)));
          return `${selector} ${new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size}`;
        });
        const { top, right } = /** @type {Element} */ (document.getElementById("target")).getBoundingClientRect();
        global.seen.add(`target at ${top} to ${right}, lines: ${lines.filter((line) => !/ [01]$/.test(line))}`);
        requestAnimationFrame(look);
      };
      look();
    });
    await page.paste(SENTENCES.slice(0, 200).join(""));
    await page.translated();
    const seen = await page.page.evaluate(() => [.../** @type {any} */ (window).seen]);
    assert.equal(seen.length, 1, `${seen}`);
    assert.match(seen[0], /lines: $/);
    await page.close();
  });
}

/** @param {TranslatorPage} page */
async function checkRules(page) {
  const { overflow, violations } = await page.page.evaluate(
    `(async () => {
      ${AXE};
      const { violations } = await axe.run();
      return {
        overflow: document.documentElement.scrollWidth - innerWidth,
        violations: violations.map(({ id, nodes }) => id + ": " + nodes.map((node) => node.html).join(" ")),
      };
    })()`,
  );
  assert.deepEqual(violations, []);
  assert.ok(overflow <= 0, `the page is ${overflow} pixels wider than the window`);
}
