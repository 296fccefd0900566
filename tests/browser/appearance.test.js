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
  SENTENCES.slice(0, 3).join(""),
  "",
  SENTENCES.slice(200, 206).join(""),
  "",
  SENTENCES.slice(300, 304).join(""),
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

/** @type {{ name: string, options: import("playwright-core").BrowserContextOptions }[]} */
const LOOKS = [
  { name: "wide", options: { viewport: { width: 1280, height: 800 } } },
  { name: "dark", options: { viewport: { width: 1280, height: 800 }, colorScheme: "dark" } },
  { name: "phone", options: { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2 } },
  {
    name: "phone-dark",
    options: { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, colorScheme: "dark" },
  },
  { name: "narrowest", options: { viewport: { width: 320, height: 568 } } },
  { name: "chinese", options: { viewport: { width: 1280, height: 800 }, locale: "zh-CN" } },
];

for (const { name, options } of LOOKS) {
  test(`${name}: no overflow, no accessibility violation`, async () => {
    const page = await TranslatorPage.open(browser, server.url, { reducedMotion: "reduce", ...options });
    await page.ready();
    await page.rendered();
    await page.page.screenshot({ path: `${PICTURES}/${name}-empty.png` });
    await checkRules(page);
    await page.paste(TEXT);
    await page.rendered();
    await page.page.locator("#target[aria-busy=false]").waitFor();
    await page.page.screenshot({ path: `${PICTURES}/${name}.png` });
    await checkRules(page);
    await page.close();
  });
}

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

test("the panes name their languages, and every control can be reached by keyboard", async () => {
  const page = await TranslatorPage.open(browser, server.url);
  await page.ready();
  assert.equal(await page.source.getAttribute("lang"), "zh-Hans");
  assert.equal(await page.target.getAttribute("lang"), "en");
  await page.paste("你好。");
  await page.translated();
  await page.source.focus();
  const reached = [];
  for (let press = 0; press < 6; press += 1) {
    await page.page.keyboard.press("Tab");
    reached.push(await page.page.evaluate(() => document.activeElement?.id));
  }
  assert.deepEqual(reached.slice(0, 4), ["auto", "translate", "copy", "target"]);
  await page.close();
});

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
