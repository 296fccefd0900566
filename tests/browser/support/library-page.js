/** A page that has nothing but the library. */

import { launch } from "./page.js";
import { LibrarySite } from "./library-site.js";

/** A browser and a site for the tests of one file. */
export class LibraryBench {
  /**
   * @param {import("playwright-core").Browser} browser
   * @param {LibrarySite} site
   */
  constructor(browser, site) {
    this.browser = browser;
    this.site = site;
  }

  static async start() {
    return new LibraryBench(await launch(), await LibrarySite.start());
  }

  async stop() {
    await this.browser?.close();
    await this.site?.stop();
  }

  /**
   * An empty page in a context of its own, with the library as `window.csanmt`.
   *
   * @param {import("playwright-core").BrowserContextOptions} [options]
   * @param {string} [path]
   */
  async open(options = {}, path = "/") {
    const context = await this.browser.newContext(options);
    return this.openIn(context, path);
  }

  /**
   * @param {import("playwright-core").BrowserContext} context
   * @param {string} [path]
   */
  async openIn(context, path = "/") {
    const page = await context.newPage();
    await page.goto(this.site.url + path);
    await prepare(page);
    return page;
  }
}

/**
 * Gives a page the library and some helpers.
 *
 * @param {import("playwright-core").Page} page
 */
export async function prepare(page) {
  await page.evaluate(async () => {
    const global = /** @type {any} */ (window);
    global.csanmt = await import(new URL("/lib/index.js", location.href).href);
    global.csanmt.configure({ modelUrl: "/models/zh-en-tiny.safetensors" });
    const languages = { sourceLanguage: "zh", targetLanguage: "en" };
    global.languages = languages;
    global.create = (/** @type {object} */ options) => global.csanmt.Translator.create({ ...languages, ...options });
    /** What a promise is rejected with, as data. */
    global.failure = async (/** @type {Promise<unknown>} */ promise) => {
      try {
        return { value: await promise };
      } catch (error) {
        const { name, code, message, constructor } = /** @type {any} */ (error ?? {});
        return { name, code, message, type: constructor?.name };
      }
    };
  });
}
