// Runs the module of wasm.rs: node wasm.mjs MODULE.wasm
import { readFile } from "node:fs/promises";

const bytes = await readFile(process.argv[2]);
const { instance } = await WebAssembly.instantiate(bytes, {});
const { check, detected, prepare, multiply, attend } = instance.exports;

const failed = check();
console.log(failed === 0 ? "self-test passed" : `self-test failed: available instruction set ${failed - 1}`);
console.log(`instruction set ${["scalar", "avx2", "avxvnni", "avx512vnni", "amx", "simd128", "relaxedsimd"][detected()]}`);

/** Best milliseconds of one of `times` runs inside `run`. */
function time(run, times) {
  run(times);
  let best = Infinity;
  for (let i = 0; i < 15; i += 1) {
    const start = performance.now();
    run(times);
    best = Math.min(best, (performance.now() - start) / times);
  }
  return best;
}

for (const [k, n] of [[256, 1024], [1024, 256], [512, 2048]]) {
  const rates = [1, 2, 4, 8, 16, 64].map((m) => {
    prepare(m, k, n);
    const times = Math.ceil(2e8 / (m * k * n) / 8);
    return `M=${m} ${((m * k * n) / time(multiply, times) / 1e6).toFixed(1)}`;
  });
  console.log(`${k} x ${n}, GMAC/s: ${rates.join("  ")}`);
}
console.log(`attend 8 x 64, 30 keys: ${((time((times) => attend(30, times), 20) / 30) * 1e3).toFixed(2)} us a row`);
process.exit(failed === 0 ? 0 : 1);
