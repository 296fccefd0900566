/**
 * How long a returning visitor waits: from the reload of the page, and from the creation of the
 * translator, to the first translation, with everything in the service worker's cache.
 */

import { launch, TranslatorPage } from "../support/page.js";
import { Server } from "../support/server.js";

const ROUNDS = 9;
const TEXT = "我们今天去学校。";

const browser = await launch();
const server = await Server.start();
const { page } = await TranslatorPage.open(browser, server.url);
await page.evaluate(() => navigator.serviceWorker.ready);
await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
// The cache is what is measured, not the server.
await server.stop();

/** Runs in the page before its scripts: when messages went through the worker. */
await page.addInitScript((text) => {
  const global = /** @type {any} */ (window);
  /** @type {Record<string, number>} */
  const times = (global.times = {});
  const note = (/** @type {{ type: string }} */ { type }) => (times[type] ??= performance.now());
  const Original = window.Worker;
  global.Worker = class extends Original {
    /** @param {ConstructorParameters<typeof Worker>} args */
    constructor(...args) {
      note({ type: "create" });
      super(...args);
      this.addEventListener("message", ({ data }) => note(data));
    }

    /** @param {any} message */
    postMessage(message) {
      note(message);
      super.postMessage(message);
    }
  };
  document.addEventListener("DOMContentLoaded", () => {
    const source = /** @type {HTMLTextAreaElement} */ (document.getElementById("source"));
    source.value = text;
    source.dispatchEvent(new InputEvent("input", { inputType: "insertFromPaste" }));
  });
}, TEXT);

/** @type {Record<string, number>[]} */
const rounds = [];
for (let round = 0; round < ROUNDS; round += 1) {
  await page.reload();
  await page.waitForFunction(() => /** @type {any} */ (window).times.done);
  rounds.push(await page.evaluate(() => /** @type {any} */ (window).times));
}

/** @param {(times: Record<string, number>) => number} of */
const line = (of) => {
  const values = rounds.map(of).sort((a, b) => a - b).map(Math.round);
  return `${String(values[ROUNDS >> 1]).padStart(5)} ms median, ${values[0]} to ${values.at(-1)}`;
};
const at = (/** @type {string} */ name) => (/** @type {Record<string, number>} */ times) => times[name] ?? NaN;
const since = (/** @type {string} */ from, /** @type {string} */ to) =>
  (/** @type {Record<string, number>} */ times) => at(to)(times) - at(from)(times);
console.log(`reload to worker             ${line(at("create"))}`);
console.log(`worker to first model bytes  ${line(since("create", "write"))}`);
console.log(`first bytes to ready         ${line(since("write", "ready"))}`);
console.log(`ready to first translation   ${line(since("ready", "done"))}`);
console.log(`worker to first translation  ${line(since("create", "done"))}`);
console.log(`reload to first translation  ${line(at("done"))}`);
await browser.close();
