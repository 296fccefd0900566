/** Beam search over encoder.onnx and step.onnx with onnxruntime-web; one sentence at a time. */

export class Peer {
  /** Loads the runtime and the models that onnxruntime_peer.py exports. */
  static async load(runtime, models, config) {
    const ort = await import(`${runtime}ort.wasm.min.mjs`);
    ort.env.wasm.wasmPaths = runtime;
    ort.env.wasm.numThreads = 1;
    const load = (name) => ort.InferenceSession.create(`${models}${name}.onnx`, { executionProviders: ["wasm"] });
    return Object.assign(new Peer(), { ort, config, encoder: await load("encoder"), step: await load("step") });
  }

  /** Tokens in the best hypotheses; each has exactly `steps`. */
  async translate(sentences, beam, steps) {
    let tokens = 0;
    for (const ids of sentences) {
      tokens += (await this.#search(ids, beam, steps)).length;
    }
    return tokens;
  }

  async #search(ids, beam, steps) {
    const { config } = this;
    const vocabulary = config.trg_vocab_size;
    const source = await this.encoder.run({ ids: this.#ids(ids, [1, ids.length]) });
    const bias = this.#repeat(source.bias, 0, beam);
    const [augmentation, cross_k, cross_v] = ["augmentation", "cross_k", "cross_v"].map((name) =>
      this.#repeat(source[name], 1, beam));
    const [layers, , heads, , size] = cross_k.dims;
    let keys = new this.ort.Tensor("float32", new Float32Array(0), [layers, beam, heads, 0, size]);
    let values = keys;
    let alive = Array.from({ length: beam }, (_, i) => ({ ids: [], logp: i ? -1e30 : 0, row: i }));
    let last = Array(beam).fill(vocabulary);
    for (let t = 0; t < steps; t++) {
      const tokens = this.#ids(last, [beam]);
      const out = await this.step.run({ tokens, bias, augmentation, cross_k, cross_v, keys, values });
      const found = [];
      for (const [row, hypothesis] of alive.entries()) {
        const logits = out.logits.data.subarray(row * vocabulary, (row + 1) * vocabulary);
        const norm = logSumExp(logits);
        // The end is not among them: every translation has `steps` tokens.
        for (const token of best(logits, beam)) {
          found.push({ ids: [...hypothesis.ids, token], logp: hypothesis.logp + logits[token] - norm, row });
        }
      }
      alive = found.sort((a, b) => b.logp - a.logp).slice(0, beam);
      last = alive.map((hypothesis) => hypothesis.ids.at(-1));
      const rows = alive.map((hypothesis) => hypothesis.row);
      keys = this.#take(out.new_keys, rows);
      values = this.#take(out.new_values, rows);
    }
    return alive[0].ids;
  }

  #ids(ids, dims) {
    return new this.ort.Tensor("int64", BigInt64Array.from(ids, BigInt), dims);
  }

  /** Repeats an axis of length 1. */
  #repeat(tensor, axis, count) {
    const rows = Array(count).fill(0);
    return axis === 0 ? this.#take(tensor, rows, 0) : this.#take(tensor, rows);
  }

  /** Chooses rows of an axis. */
  #take(tensor, rows, axis = 1) {
    const { dims, data } = tensor;
    const outer = dims.slice(0, axis).reduce((a, b) => a * b, 1);
    const inner = dims.slice(axis + 1).reduce((a, b) => a * b, 1);
    const out = new Float32Array(outer * rows.length * inner);
    for (let o = 0; o < outer; o++) {
      for (const [i, row] of rows.entries()) {
        const from = (o * dims[axis] + row) * inner;
        out.set(data.subarray(from, from + inner), (o * rows.length + i) * inner);
      }
    }
    return new this.ort.Tensor("float32", out, dims.toSpliced(axis, 1, rows.length));
  }
}

function logSumExp(logits) {
  let max = -Infinity;
  for (const x of logits) {
    max = Math.max(max, x);
  }
  let sum = 0;
  for (const x of logits) {
    sum += Math.exp(x - max);
  }
  return max + Math.log(sum);
}

/** The `count` best tokens, without the end (0). */
function best(logits, count) {
  const top = [];
  for (let token = 1; token < logits.length; token++) {
    if (top.length < count || logits[token] > logits[top.at(-1)]) {
      let place = top.length;
      while (place > 0 && logits[top[place - 1]] < logits[token]) {
        place--;
      }
      top.splice(place, 0, token);
      top.length = Math.min(top.length, count);
    }
  }
  return top;
}
