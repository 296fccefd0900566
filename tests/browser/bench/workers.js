/**
 * How much faster a long text and files are with several workers than with one, beside how much
 * faster this machine does two things at once at all.
 *
 * node bench/workers.js [WORKERS]
 */

import { LibraryBench } from "../support/library-page.js";
import { sample } from "../support/samples.js";
import { longText } from "../support/texts.js";

const WORKERS = Number(process.argv[2] ?? 2);
const ROUNDS = 3;
const TEXT = longText(200);
const FILES = ["txt", "html", "docx", "epub"].map((format) => ({ format, base64: sample(format, TEXT.split("\n")) }));

const bench = await LibraryBench.start();
const page = await bench.open();
const { rounds, memory } = await page.evaluate(
  async ({ text, files, workers, rounds: count }) => {
    const { create } = /** @type {any} */ (window);
    const one = await create({ workers: 1 });
    const many = await create({ workers });
    // A spinning worker each: what the machine itself gains.
    const script = new Blob(["onmessage = () => { let x = 1; for (let i = 0; i < 1e8; i += 1) x = (x * 1103515245 + 12345) | 0; postMessage(x); }"]);
    const spinners = Array.from({ length: workers }, () => new Worker(URL.createObjectURL(script)));
    const spin = (/** @type {Worker[]} */ those) =>
      Promise.all(those.map((worker) => new Promise((resolve) => {
        worker.onmessage = resolve;
        worker.postMessage(0);
      })));
    const seconds = async (/** @type {() => Promise<unknown>} */ act) => {
      const begin = performance.now();
      await act();
      return (performance.now() - begin) / 1000;
    };
    /** @type {[string, Uint8Array<ArrayBuffer>][]} */
    const documents = files.map(({ format, base64 }) => [format, Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))]);
    const rounds = [];
    await many.translate(text);
    await one.translate(text.slice(0, 2000));
    for (let round = 0; round < count; round += 1) {
      /** @type {Record<string, number>} */
      const ratios = {
        machine: (workers * (await seconds(() => spin(spinners.slice(0, 1))))) / (await seconds(() => spin(spinners))),
        text: (await seconds(() => one.translate(text))) / (await seconds(() => many.translate(text))),
      };
      for (const [format, bytes] of documents) {
        const how = { name: `a.${format}` };
        ratios[format] =
          (await seconds(() => one.translateDocument(bytes, how))) / (await seconds(() => many.translateDocument(bytes, how)));
      }
      rounds.push(ratios);
    }
    return { rounds, memory: { one: one.memoryBytes, many: many.memoryBytes } };
  },
  { text: TEXT, files: FILES, workers: WORKERS, rounds: ROUNDS },
);
await bench.stop();

for (const name of Object.keys(rounds[0] ?? {})) {
  const values = rounds.map((round) => round[name] ?? NaN).sort((a, b) => a - b);
  const [least, middle, most] = [values[0], values[values.length >> 1], values.at(-1)].map((value) => (value ?? NaN).toFixed(2));
  console.log(`${name.padEnd(8)} ${WORKERS} workers are ${middle} × one (${least} to ${most})`);
}
console.log(`memory   ${(memory.one / 1e6).toFixed(1)} MB with one, ${(memory.many / 1e6).toFixed(1)} MB with ${WORKERS}`);
