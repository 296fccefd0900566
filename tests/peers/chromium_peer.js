/**
 * The engine in Chromium, either build, and ONNX Runtime's for the web on the same core; the
 * protocol of crates/engine/examples/workload.rs with `build` and `text`, or with `sentences`.
 * `{"load": "FILE", "fresh": true}` takes another model in place of the site's, from the store
 * unless it has to be `fresh`.
 *
 * usage: node chromium_peer.js [ONNXRUNTIME_WEB_DIST MODELS_DIR CONFIG_JSON], with CSANMT_SITE set
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { launch } from "../browser/support/page.js";
import { StaticSite } from "../browser/support/static-site.js";

const [dist, models, config] = process.argv.slice(2);
const browser = await launch();
const site = await StaticSite.start("/site/");
const page = await browser.newPage();
const types = { wasm: "application/wasm", mjs: "text/javascript", js: "text/javascript" };
for (const [folder, root] of [["ort", dist], ["onnx", models]]) {
  if (root) {
    await page.route(`**/site/${folder}/*`, async (route) => {
      const name = new URL(route.request().url()).pathname.split("/").pop();
      const contentType = types[name.split(".").pop()] ?? "application/octet-stream";
      await route.fulfill({ body: await readFile(join(root, name)), contentType });
    });
  }
}
await page.route("**/site/search.js", async (route) => {
  const body = await readFile(new URL("./onnxruntime_web.js", import.meta.url));
  await route.fulfill({ body, contentType: "text/javascript" });
});
await page.route("**/site/empty.html", (route) => route.fulfill({ body: "<!doctype html>", contentType: "text/html" }));
await page.goto(`${site.url}empty.html`);

/** Runs in the page. */
async function translateText({ text, build }) {
  const { Translator } = await import("/site/lib/index.js");
  const { model } = await (await fetch("manifest.json")).json();
  self.translators ??= {};
  const begin = performance.now();
  self.translators[build] ??= await Translator.create({
    sourceLanguage: "zh",
    targetLanguage: "en",
    workers: 1,
    modelUrl: model,
    wasmUrl: build === "simd" ? "lib/csanmt_wasm_bg.wasm" : undefined,
  });
  const translator = self.translators[build];
  if (translator.build !== build) {
    throw new Error(`this browser runs ${translator.build}, not ${build}`);
  }
  const ready = performance.now();
  const translation = await translator.translate(text);
  const seconds = (performance.now() - ready) / 1000;
  const first = (performance.now() - begin) / 1000;
  return { seconds, first, memory: translator.memoryBytes, text: translation };
}

/** Runs in the page. */
async function loadModel({ modelBytes, modelSha256, fresh }) {
  const { Translator, removeStoredModels } = await import("/site/lib/index.js");
  for (const translator of Object.values(self.translators ?? {})) {
    translator.destroy();
  }
  await (fresh && removeStoredModels());
  let notice;
  const begin = performance.now();
  const translator = await Translator.create({
    sourceLanguage: "zh",
    targetLanguage: "en",
    workers: 1,
    modelUrl: "model.safetensors",
    modelBytes,
    modelSha256,
    onnotice: ({ message }) => (notice = message),
  });
  const seconds = (performance.now() - begin) / 1000;
  self.translators = { [translator.build]: translator };
  if (notice) {
    throw new Error(notice);
  }
  return { seconds, memory: translator.memoryBytes };
}

/** What a page says of a model file, which the site has from now on. */
async function offer(path) {
  const content = await readFile(path);
  site.change("model.safetensors", content);
  return { modelBytes: content.length, modelSha256: createHash("sha256").update(content).digest("hex") };
}

/** Runs in the page, with one thread: pages without isolation have no more. */
async function translateOnnx(job) {
  const { Peer } = await import("/site/search.js");
  self.onnx ??= await Peer.load("/site/ort/", "/site/onnx/", job.config);
  const begin = performance.now();
  const tokens = await self.onnx.translate(job.sentences, job.beam, job.steps);
  return { seconds: (performance.now() - begin) / 1000, tokens };
}

const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
say({ name: "Chromium", version: browser.version() });
for await (const line of createInterface({ input: process.stdin })) {
  const job = JSON.parse(line);
  try {
    if (job.load) {
      say(await page.evaluate(loadModel, { ...(await offer(job.load)), fresh: job.fresh }));
    } else if (job.sentences) {
      say(await page.evaluate(translateOnnx, { ...job, config: JSON.parse(config) }));
    } else {
      say(await page.evaluate(translateText, job));
    }
  } catch (error) {
    say({ error: String(error) });
  }
}
await browser.close();
await site.stop();
