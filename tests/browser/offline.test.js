/** What the browser keeps: the page and the model, complete or not at all. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { launch, TranslatorPage } from "./support/page.js";
import { SITE } from "./support/server.js";
import { StaticSite } from "./support/static-site.js";
import { OTHER_PARAGRAPH, PARAGRAPH } from "./support/texts.js";

const ENGLISH = /[A-Za-z]{2,}/;

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** Waits until the page is kept and answers for the site. @param {TranslatorPage} page */
const kept = async (page) => {
  await page.page.waitForFunction(() => navigator.serviceWorker.controller !== null, undefined, { timeout: 60_000 });
};

/** Makes the site another version, in which a file has more at its end. @param {StaticSite} site @param {string} path @param {string} more */
const publish = async (site, path, more) => {
  const { createHash } = await import("node:crypto");
  const manifest = JSON.parse(await readFile(join(SITE, "manifest.json"), "utf8"));
  const content = (await readFile(join(SITE, path), "utf8")) + more;
  const sha256 = createHash("sha256").update(content).digest("hex");
  const { version } = manifest;
  manifest.version = sha256.slice(0, 16);
  manifest.files[path] = { bytes: Buffer.byteLength(content), sha256 };
  const worker = (await readFile(join(SITE, "sw.js"), "utf8")).replace(version, manifest.version);
  site.change(path, content);
  site.change("manifest.json", JSON.stringify(manifest));
  site.change("sw.js", worker);
};

test("h1_h9_a plain folder below a path: offline after one visit, also after a hard reload", async () => {
  const site = await StaticSite.start("/a/b/");
  const page = await TranslatorPage.open(browser, site.url);
  await page.ready();
  await kept(page);
  await page.paste(PARAGRAPH);
  const online = await page.translated();
  // A hard reload passes the service worker by.
  const client = await page.page.context().newCDPSession(page.page);
  await Promise.all([page.page.waitForEvent("load"), client.send("Page.reload", { ignoreCache: true })]);
  await page.ready();
  await site.stop();
  await page.page.context().setOffline(true);
  await page.page.goto(new URL("?other", site.url).href);
  await page.ready();
  await page.paste(PARAGRAPH);
  assert.equal(await page.translated(), online);
  await page.page.reload();
  await page.ready();
  await page.paste(OTHER_PARAGRAPH);
  assert.match(await page.translated(), ENGLISH);
  await page.close();
});

test("h9_the page can be installed", async () => {
  const site = await StaticSite.start("/app/");
  const page = await TranslatorPage.open(browser, site.url);
  await page.ready();
  const href = await page.page.locator("link[rel=manifest]").evaluate((link) => /** @type {HTMLLinkElement} */ (link).href);
  const manifest = await (await fetch(href)).json();
  assert.equal(new URL(manifest.start_url, href).href, site.url);
  assert.equal(manifest.display, "standalone");
  assert.ok(manifest.name && manifest.short_name);
  for (const { src, sizes, type } of manifest.icons) {
    const response = await fetch(new URL(src, href));
    assert.equal(response.headers.get("Content-Type"), type);
    if (type === "image/png") {
      const bytes = Buffer.from(await response.arrayBuffer());
      assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes);
    }
  }
  const client = await page.page.context().newCDPSession(page.page);
  const { errors } = await client.send("Page.getAppManifest");
  assert.deepEqual(errors, []);
  await kept(page);
  const { installabilityErrors } = await client.send("Page.getInstallabilityErrors");
  // Chromium never installs from a private window, which is what every test runs in.
  const others = installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito");
  assert.deepEqual(others, []);
  await page.close();
  await site.stop();
});

test("h7_a new version is announced, and taken when the person reloads", async () => {
  const site = await StaticSite.start("/");
  const page = await TranslatorPage.open(browser, site.url);
  await page.ready();
  await kept(page);
  await publish(site, "css/tokens.css", "\n:root { --second-version: 1; }\n");
  await page.page.reload();
  await page.ready();
  const version = () =>
    page.page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--second-version").trim());
  const notice = page.page.locator("#notices .notice", { hasText: "new version" });
  await notice.waitFor();
  assert.equal(await version(), "", "the old page has a file of the new version");
  await Promise.all([page.page.waitForEvent("load"), notice.locator("button").click()]);
  await page.ready();
  assert.equal(await version(), "1");
  const caches = await page.page.evaluate(() => globalThis.caches.keys());
  assert.equal(caches.filter((name) => name.startsWith("csanmt-site-")).length, 1);
  await page.close();
  await site.stop();
});

test("h3_h7_a version that does not arrive whole never takes the place of the old one", async () => {
  const site = await StaticSite.start("/");
  const page = await TranslatorPage.open(browser, site.url);
  await page.ready();
  await kept(page);
  await publish(site, "css/tokens.css", "\n:root { --second-version: 1; }\n");
  site.change("css/layout.css", "half a fi");
  await page.page.evaluate(async () => (await navigator.serviceWorker.ready).update().catch(() => {}));
  await page.page.waitForTimeout(1500);
  assert.equal(await page.page.locator("#notices .notice").count(), 0);
  await site.stop();
  await page.page.context().setOffline(true);
  await page.page.reload();
  await page.ready();
  await page.paste(PARAGRAPH);
  assert.match(await page.translated(), ENGLISH);
  await page.close();
});

test("h4_without Cache API, and with a full one, the page works from memory and says so", async () => {
  const site = await StaticSite.start("/");
  for (const [index, spoil] of [
    () => {
      Object.defineProperty(window, "caches", { value: undefined });
      Object.defineProperty(navigator, "serviceWorker", { value: undefined });
    },
    () => {
      Cache.prototype.put = () => Promise.reject(new DOMException("full", "QuotaExceededError"));
    },
    () => {
      Object.defineProperty(window, "localStorage", {
        get: () => {
          throw new DOMException("no", "SecurityError");
        },
      });
    },
  ].entries()) {
    const context = await browser.newContext({ locale: "en-US", serviceWorkers: "block" });
    await context.addInitScript(spoil);
    const page = await TranslatorPage.open(browser, site.url, {}, context);
    await page.ready();
    await page.paste(PARAGRAPH);
    assert.match(await page.translated(), ENGLISH);
    if (index < 2) {
      await page.page.locator("#notices .notice", { hasText: "could not be stored" }).waitFor();
    }
    await page.close();
  }
  await site.stop();
});

test("h5_what is stored is told, the model can be removed and comes back at the next visit", async () => {
  const site = await StaticSite.start("/");
  const page = await TranslatorPage.open(browser, site.url);
  await page.ready();
  await kept(page);
  const models = () => site.requests.filter((path) => path.startsWith("models/")).length;
  await page.page.reload();
  await page.ready();
  assert.equal(models(), 1, "the model was downloaded again");
  await page.page.locator("#open-settings").click();
  const stored = page.page.locator("#stored");
  await stored.filter({ hasText: /[1-9]\d*\.\d MB stored.*model is [1-9]/ }).waitFor();
  await page.page.locator("#persist").click();
  await page.page.locator("#persisted", { hasText: /keep|remove/ }).waitFor();
  await page.page.locator("#remove-model").click();
  await stored.filter({ hasText: /model is 0\.0 MB/ }).waitFor();
  assert.equal(await page.page.locator("#remove-model").isDisabled(), true);
  await page.page.keyboard.press("Escape");
  await page.paste(PARAGRAPH);
  assert.match(await page.translated(), ENGLISH);
  await page.page.reload();
  await page.ready();
  assert.equal(models(), 2);
  await page.close();
  await site.stop();
});

test("h6_progress never falls and ends at the whole, also when the connection breaks", async () => {
  const site = await StaticSite.start("/");
  const context = await browser.newContext({ locale: "en-US", serviceWorkers: "block" });
  await context.addInitScript(() => {
    /** @type {any} */ (window).shares = [];
    addEventListener("DOMContentLoaded", () => {
      const bar = /** @type {HTMLProgressElement} */ (document.getElementById("loading-bar"));
      new MutationObserver(() => /** @type {any} */ (window).shares.push(bar.value)).observe(bar, { attributes: true });
    });
  });
  const page = await TranslatorPage.open(browser, site.url, {}, context);
  await page.ready();
  const shares = await page.page.evaluate(() => /** @type {any} */ (window).shares.filter((/** @type {number} */ share) => share >= 0));
  assert.ok(shares.length > 2, `only ${shares.length} steps`);
  assert.deepEqual(shares, shares.toSorted((/** @type {number} */ a, /** @type {number} */ b) => a - b));
  assert.equal(shares.at(-1), 1);
  await page.close();
  await site.stop();
});
