/** The package in what bundles sites, run in Chromium under a strict policy. */

import assert from "node:assert/strict";
import { copyFileSync, cpSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import * as esbuild from "esbuild";
import { build as vite } from "vite";
import webpack from "webpack";

import { FIXTURE, installPackage, PACKAGE, WORK } from "./support/package.js";
import { serve } from "./support/served.js";

const BROWSER = process.env.CHROMIUM_PATH !== undefined || process.env.CI !== undefined;

/** @type {import("playwright-core").Browser | undefined} */
let browser;
before(async () => {
  installPackage();
  if (BROWSER) {
    const { launch } = await import("../browser/support/page.js");
    browser = await launch();
  }
});
after(() => browser?.close());

/**
 * An empty folder for a build.
 *
 * @param {string} name
 */
function folder(name) {
  const path = join(WORK, name);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  return path;
}

/**
 * Opens what was built and waits for the translation.
 *
 * @param {string} built
 */
async function check(built) {
  if (!browser) {
    return;
  }
  const site = await serve(built);
  const page = await (await browser.newContext()).newPage();
  /** @type {string[]} */
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  try {
    await page.goto(site.url);
    await page.waitForFunction(() => document.querySelector("output")?.textContent, undefined, { timeout: 60_000 })
      .catch(() => assert.fail(`nothing was translated; missing: ${site.missing}; ${complaints}`));
    const text = (await page.textContent("output")) ?? "";
    assert.match(text, /^(?!failed).*[A-Za-z]{3}/);
    assert.deepEqual(site.missing, []);
    assert.deepEqual(complaints, []);
  } finally {
    await page.context().close();
    site.stop();
  }
}

test("i2 a plain module script, from the folder of the package", async () => {
  const out = folder("plain");
  cpSync(PACKAGE, join(out, "csanmt"), { recursive: true });
  cpSync(FIXTURE, out, { recursive: true });
  writeFileSync(
    join(out, "index.html"),
    '<!doctype html><meta charset="utf-8"><output></output><script type="module" src="main.js"></script>',
  );
  const { readFileSync } = await import("node:fs");
  const main = readFileSync(join(FIXTURE, "main.js"), "utf8");
  writeFileSync(join(out, "main.js"), main.replace('"csanmt"', '"./csanmt/index.js"'));
  await check(out);
});

test("i2 Vite finds worker and modules by itself", async () => {
  const out = folder("vite");
  await vite({
    root: FIXTURE,
    base: "./",
    logLevel: "error",
    configFile: false,
    build: { outDir: out, emptyOutDir: true, target: "es2022", assetsInlineLimit: 0 },
  });
  await check(out);
});

test("i2 webpack finds worker and modules by itself", async () => {
  const out = folder("webpack");
  const compiler = webpack({
    mode: "production",
    context: FIXTURE,
    entry: "./main.js",
    output: { path: out, filename: "main.js", publicPath: "auto" },
    experiments: { topLevelAwait: true },
  });
  assert.ok(compiler);
  /** @type {import("webpack").Stats | undefined} */
  const stats = await new Promise((resolve, reject) => {
    compiler.run((error, stats) => (error ? reject(error) : compiler.close(() => resolve(stats))));
  });
  const { errors, warnings } = stats?.toJson({ all: false, errors: true, warnings: true }) ?? {};
  assert.deepEqual(errors?.map(({ message }) => message), []);
  const grave = warnings?.filter(({ message }) => !message.includes("size limit") && !message.includes("performance"));
  assert.deepEqual(grave?.map(({ message }) => message), []);
  writeFileSync(
    join(out, "index.html"),
    '<!doctype html><meta charset="utf-8"><output></output><script defer src="main.js"></script>',
  );
  await check(out);
});

test("i2 esbuild, with the worker as an entry of its own and the modules copied", async () => {
  const out = folder("esbuild");
  await esbuild.build({
    absWorkingDir: FIXTURE,
    entryPoints: { main: "./main.js", worker: "csanmt/worker" },
    bundle: true,
    format: "esm",
    minify: true,
    outdir: out,
    logLevel: "error",
  });
  for (const name of ["csanmt_wasm_bg.wasm", "csanmt_wasm_relaxed_bg.wasm"]) {
    copyFileSync(join(PACKAGE, name), join(out, name));
  }
  copyFileSync(join(FIXTURE, "index.html"), join(out, "index.html"));
  await check(out);
});

test("i5 what is not used is left out, and what is used is small", async () => {
  const out = folder("sizes");
  const size = async (/** @type {string} */ contents) => {
    await esbuild.build({
      stdin: { contents, resolveDir: FIXTURE },
      bundle: true,
      format: "esm",
      minify: true,
      splitting: true,
      outdir: out,
      logLevel: "error",
    });
    return statSync(join(out, "stdin.js")).size;
  };
  const nothing = await size('import "csanmt";');
  const support = await size('import { isSupported } from "csanmt"; console.log(isSupported());');
  const translator = await size('import { Translator } from "csanmt"; console.log(Translator);');
  console.log(`# minified: nothing ${nothing}, isSupported ${support}, Translator ${translator} bytes`);
  assert.ok(nothing < 100, `${nothing} bytes for nothing`);
  assert.ok(support < 500, `${support} bytes for isSupported`);
  assert.ok(translator < 32_000, `${translator} bytes for the translator`);
});
