/** The package in Node: as a program, on a server that renders pages, and for the compiler. */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { before, test } from "node:test";

import { FIXTURE, installPackage, MODEL, PACKAGE, run, TESTS, WORK } from "./support/package.js";

before(() => installPackage());

/**
 * Runs a module that may import the package, and returns what it printed.
 *
 * @param {string} script
 */
const node = (script) => run(process.execPath, ["--input-type=module", "--eval", script], { cwd: TESTS });

const CREATE = `
  import { Translator, LanguageDetector, detectLanguages } from "csanmt";
  const languages = { sourceLanguage: "zh", targetLanguage: "en" };
`;

test("i2 a program translates in a worker and ends by itself", () => {
  const begin = performance.now();
  const printed = node(`${CREATE}
    const translator = await Translator.create({ ...languages, modelUrl: ${JSON.stringify(MODEL)} });
    console.log(await translator.translate("我们今天去学校。"));
    console.log((await detectLanguages("你好"))[0].detectedLanguage);
  `);
  const [text, language] = printed.trim().split("\n");
  assert.match(text ?? "", /[A-Za-z]{3}/);
  assert.equal(language, "zh-Hans");
  assert.ok(performance.now() - begin < 60_000);
});

test("i2 h8 the model may be a path, a URL, bytes or a Blob, and the engine run in place: all agree", () => {
  const printed = node(`${CREATE}
    import { readFile } from "node:fs/promises";
    const bytes = await readFile(${JSON.stringify(MODEL)});
    const before = bytes.length;
    for (const options of [
      { modelUrl: ${JSON.stringify(MODEL)} },
      { modelUrl: new URL(${JSON.stringify(pathToFileURL(MODEL).href)}) },
      { model: bytes },
      { model: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) },
      { model: new Blob([bytes]) },
      { model: bytes, inline: true },
    ]) {
      const translator = await Translator.create({ ...languages, ...options });
      console.log(await translator.translate("他昨天买了一本书。天气很好。"));
      translator.destroy();
    }
    console.log(bytes.length === before && bytes[0] !== undefined);
  `);
  const lines = printed.trim().split("\n");
  assert.equal(lines.length, 7);
  assert.equal(lines.pop(), "true");
  assert.equal(new Set(lines).size, 1);
  assert.match(lines[0] ?? "", /[A-Za-z]{3}/);
});

test("d3 sentences are the recorded ones, also where Intl.Segmenter is missing", () => {
  const golden = readFileSync(fileURLToPath(new URL("../golden/sentences.jsonl", import.meta.url)), "utf8");
  /** @type {{ text: string, sentences: string[] }[]} */
  const records = golden.trim().split("\n").map((line) => JSON.parse(line));
  const printed = node(`
    delete Intl.Segmenter;
    ${CREATE}
    const translator = await Translator.create({ ...languages, modelUrl: ${JSON.stringify(MODEL)} });
    const found = [];
    for (const text of ${JSON.stringify(records.map(({ text }) => text))}) {
      const { sentences } = await translator.translateDetailed(text);
      found.push(sentences.map(({ source: [start, end] }) => text.slice(start, end)));
    }
    console.log(JSON.stringify(found));
  `);
  assert.deepEqual(JSON.parse(printed), records.map(({ sentences }) => sentences));
});

test("i2 several workers, a document, and an abort", () => {
  const printed = node(`${CREATE}
    const translator = await Translator.create({ ...languages, modelUrl: ${JSON.stringify(MODEL)}, workers: 2 });
    const text = Array.from({ length: 40 }, (_, line) => "我们今天去学校。第" + line + "天。").join("\\n");
    const one = await Translator.create({ ...languages, modelUrl: ${JSON.stringify(MODEL)}, workers: 1 });
    console.log((await translator.translate(text)) === (await one.translate(text)));
    const film = "1\\n00:00:01,000 --> 00:00:02,000\\n你好。\\n\\n2\\n00:00:03,000 --> 00:00:04,000\\n再见。\\n";
    const { name, bytes, format } = await translator.translateDocument(new TextEncoder().encode(film), { name: "film.srt" });
    console.log(name, format, new TextDecoder().decode(bytes).match(/-->/g).length);
    const controller = new AbortController();
    const aborted = translator.translate(text, { signal: controller.signal }).catch((error) => error.name);
    controller.abort();
    console.log(await aborted);
  `);
  assert.deepEqual(printed.trim().split("\n"), ["true", "film.en.srt srt 2", "AbortError"]);
});

test("i2 imports on a server that renders pages touch nothing that is not there", () => {
  const printed = node(`
    const touched = [];
    for (const name of ["window", "document", "navigator", "self", "location", "Worker", "customElements", "caches", "fetch", "process"]) {
      Object.defineProperty(globalThis, name, { configurable: true, get() { touched.push(name); return undefined; } });
    }
    for (const path of ["csanmt", "csanmt/inline", "csanmt/polyfill", "csanmt/element", "csanmt/dom"]) {
      await import(path);
    }
    delete globalThis.process;
    console.log(JSON.stringify(touched.filter((name) => !["customElements", "process"].includes(name))));
  `);
  assert.equal(printed.trim(), "[]");
});

for (const resolution of ["bundler", "nodenext"]) {
  test(`i5 types, as the compiler finds them with ${resolution}`, () => {
    const folder = join(WORK, `types-${resolution}`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, "node_modules"), { recursive: true });
    symlinkSync(PACKAGE, join(folder, "node_modules/csanmt"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          target: "es2022",
          lib: ["es2022", "dom", "dom.iterable"],
          module: resolution === "nodenext" ? "nodenext" : "es2022",
          moduleResolution: resolution,
          strict: true,
          noEmit: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          preserveSymlinks: true,
          types: [],
        },
        files: ["consumer.ts"],
      }),
    );
    symlinkSync(join(FIXTURE, "consumer.ts"), join(folder, "consumer.ts"));
    const compiler = join(TESTS, "../browser/node_modules/typescript/bin/tsc");
    run(process.execPath, [compiler, "--project", folder]);
  });
}
