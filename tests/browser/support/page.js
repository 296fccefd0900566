/** The page in Chromium, and what a person does with it. */

import assert from "node:assert/strict";

import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Launches Chromium; every launch has a fresh profile. */
export function launch() {
  const executablePath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, headless: true, args: FLAGS });
}

/**
 * The page of the translator, with everything it asked the network for and said on the console.
 */
export class TranslatorPage {
  /** Addresses of all requests. @type {string[]} */
  requests = [];
  /** Errors and warnings of the console, and uncaught errors. @type {string[]} */
  complaints = [];

  /** @param {import("playwright-core").Page} page */
  constructor(page) {
    this.page = page;
    this.source = page.locator("#source");
    this.target = page.locator("#target");
    this.status = page.locator("#status");
    page.context().on("request", (request) => this.requests.push(request.url()));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") {
        this.complaints.push(message.text());
      }
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
  }

  /**
   * Opens the page in a context of its own.
   *
   * @param {import("playwright-core").Browser} browser
   * @param {string} url
   * @param {import("playwright-core").BrowserContextOptions} [options]
   * @param {import("playwright-core").BrowserContext} [given] a context made by the caller
   */
  static async open(browser, url, options = {}, given) {
    const context = given ?? (await browser.newContext({ locale: "en-US", ...options }));
    const page = await context.newPage();
    await page.addInitScript(recordWorkers);
    const translator = new TranslatorPage(page);
    await page.goto(url);
    return translator;
  }

  /** Waits until the model is loaded. */
  async ready() {
    await this.page.locator("#loading").waitFor({ state: "hidden", timeout: 60_000 });
    assert.equal(await this.page.locator("#notice").isVisible(), false);
  }

  /**
   * Pastes a text in place of what is there.
   *
   * @param {string} [text] the page's variable `text` when left out
   */
  async paste(text) {
    await this.source.evaluate((element, given) => {
      const text = given ?? /** @type {any} */ (window).text;
      const area = /** @type {HTMLTextAreaElement} */ (element);
      area.focus();
      area.select();
      area.setRangeText(text, 0, area.value.length, "end");
      area.dispatchEvent(new InputEvent("input", { inputType: "insertFromPaste", bubbles: true }));
    }, text);
  }

  /** Waits until the translation of the current text is complete, and returns it. */
  async translated() {
    await this.rendered();
    await this.page.waitForFunction(
      () => / in [\d.]+ s/.test(document.getElementById("status")?.textContent ?? ""),
      undefined,
      { timeout: 120_000 },
    );
    return this.shown();
  }

  /** Waits until the page shows what has been typed: it does so with the next frame. */
  rendered() {
    return this.page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
  }

  /** The translation that is shown. */
  async shown() {
    return (await this.target.textContent()) ?? "";
  }

  /**
   * Messages from and to the worker so far, those of one type.
   *
   * @param {string} type
   * @returns {Promise<any[]>}
   */
  messages(type) {
    return this.page.evaluate(
      (type) => /** @type {any} */ (window).workerMessages.filter(
        (/** @type {any} */ message) => message.type === type,
      ),
      type,
    );
  }

  async close() {
    await this.page.context().close();
  }
}

/** Runs in the page before its scripts: keeps what goes through its worker. */
function recordWorkers() {
  const global = /** @type {any} */ (window);
  global.workerMessages = [];
  const Original = window.Worker;
  global.Worker = class extends Original {
    /** @param {ConstructorParameters<typeof Worker>} args */
    constructor(...args) {
      super(...args);
      this.addEventListener("message", ({ data }) => global.workerMessages.push(data));
    }

    /** @param {any} message */
    postMessage(message) {
      global.workerMessages.push(message);
      super.postMessage(message);
    }
  };
}
