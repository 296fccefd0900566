/** The library in places that differ: policies, origins, workers, browsers that lack something. */

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";

import { LibraryBench } from "./support/library-page.js";
import { LibrarySite, MODEL } from "./support/library-site.js";
import { longText } from "./support/texts.js";

/** Names that a test gives its page. @typedef {any} Any */

/** @type {LibraryBench} */
let bench;
before(async () => {
  bench = await LibraryBench.start();
});
after(() => bench?.stop());
afterEach(async () => {
  for (const context of bench.browser.contexts()) {
    await context.close();
  }
  bench.site.headers = {};
  bench.site.requests = [];
  bench.site.intercept = undefined;
});

const TEXT = "我们今天去学校。";
const translate = (/** @type {Any} */ options = {}) => `
  const { Translator } = csanmt;
  const translator = await Translator.create({
    sourceLanguage: "zh", targetLanguage: "en", modelUrl: "${MODEL}", ...${JSON.stringify(options)},
  });
  const text = await translator.translate(${JSON.stringify(TEXT)});
  translator.destroy();
`;

test("i1 a page that allows nothing but its own scripts, wasm and workers", async () => {
  bench.site.headers = {
    "Content-Security-Policy": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'",
  };
  bench.site.pages["/strict.html"] = "<!doctype html><meta charset=utf-8><script type=module src=strict.js></script><p>";
  bench.site.pages["/strict.js"] = `
    import * as csanmt from "/lib/index.js";
    try {
      ${translate()}
      document.querySelector("p").textContent = text;
    } catch (error) {
      document.querySelector("p").textContent = "failed: " + error;
    }
  `;
  const page = await (await bench.browser.newContext()).newPage();
  /** @type {string[]} */
  const complaints = [];
  page.on("console", (message) => complaints.push(message.text()));
  await page.goto(`${bench.site.url}/strict.html`);
  await page.waitForFunction(() => document.querySelector("p")?.textContent !== "");
  assert.match((await page.textContent("p")) ?? "", /^(?!failed).*[A-Za-z]/);
  assert.deepEqual(complaints, []);
});

test("g2 there is no shared memory and no isolated page, and none is needed", async () => {
  const page = await bench.open();
  const seen = await page.evaluate(async (text) => {
    const { create } = /** @type {Any} */ (window);
    const translator = await create({ workers: 2 });
    await translator.translate(text);
    return { isolated: crossOriginIsolated, shared: typeof SharedArrayBuffer };
  }, longText(60));
  assert.deepEqual(seen, { isolated: false, shared: "undefined" });
});

test("g1 a browser without SIMD is told so in words", async () => {
  const page = await bench.open();
  const outcome = await page.evaluate(async () => {
    WebAssembly.validate = () => false;
    const { csanmt, create, failure, languages } = /** @type {Any} */ (window);
    return { ...(await failure(create())), state: await csanmt.Translator.availability(languages), supported: csanmt.isSupported() };
  });
  assert.deepEqual([outcome.code, outcome.state, outcome.supported], ["unsupported", "unavailable", false]);
  assert.match(outcome.message, /lacks WebAssembly SIMD/);
});

test("g3 a model that memory has no room for is refused with the size that is needed", async () => {
  const page = await bench.open();
  const outcome = await page.evaluate(() => {
    const { create, failure } = /** @type {Any} */ (window);
    return failure(create({ modelBytes: 4_200_000_000, workers: 1 }));
  });
  assert.equal(outcome.code, "memory");
  assert.match(outcome.message, /4200000000 bytes/);
});

test("g5 kernels that compute something else are not used", async () => {
  const wrong = Buffer.from(
    await (await fetch(`${bench.site.url}/lib/csanmt_wasm_relaxed_bg.wasm`)).arrayBuffer(),
  );
  // i32x4.relaxed_dot_i8x16_i7x16_add_s becomes i32x4.relaxed_laneselect, which is of the same type.
  for (let at = 0; (at = wrong.indexOf(Uint8Array.of(0xfd, 0x93, 0x02), at)) >= 0; ) {
    wrong[at + 1] = 0x8b;
  }
  bench.site.intercept = (_, response, path) => {
    if (!path.endsWith("csanmt_wasm_relaxed_bg.wasm")) {
      return false;
    }
    response.writeHead(200, { "Content-Type": "application/wasm" }).end(wrong);
    return true;
  };
  const page = await bench.open();
  const text = await page.evaluate(async (text) => (await /** @type {Any} */ (window).create()).translate(text), TEXT);
  assert.match(text, /[A-Za-z]/);
  assert.equal(bench.site.count("/lib/csanmt_wasm_bg.wasm"), 1);
});

test("g4 h2 the model goes to the workers in small pieces, and nobody else is asked", async () => {
  const context = await bench.browser.newContext();
  await context.addInitScript(() => {
    const global = /** @type {Any} */ (window);
    global.largest = 0;
    const Original = window.Worker;
    global.Worker = class extends Original {
      /** @param {Any} message @param {Any} more */
      postMessage(message, more) {
        global.largest = Math.max(global.largest, message.chunk?.buffer.byteLength ?? 0);
        super.postMessage(message, more);
      }
    };
  });
  const page = await bench.openIn(context);
  /** @type {string[]} */
  const elsewhere = [];
  context.on("request", (request) => {
    if (!request.url().startsWith(bench.site.url)) {
      elsewhere.push(request.url());
    }
  });
  const largest = await page.evaluate(async () => {
    const global = /** @type {Any} */ (window);
    // Once from the network, once from the store.
    (await global.create()).destroy();
    (await global.create()).destroy();
    return global.largest;
  });
  assert.ok(largest > 0 && largest <= 4 << 20, `${largest} bytes in one piece`);
  assert.deepEqual(elsewhere, []);
});

test("i6 two translators of a page share one worker and one model", async () => {
  const page = await bench.open();
  const seen = await page.evaluate(async (text) => {
    const { create } = /** @type {Any} */ (window);
    const [one, two] = await Promise.all([create({ workers: 1 }), create({ workers: 1 })]);
    const texts = await Promise.all([one.translate(text), two.translate(text)]);
    const memory = [one.memoryBytes, two.memoryBytes];
    one.destroy();
    return { texts, memory, still: await two.translate(text) };
  }, TEXT);
  assert.equal(page.workers().length, 1);
  assert.equal(bench.site.count(MODEL), 1);
  assert.deepEqual(seen.texts, [seen.still, seen.still]);
  assert.equal(seen.memory[0], seen.memory[1]);
});

test("i3 worker and modules may lie elsewhere", async () => {
  const page = await bench.open();
  bench.site.pages["/elsewhere/worker.js"] = 'import "/lib/worker.js";';
  bench.site.intercept = async (_, response, path) => {
    if (path !== "/elsewhere/engine.wasm") {
      return false;
    }
    const content = await (await fetch(`${bench.site.url}/lib/csanmt_wasm_bg.wasm`)).arrayBuffer();
    response.writeHead(200, { "Content-Type": "application/octet-stream" }).end(Buffer.from(content));
    return true;
  };
  const text = await page.evaluate(async (text) => {
    const { create } = /** @type {Any} */ (window);
    const translator = await create({ workerUrl: "elsewhere/worker.js", wasmUrl: "/elsewhere/engine.wasm" });
    return translator.translate(text);
  }, TEXT);
  assert.match(text, /[A-Za-z]/);
  assert.equal(bench.site.count("/elsewhere/worker.js"), 1);
  assert.equal(bench.site.count("/elsewhere/engine.wasm"), 1);
});

test("i4 the library from another origin works through a blob worker", async () => {
  const other = await LibrarySite.start();
  other.headers = { "Access-Control-Allow-Origin": "*" };
  const page = await (await bench.browser.newContext()).newPage();
  await page.goto(bench.site.url);
  const outcomes = await page.evaluate(async ({ from, text, model }) => {
    const { Translator } = await import(`${from}/lib/index.js`);
    const options = { sourceLanguage: "zh", targetLanguage: "en", modelUrl: from + model };
    const refused = await Translator.create(options).then(() => "created", (/** @type {Error} */ { message }) => message);
    const translator = await Translator.create({ ...options, blobWorker: true });
    return { refused, text: await translator.translate(text) };
  }, { from: other.url, text: TEXT, model: MODEL });
  assert.match(outcomes.text, /[A-Za-z]/);
  assert.match(outcomes.refused, /blobWorker/);
  await other.stop();
});

test("i7 in a dedicated worker, which has workers of its own", async () => {
  bench.site.pages["/in-worker.js"] = `
    import * as csanmt from "/lib/index.js";
    ${translate()}
    postMessage(text);
  `;
  const page = await bench.open();
  const text = await page.evaluate(
    () => new Promise((resolve) => {
      const worker = new Worker("/in-worker.js", { type: "module" });
      worker.onmessage = ({ data }) => resolve(data);
    }),
  );
  assert.match(text, /[A-Za-z]/);
});

test("i7 in a shared worker, on its own thread", async () => {
  bench.site.pages["/shared.js"] = `
    import * as csanmt from "/lib/index.js";
    onconnect = async ({ ports: [port] }) => {
      ${translate({ inline: true })}
      port.postMessage({ text, hasWorkers: typeof Worker === "function" });
    };
  `;
  const page = await bench.open();
  const { text } = await page.evaluate(
    () => new Promise((resolve) => {
      const { port } = new SharedWorker("/shared.js", { type: "module" });
      port.onmessage = ({ data }) => resolve(data);
    }),
  );
  assert.match(text, /[A-Za-z]/);
});

test("i7 in a service worker, as an extension has it", async () => {
  bench.site.pages["/service.js"] = `
    import * as csanmt from "/lib/inline.js";
    onmessage = async ({ source }) => {
      try {
        ${translate()}
        const [{ detectedLanguage }] = await csanmt.detectLanguages("你好");
        source.postMessage({ text, detectedLanguage });
      } catch (error) {
        source.postMessage({ text: "", error: String(error) });
      }
    };
  `;
  const page = await bench.open();
  const answer = await page.evaluate(async () => {
    await navigator.serviceWorker.register("/service.js", { type: "module" });
    const { active } = await navigator.serviceWorker.ready;
    return new Promise((resolve) => {
      navigator.serviceWorker.onmessage = ({ data }) => resolve(data);
      active?.postMessage("go");
    });
  });
  assert.match(answer.text, /[A-Za-z]/, answer.error);
  assert.equal(answer.detectedLanguage, "zh-Hans");
});

test("i7 on the thread of the page, when that is asked for", async () => {
  const page = await bench.open();
  const same = await page.evaluate(async (text) => {
    const { create } = /** @type {Any} */ (window);
    const inline = await create({ inline: true });
    const other = await create({ workers: 1 });
    return (await inline.translate(text)) === (await other.translate(text));
  }, longText(12));
  assert.equal(same, true);
  assert.equal(page.workers().length, 1);
});

test("i2 i5 importing the library touches nothing", async () => {
  const page = await (await bench.browser.newContext()).newPage();
  await page.goto(bench.site.url);
  const seen = await page.evaluate(async () => {
    const before = Object.getOwnPropertyNames(globalThis);
    /** @type {string[]} */
    const touched = [];
    for (const name of ["Worker", "fetch", "caches", "MessageChannel", "SharedArrayBuffer"]) {
      const descriptor = Object.getOwnPropertyDescriptor(globalThis, name);
      Object.defineProperty(globalThis, name, {
        configurable: true,
        get() {
          touched.push(name);
          return descriptor?.value;
        },
      });
    }
    await import(new URL("/lib/index.js", location.href).href);
    await import(new URL("/lib/inline.js", location.href).href);
    const added = Object.getOwnPropertyNames(globalThis).filter((name) => !before.includes(name) && name !== "SharedArrayBuffer");
    return { touched, added };
  });
  assert.deepEqual(seen, { touched: [], added: [] });
  assert.equal(bench.site.requests.some(({ path }) => !path.endsWith(".js") && path !== "/" && path !== "/favicon.ico"), false);
});

