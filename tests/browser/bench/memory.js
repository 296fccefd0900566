/**
 * WebAssembly memory over many sentences: when the same texts are translated once more it must not
 * grow by a byte, and it must never be more than 1.3 times the model and 32 MB. The first pass finds
 * the largest step: which sentences are decoded side by side differs from text to text.
 *
 * node bench/memory.js [SENTENCES]
 */

import assert from "node:assert/strict";

import { launch, TranslatorPage } from "../support/page.js";
import { Server } from "../support/server.js";
import { SENTENCES } from "../support/texts.js";

const COUNT = Number(process.argv[2] ?? 10_000);
const ROUND = 1000;

const browser = await launch();
const server = await Server.start();
const { page } = await TranslatorPage.open(browser, server.url);
const { modelBytes, memory, seconds } = await page.evaluate(
  async ({ sentences, count, round }) => {
    const { Translator } = await import(new URL("lib/index.js", location.href).href);
    const manifest = await (await fetch("manifest.json")).json();
    const modelBytes = manifest.files[manifest.model].bytes;
    const translator = await Translator.create({ sourceLanguage: "zh", targetLanguage: "en", modelUrl: manifest.model, modelBytes, workers: 1 });
    const begin = performance.now();
    const memory = [translator.memoryBytes];
    for (const _ of ["first", "second"]) {
      for (let from = 0; from < count; from += round) {
        // Lines of one to eight sentences, and the sentences in another order in every round.
        const lines = Array.from({ length: round }, (_, index) => {
          const sentence = sentences[(from + index * 7) % sentences.length];
          return index % (1 + ((index >> 6) % 8)) === 0 ? `\n${sentence}` : sentence;
        });
        await translator.translate(lines.join(""));
        memory.push(translator.memoryBytes);
      }
    }
    translator.destroy();
    return { modelBytes, memory, seconds: (performance.now() - begin) / 1000 };
  },
  { sentences: SENTENCES, count: COUNT, round: ROUND },
);
await browser.close();
await server.stop();

const limit = 1.3 * modelBytes + 32e6;
const megabytes = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(1);
console.log(`twice ${COUNT} sentences in ${seconds.toFixed()} s; MB at first and after each ${ROUND}: ${memory.map(megabytes).join(" ")}`);
console.log(`model ${megabytes(modelBytes)} MB, limit ${megabytes(limit)} MB`);
const most = Math.max(...memory);
assert.ok(most <= limit, `${megabytes(most)} MB are more than ${megabytes(limit)}`);
const second = memory.slice(memory.length >> 1);
assert.equal(new Set(second).size, 1, "memory grew in the second pass");
