/** The page from loading to offline. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launch, TranslatorPage } from "./support/page.js";
import { Server } from "./support/server.js";
import { StaticSite } from "./support/static-site.js";
import { OTHER_PARAGRAPH, PARAGRAPH } from "./support/texts.js";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const ENGLISH = /^[\x20-\x7e\n]*[A-Za-z]{2,}[\x20-\x7e\n]*$/;

test("translates a paragraph, and another one after server and network are gone", async () => {
  const server = await Server.start();
  const page = await TranslatorPage.open(browser, server.url);
  await page.source.pressSequentially(PARAGRAPH, { delay: 10 });
  await page.ready();
  const first = await page.translated();
  assert.match(first, ENGLISH);

  await server.stop();
  await page.page.context().setOffline(true);
  await page.source.fill("");
  await page.rendered();
  assert.equal(await page.shown(), "");
  await page.source.pressSequentially(OTHER_PARAGRAPH, { delay: 10 });
  const second = await page.translated();
  assert.match(second, ENGLISH);
  assert.notEqual(second, first);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("h2_asks nobody but its own server", async () => {
  const server = await Server.start();
  const page = await TranslatorPage.open(browser, server.url);
  await page.ready();
  await page.paste(PARAGRAPH);
  await page.translated();
  const { origin } = new URL(server.url);
  const elsewhere = page.requests.filter((url) => new URL(url).origin !== origin);
  assert.deepEqual(elsewhere, []);
  const names = page.requests.map((url) => new URL(url).pathname);
  assert.ok(names.some((name) => name.endsWith(".wasm")), `no wasm among ${names}`);
  assert.ok(names.some((name) => name.endsWith(".safetensors")), `no model among ${names}`);
  assert.deepEqual(page.complaints, []);
  await page.close();
  await server.stop();
});

test("h6_the loading progress rises to the size of the model", async () => {
  const server = await Server.start();
  const page = await TranslatorPage.open(browser, server.url);
  await page.ready();
  const manifest = await (await fetch(`${server.url}manifest.json`)).json();
  const { bytes } = manifest.files[manifest.model];
  const progress = await page.page.evaluate(async ({ modelUrl, modelBytes }) => {
    const { Translator } = await import(new URL("lib/index.js", location.href).href);
    /** @type {{ loaded: number, total: number }[]} */
    const progress = [];
    const languages = { sourceLanguage: "zh", targetLanguage: "en" };
    const onprogress = (/** @type {any} */ report) => progress.push(report);
    // Not what the page has loaded already.
    (await Translator.create({ ...languages, modelUrl, modelBytes, onprogress, store: null })).destroy();
    return progress;
  }, { modelUrl: manifest.model, modelBytes: bytes });
  assert.ok(progress.length > 2, `only ${progress.length} reports`);
  assert.ok(progress.every(({ total }) => total === bytes));
  const loaded = progress.map((report) => report.loaded);
  assert.deepEqual(loaded, loaded.toSorted((a, b) => a - b));
  assert.equal(loaded.at(-1), bytes);
  assert.ok(loaded[0] < bytes, "the first report says that all is there");
  await page.close();
  await server.stop();
});

test("h1_after one visit a reload works offline", async () => {
  const server = await Server.start();
  const page = await TranslatorPage.open(browser, server.url);
  await page.ready();
  await page.page.evaluate(() => navigator.serviceWorker.ready);
  await page.page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await server.stop();
  await page.page.context().setOffline(true);
  await page.page.reload();
  await page.ready();
  await page.paste(PARAGRAPH);
  assert.match(await page.translated(), ENGLISH);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("h9_below a path of a static host, online and offline", async () => {
  const base = "/some/path/";
  const site = await StaticSite.start(base);
  const page = await TranslatorPage.open(browser, site.url);
  await page.ready();
  await page.paste(PARAGRAPH);
  const online = await page.translated();
  assert.match(online, ENGLISH);
  await page.page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  const scope = await page.page.evaluate(async () => (await navigator.serviceWorker.ready).scope);
  assert.equal(scope, site.url);
  const outside = page.requests.filter((url) => !url.startsWith(site.url));
  assert.deepEqual(outside, []);

  await site.stop();
  await page.page.context().setOffline(true);
  await page.page.reload();
  await page.ready();
  await page.paste(OTHER_PARAGRAPH);
  assert.match(await page.translated(), ENGLISH);
  await page.paste(PARAGRAPH);
  await page.page.waitForFunction((text) => document.getElementById("target")?.textContent === text, online);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("k6_says what is wrong when loading fails, keeps the text and tries again", async () => {
  const server = await Server.start();
  const context = await browser.newContext({ locale: "en-US", serviceWorkers: "block" });
  const page = new TranslatorPage(await context.newPage());
  await page.page.route("**/manifest.json", (route) => route.fulfill({ status: 404 }));
  await page.page.goto(server.url);
  await page.source.fill("你好。");
  const notice = page.page.locator("#notice");
  await notice.waitFor();
  assert.match((await notice.textContent()) ?? "", /could not be loaded.*404/);

  await page.page.unroute("**/manifest.json");
  await page.page.locator("#retry").click();
  await page.ready();
  assert.match(await page.translated(), ENGLISH);
  assert.equal(await page.source.inputValue(), "你好。");
  await page.close();
  await server.stop();
});

test("g1_says in words that the browser lacks SIMD", async () => {
  const server = await Server.start();
  const context = await browser.newContext({ locale: "en-US" });
  const page = await context.newPage();
  await page.addInitScript(() => {
    WebAssembly.validate = () => false;
  });
  await page.goto(server.url);
  const notice = page.locator("#notice");
  await notice.waitFor();
  assert.match((await notice.textContent()) ?? "", /lacks WebAssembly SIMD/);
  await context.close();
  await server.stop();
});
