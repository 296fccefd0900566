/** The kernels of the WebAssembly build, in the browser's own compiler. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { launch, TranslatorPage } from "./support/page.js";
import { Server } from "./support/server.js";

test("every kernel gives the bits of the scalar one", async () => {
  const browser = await launch();
  const server = await Server.start();
  const { page } = await TranslatorPage.open(browser, server.url);
  const passed = await page.evaluate(async () => {
    const engine = await import(new URL("lib/csanmt_wasm.js", location.href).href);
    await engine.default();
    return engine.selfTest();
  });
  assert.ok(passed.includes("simd128"), `no simd128 among ${passed}`);
  await browser.close();
  await server.stop();
});
