/** How the page comes up: what Lighthouse measures, without Lighthouse. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launch, TranslatorPage } from "./support/page.js";
import { Server } from "./support/server.js";

/** A layout that shifts more than this feels restless; browsers call up to 0.1 good. */
const SHIFT_LIMIT = 0.05;

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Server} */
let server;
before(async () => {
  browser = await launch();
  server = await Server.start();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Runs in the page before its scripts. */
function observe() {
  const seen = { shift: 0, blocked: 0, largest: 0 };
  /** @type {any} */ (window).seen = seen;
  const watch = (/** @type {string} */ type, /** @type {(entry: any) => void} */ take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  watch("layout-shift", (entry) => (seen.shift += entry.hadRecentInput ? 0 : entry.value));
  watch("longtask", (entry) => (seen.blocked += entry.duration - 50));
  watch("largest-contentful-paint", (entry) => (seen.largest = entry.startTime));
}

for (const [name, viewport] of /** @type {const} */ ([
  ["desk", { width: 1440, height: 900 }],
  ["phone", { width: 360, height: 740 }],
])) {
  test(`k6_on a ${name} nothing moves while the page and its model load`, async (context) => {
    const page = await TranslatorPage.open(browser, "about:blank", { viewport });
    await page.page.addInitScript(observe);
    await page.page.goto(server.url);
    await page.ready();
    await page.page.waitForTimeout(300);
    const { seen, first, bytes, requests } = await page.page.evaluate(() => {
      const resources = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType("resource"));
      return {
        seen: /** @type {any} */ (window).seen,
        first: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN,
        bytes: resources.reduce((sum, { transferSize }) => sum + transferSize, 0),
        requests: resources.length,
      };
    });
    context.diagnostic(
      `first paint ${first.toFixed()} ms, largest ${seen.largest.toFixed()} ms, blocked ${seen.blocked.toFixed()} ms, ` +
        `shift ${seen.shift.toFixed(3)}, ${requests} requests of the page, ${(bytes / 1000).toFixed()} kB`,
    );
    assert.ok(seen.shift <= SHIFT_LIMIT, `the layout shifts by ${seen.shift}`);
    await page.close();
  });
}
