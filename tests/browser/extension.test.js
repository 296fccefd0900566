/** The example of a browser extension, loaded into Chromium as its README says. */

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";

import { chromium } from "playwright-core";

import { LibrarySite, MODEL_FILE } from "./support/library-site.js";
import { SITE } from "./support/server.js";

const EXAMPLE = fileURLToPath(new URL("../../www/examples/page-translator", import.meta.url));
/** `cargo xtask package` lays it out beside the site. */
const PACKAGE = join(SITE, "../package");

const folder = mkdtempSync(join(tmpdir(), "csanmt-extension-"));
/** @type {LibrarySite} */
let site;
before(async () => {
  site = await LibrarySite.start();
});
after(async () => {
  await site?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("i7 an extension's service worker translates the text of a page, and a second click undoes it", async () => {
  const extension = join(folder, "extension");
  cpSync(EXAMPLE, extension, { recursive: true });
  cpSync(PACKAGE, join(extension, "csanmt"), { recursive: true });
  cpSync(MODEL_FILE, join(extension, "model.safetensors"));
  // A click on the button of the browser cannot be made here; it would give the right to the page.
  const manifest = JSON.parse(readFileSync(join(extension, "manifest.json"), "utf8"));
  manifest.host_permissions = ["<all_urls>"];
  writeFileSync(join(extension, "manifest.json"), JSON.stringify(manifest));
  site.pages["/text.html"] = "<!doctype html><meta charset=utf-8><h1>你好。</h1><p>我们<b>今天</b>去学校。</p><p>English.</p>";

  const context = await chromium.launchPersistentContext(join(folder, "profile"), {
    executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
    headless: false,
    args: ["--headless=new", "--no-sandbox", "--disable-gpu", `--disable-extensions-except=${extension}`, `--load-extension=${extension}`],
  });
  try {
    const background = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
    const page = await context.newPage();
    await page.goto(`${site.url}/text.html`);
    const click = () =>
      background.evaluate(async () => {
        const { chrome } = /** @type {any} */ (globalThis);
        const [{ id }] = await chrome.tabs.query({ active: true });
        await chrome.scripting.executeScript({ target: { tabId: id }, files: ["content.js"] });
      });
    const shown = () => page.locator("body").innerText();
    const original = await shown();
    await click();
    await page.waitForFunction(() => !/\p{Script=Han}/u.test(document.body.innerText), undefined, { timeout: 60_000 });
    assert.match(await shown(), /^[A-Za-z][^\n]*\n+[A-Za-z][^\n]*\n+English\.$/);
    assert.match(await page.locator("p").first().innerHTML(), /^[A-Z][^<]*<b>today<\/b>/);
    await click();
    assert.equal(await shown(), original);
  } finally {
    await context.close();
  }
});
