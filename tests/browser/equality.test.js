/** The page and the API give the same translation for the same text. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launch, TranslatorPage } from "./support/page.js";
import { Server } from "./support/server.js";
import { SENTENCES } from "./support/texts.js";

const COUNT = 100;
const sentences = SENTENCES.slice(0, COUNT);

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Server} */
let server;
/** @type {TranslatorPage} */
let page;
before(async () => {
  browser = await launch();
  server = await Server.start();
  page = await TranslatorPage.open(browser, server.url);
  await page.ready();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

for (const { build, wasmUrl } of [
  { build: "relaxed-simd", wasmUrl: undefined },
  { build: "simd", wasmUrl: "lib/csanmt_wasm_bg.wasm" },
]) {
  test(`${COUNT} sentences one by one with ${build}`, async () => {
    assert.equal(sentences.length, COUNT);
    const inPage = await page.page.evaluate(async ({ sentences, wasmUrl }) => {
      const { Translator } = await import(new URL("lib/index.js", location.href).href);
      const manifest = await (await fetch("manifest.json")).json();
      const translator = await Translator.create({ sourceLanguage: "zh", targetLanguage: "en", modelUrl: manifest.model, wasmUrl });
      const translations = [];
      for (const sentence of sentences) {
        translations.push(await translator.translate(sentence));
      }
      const { build } = translator;
      translator.destroy();
      return { build, translations };
    }, { sentences, wasmUrl });
    assert.equal(inPage.build, build);
    for (const [index, sentence] of sentences.entries()) {
      assert.equal(inPage.translations[index], await server.translate(sentence), sentence);
    }
  });
}

test(`${COUNT} sentences as one text of many lines`, async () => {
  const text = sentences.join("\n");
  await page.paste(text);
  const shown = await page.translated();
  assert.equal(shown, await server.translate(text));
  assert.equal(shown.split("\n").length, COUNT);
});

test("paragraphs of several sentences", async () => {
  for (let at = 0; at < 60; at += 6) {
    const text = sentences.slice(at, at + 6).join("");
    await page.paste("");
    await page.paste(text);
    assert.equal(await page.translated(), await server.translate(text), text);
  }
});
