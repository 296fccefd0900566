/** The two builds of the engine: their kernels in the browser's own compiler, and which is taken. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { launch, TranslatorPage } from "./support/page.js";
import { Server } from "./support/server.js";
import { PARAGRAPH } from "./support/texts.js";

const RELAXED = "csanmt_wasm_relaxed_bg.wasm";

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

for (const { module, kernels } of [
  { module: "csanmt_wasm_bg.wasm", kernels: ["scalar", "simd128"] },
  { module: RELAXED, kernels: ["scalar", "simd128", "relaxedsimd"] },
]) {
  test(`every kernel of ${module} gives the bits of the scalar one`, async () => {
    const { page } = await TranslatorPage.open(browser, server.url);
    const passed = await page.evaluate(async (module) => {
      const engine = (await import(new URL("lib/csanmt_wasm.js", location.href).href)).default();
      await engine({ module_or_path: new URL(`lib/${module}`, location.href) });
      return { names: engine.selfTest(), agree: engine.kernelsAgree() };
    }, module);
    assert.deepEqual(passed.names.toSorted(), kernels.toSorted());
    assert.equal(passed.agree, true);
    await page.context().close();
  });
}

/**
 * Opens the page with what `answer` makes of the relaxed module; returns the build that is taken,
 * and whether the module was one at all.
 *
 * @param {(route: import("playwright-core").Route) => Promise<void>} answer
 */
async function buildTaken(answer) {
  const context = await browser.newContext({ locale: "en-US", serviceWorkers: "block" });
  let asked = 0;
  await context.route(`**/${RELAXED}`, (route) => {
    asked += 1;
    return answer(route);
  });
  const page = await TranslatorPage.open(browser, server.url, {}, context);
  await page.ready();
  await page.paste(PARAGRAPH);
  assert.equal(await page.translated(), await server.translate(PARAGRAPH));
  assert.equal(asked, 1);
  const { build } = (await page.messages("ready")).at(-1).value;
  const isModule = await page.page.evaluate(async (path) => {
    const response = await fetch(path);
    return response.ok && WebAssembly.validate(await response.arrayBuffer());
  }, `lib/${RELAXED}`);
  await page.close();
  return { build, isModule };
}

test("this browser takes relaxed SIMD", async () => {
  const taken = await buildTaken((route) => route.continue());
  assert.deepEqual(taken, { build: "relaxed-simd", isModule: true });
});

test("a browser whose dot product is another one takes the other build", async () => {
  const taken = await buildTaken(async (route) => {
    const response = await route.fetch();
    const body = await response.body();
    // i32x4.relaxed_dot_i8x16_i7x16_add_s becomes i32x4.relaxed_laneselect, which is of the same type.
    let changed = 0;
    for (let at = 0; (at = body.indexOf(Uint8Array.of(0xfd, 0x93, 0x02), at)) >= 0; changed += 1) {
      body[at + 1] = 0x8b;
    }
    assert.ok(changed > 0, "the relaxed build has no relaxed dot product");
    await route.fulfill({ response, body });
  });
  assert.deepEqual(taken, { build: "simd", isModule: true });
});

test("a site without the relaxed build works with the other one", async () => {
  const taken = await buildTaken((route) => route.fulfill({ status: 404 }));
  assert.deepEqual(taken, { build: "simd", isModule: false });
});
