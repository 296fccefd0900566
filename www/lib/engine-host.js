/**
 * What runs in a worker, or beside the caller where there are no workers: one engine, one queue.
 * The engine works in slices of some hundredths of a second; between two of them the messages are
 * looked at, so that an abort is seen at once.
 *
 * @import { FromThread, ToThread } from "./types.d.ts"
 */

import createBindings from "./csanmt_wasm.js";
import { toFailure } from "./errors.js";

/** @typedef {ReturnType<typeof createBindings>} Bindings */
/** @typedef {Extract<ToThread, { type: "translate" | "units" | "part" }>} Work */

/** One engine with its memory. */
export class EngineHost {
  #post;
  /** @type {Bindings | undefined} */
  #bindings;
  /** @type {WebAssembly.Memory | undefined} */
  #memory;
  /** The model on its way in. @type {InstanceType<Bindings["ModelBuffer"]> | undefined} */
  #buffer;
  /** @type {InstanceType<Bindings["Engine"]> | undefined} */
  #engine;
  /** Texts that are translated in parts, by their key. @type {Map<number, InstanceType<Bindings["Request"]>>} */
  #requests = new Map();
  /** The same of files. @type {Map<number, InstanceType<Bindings["LongUnit"]>>} */
  #units = new Map();
  /** Work without an answer, oldest first. @type {Work[]} */
  #queue = [];
  #isBusy = false;
  #isClosed = false;

  /** @param {(message: FromThread, transfer?: Transferable[]) => void} post */
  constructor(post) {
    this.#post = post;
  }

  /** Takes a message. @param {ToThread} message */
  receive(message) {
    switch (message.type) {
      case "translate":
      case "units":
      case "part":
        this.#queue.push(message);
        this.#work();
        return;
      case "abort":
        this.#queue = this.#queue.filter(({ id }) => id !== message.id);
        return;
      case "forget":
        for (const texts of [this.#requests, this.#units]) {
          texts.get(message.key)?.free();
          texts.delete(message.key);
        }
        return;
    }
    if (message.type === "open") {
      this.#open(message).then(
        (value) => this.#post({ type: "ready", id: message.id, value }),
        (error) => this.#fail(message.id, error),
      );
      return;
    }
    // The rest is done at once.
    try {
      const { value, transfer } = this.#answer(message);
      this.#post({ type: "answer", id: message.id, value }, transfer);
    } catch (error) {
      this.#fail(message.id, error);
    }
  }

  /** Ends the work; nothing more is posted. */
  close() {
    this.#isClosed = true;
    this.#queue = [];
  }

  /** @param {Extract<ToThread, { type: "open" }>} message */
  async #open({ build, module }) {
    const bindings = createBindings();
    const { memory } = await bindings({ module_or_path: module });
    const isRight = build === "simd" || bindings.kernelsAgree();
    if (isRight) {
      this.#bindings = bindings;
      this.#memory = memory;
    }
    return { build, isRight };
  }

  /**
   * @param {Exclude<ToThread, { type: "translate" | "units" | "part" | "abort" | "forget" | "open" }>} message
   * @returns {{ value?: any, transfer?: Transferable[] }}
   */
  #answer(message) {
    switch (message.type) {
      case "allocate":
        this.#buffer?.free();
        this.#buffer = new (this.#loaded().ModelBuffer)(message.bytes, message.hash);
        return {};
      case "write":
        this.#buffer?.write(message.chunk);
        return {};
      case "seal": {
        const buffer = this.#buffer;
        const { Engine } = this.#loaded();
        if (!buffer) {
          throw new Error("there is no model to load");
        }
        const sha256 = buffer.sha256();
        this.#buffer = undefined;
        this.#engine = new Engine(buffer);
        return { value: { sha256, memoryBytes: this.#memoryBytes() } };
      }
      case "piece": {
        const piece = this.#ready().modelPiece(message.offset, message.bytes);
        return { value: { piece, bytes: this.#ready().modelBytes }, transfer: [piece.buffer] };
      }
      case "detect":
        return { value: this.#loaded().detectLanguages(message.text) };
      case "read":
        return { value: this.#loaded().readDocument(message.bytes, message.options) };
      case "join":
        return { value: this.#unit(message).join(message.sentences) };
      case "write-document": {
        const { bytes, options, translations } = message;
        const file = this.#loaded().writeDocument(bytes, options, translations);
        return { value: file, transfer: [file.buffer] };
      }
    }
  }

  /** Does what is queued, one after the other. */
  async #work() {
    if (this.#isBusy) {
      return;
    }
    this.#isBusy = true;
    for (let work = this.#queue[0]; work; work = this.#queue[0]) {
      try {
        await this.#do(work);
      } catch (error) {
        this.#fail(work.id, error);
      }
      if (this.#queue[0] === work) {
        this.#queue.shift();
      }
    }
    this.#isBusy = false;
  }

  /** @param {Work} work */
  async #do(work) {
    const { id } = work;
    const { job, total } = this.#start(work);
    let done = 0;
    for (;;) {
      const step = job.step();
      if (step.done) {
        const value = job.finish();
        this.#post({ type: "done", id, value, total, memoryBytes: this.#memoryBytes() });
        return;
      }
      if (step.sentencesDone > done) {
        done = step.sentencesDone;
        const { text: added, sentencesDone, sentences } = step;
        this.#post({ type: "step", id, added, sentencesDone, sentences, total });
      }
      await nextTask();
      if (this.#queue[0] !== work || this.#isClosed) {
        job.free();
        return;
      }
    }
  }

  /** @param {Work} work */
  #start(work) {
    const engine = this.#ready();
    if (work.type === "units") {
      return { job: engine.startUnits(work.units, work.options), total: work.units.length };
    }
    if (work.type === "part") {
      const unit = this.#unit(work);
      return { job: engine.startPart(unit, work.from, work.to), total: unit.sentences };
    }
    const { key, text, options, from, to } = work;
    let request = this.#requests.get(key);
    if (!request) {
      request = new (this.#loaded().Request)(text ?? "", options);
      this.#requests.set(key, request);
    }
    return { job: engine.start(request, from, to), total: request.sentences };
  }

  /** A long text of a file. @param {Extract<ToThread, { type: "part" | "join" }>} message */
  #unit({ key, unit, options }) {
    let known = this.#units.get(key);
    if (!known) {
      known = new (this.#loaded().LongUnit)(unit, options);
      this.#units.set(key, known);
    }
    return known;
  }

  /** @param {number} id @param {unknown} error */
  #fail(id, error) {
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
      // The module's memory can no longer be trusted: whoever made this host replaces it.
      this.close();
      this.#post({ type: "crashed", message: error.message });
      return;
    }
    this.#post({ type: "failed", id, error: toFailure(error, "engine") });
  }

  #memoryBytes() {
    return this.#memory?.buffer.byteLength ?? 0;
  }

  #loaded() {
    if (!this.#bindings) {
      throw new Error("the engine is not loaded");
    }
    return this.#bindings;
  }

  #ready() {
    if (!this.#engine) {
      throw new Error("the model is not loaded");
    }
    return this.#engine;
  }
}

/** Lets waiting messages in; unlike a timer, without a delay. @returns {Promise<void>} */
function nextTask() {
  const { setImmediate } = /** @type {any} */ (globalThis);
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") {
      setImmediate(resolve);
      return;
    }
    waiting.push(resolve);
    const { port1, port2 } = (channel ??= new MessageChannel());
    port1.onmessage = () => waiting.shift()?.();
    port2.postMessage(null);
  });
}

/** @type {(() => void)[]} */
const waiting = [];
/** Made when it is needed, so that importing this module does nothing. @type {MessageChannel | undefined} */
let channel;
