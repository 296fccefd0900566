/**
 * How long the engine's steps are, which is how long the newest text waits at most, and how long a
 * text takes altogether, with either build.
 */

import { launch, TranslatorPage } from "../support/page.js";
import { Server } from "../support/server.js";
import { longText } from "../support/texts.js";

const COUNT = 300;

const browser = await launch();
const server = await Server.start();
const { page } = await TranslatorPage.open(browser, server.url);
for (const wasmUrl of [undefined, "lib/csanmt_wasm_bg.wasm"]) {
  const { build, steps } = await page.evaluate(
    async ({ text, wasmUrl }) => {
      const { Translator } = await import(new URL("lib/index.js", location.href).href);
      const { model } = await (await fetch("manifest.json")).json();
      const translator = await Translator.create({ sourceLanguage: "zh", targetLanguage: "en", modelUrl: model, wasmUrl, workers: 1 });
      // The browser compiles what it has seen to be busy once more, better.
      await translator.translate(text);
      /** @type {number[]} */
      const steps = [];
      let last = performance.now();
      const onprogress = () => {
        const now = performance.now();
        steps.push(now - last);
        last = now;
      };
      await translator.translate(text, { onprogress });
      onprogress();
      const { build } = translator;
      translator.destroy();
      return { build, steps };
    },
    { text: longText(COUNT), wasmUrl },
  );
  const sum = steps.reduce((sum, step) => sum + step, 0);
  steps.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => `${Math.round(steps[Math.floor((steps.length - 1) * share)] ?? NaN)} ms`;
  console.log(
    `${build}: ${COUNT} sentences in ${(sum / 1000).toFixed(1)} s, ${steps.length} steps: ` +
      `median ${at(0.5)}, 95 % ${at(0.95)}, longest ${at(1)}`,
  );
}
await browser.close();
await server.stop();
