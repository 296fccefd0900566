/**
 * Engines that share one model file, each in a worker of its own. Everything on a page that is
 * created with equal settings shares one pool; the last one that is destroyed ends it.
 *
 * @import { EngineBuild, FromThread, LoadProgress, Notice, Settings, Task, ToThread } from "./types.d.ts"
 * @import { Sink } from "./model-source.js"
 * @import { Thread } from "./thread.js"
 */

import { CsanmtError, destroyedError } from "./errors.js";
import { compileEngine } from "./engine-module.js";
import { ModelSource } from "./model-source.js";
import { withResolvers } from "./promises.js";
import { hasWorkers, startThread } from "./thread.js";

/** Most workers when nobody says. */
const MOST_WORKERS = 8;
/** A worker has a piece of work and the next one, so that it need not wait for the page. */
const DEPTH = 2;
/** Pieces of the model that are under way to a worker at once. */
const WRITES = 16;
/** Bytes of the model that one worker copies for another at once. */
const COPY_BYTES = 1 << 20;
/** Share of the memory of the device that all workers together may take. */
const MEMORY_SHARE = 1 / 4;
const DEVICE_MEMORY_GB = 4;

/**
 * A worker and what it is doing.
 *
 * @typedef {object} Slot
 * @property {Thread | undefined} thread
 * @property {"starting" | "ready" | "over"} state
 * @property {Map<number, Call>} calls
 * @property {Set<Task>} tasks
 * @property {Set<number>} keys texts that it has
 * @property {number} memoryBytes
 */

/**
 * A question that has no answer yet.
 *
 * @typedef {object} Call
 * @property {(answer: any) => void} resolve
 * @property {(error: unknown) => void} reject
 * @property {((step: Extract<FromThread, { type: "step" }>) => void) | undefined} [onstep]
 */

/** @type {Map<string, Pool>} */
const pools = new Map();

/** Numbers for what can only be compared by identity: bytes, files, functions. @type {WeakMap<object, number>} */
const identities = new WeakMap();
let lastIdentity = 0;
let lastId = 0;

/** Another number for every text that is translated in parts. */
export function newKey() {
  return ++lastId;
}

export class Pool {
  /** The settings of this pool. */
  settings;
  #name;
  #users = 0;
  /** @type {Slot[]} */
  #slots = [];
  /** Work that no worker has yet: by whom it is for, oldest first. @type {Map<object, Task[]>} */
  #waiting = new Map();
  #most;
  #source;
  /** @type {ReturnType<typeof compileEngine> | undefined} */
  #engine;
  /** @type {EngineBuild | undefined} */
  #build;
  /** @type {Promise<void> | undefined} */
  #loading;
  #isLoaded = false;
  #abort = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #idle;
  /** @type {LoadProgress} */
  #progress = { loaded: 0, total: undefined };
  /** @type {Set<(progress: LoadProgress) => void>} */
  #progressListeners = new Set();
  /** @type {Set<(notice: Notice) => void>} */
  #noticeListeners = new Set();
  /** @type {Map<string, Notice>} */
  #notices = new Map();

  /**
   * The pool for these settings; it lives until it is released as often as it was acquired.
   *
   * @param {Settings} settings
   */
  static acquire(settings) {
    const name = nameOf(settings);
    let pool = pools.get(name);
    if (!pool) {
      pool = new Pool(settings, name);
      pools.set(name, pool);
    }
    pool.#users += 1;
    return pool;
  }

  /**
   * The pool for these settings, if there is one.
   *
   * @param {Settings} settings
   */
  static existing(settings) {
    return pools.get(nameOf(settings));
  }

  /**
   * @private
   * @param {Settings} settings
   * @param {string} name
   */
  constructor(settings, name) {
    this.settings = settings;
    this.#name = name;
    this.#most = mostWorkers(settings);
    this.#source = new ModelSource(settings, (notice) => this.#notify(notice));
  }

  release() {
    this.#users -= 1;
    if (this.#users > 0) {
      return;
    }
    pools.delete(this.#name);
    clearTimeout(this.#idle);
    const error = destroyedError();
    this.#abort.abort(error);
    for (const slot of this.#slots) {
      this.#end(slot, error);
    }
    this.#slots = [];
    this.#rejectWaiting(error);
  }

  /** Whether a worker is ready, or on its way. @returns {"none" | "loading" | "ready"} */
  get state() {
    return this.#slots.some(({ state }) => state === "ready") ? "ready" : this.#loading ? "loading" : "none";
  }

  /** Most workers that work at once. */
  get workers() {
    return this.#most;
  }

  /** So many pieces of work keep all workers busy. */
  get appetite() {
    return this.#most * (DEPTH + 1);
  }

  /** Bytes of WebAssembly memory of all workers, after their last work. */
  get memoryBytes() {
    return this.#slots.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  }

  /** Which build of the engine runs, once one does. */
  get build() {
    return this.#build;
  }

  /**
   * Loads the model into a first worker, unless one has it.
   *
   * @param {((progress: LoadProgress) => void) | undefined} [onprogress]
   */
  async load(onprogress) {
    if (onprogress && !this.#isLoaded) {
      this.#progressListeners.add(onprogress);
    }
    try {
      await this.#ensureLoaded();
    } finally {
      if (onprogress) {
        this.#progressListeners.delete(onprogress);
      }
    }
  }

  /** @param {(notice: Notice) => void} listener */
  listen(listener) {
    this.#noticeListeners.add(listener);
    for (const notice of this.#notices.values()) {
      listener(notice);
    }
  }

  /** @param {(notice: Notice) => void} listener */
  unlisten(listener) {
    this.#noticeListeners.delete(listener);
  }

  /**
   * Has a piece of work done by some worker. Whoever asks takes turns with the others.
   *
   * @param {object} group whose work it is
   * @param {Task["message"]} message without its `id`
   * @param {object} [how]
   * @param {Task["onstep"]} [how.onstep]
   * @param {Task["onrestart"]} [how.onrestart] another worker begins anew
   * @param {AbortSignal | undefined} [how.signal] gives the work up
   * @returns {Promise<{ value: any, total: number }>}
   */
  run(group, message, { onstep, onrestart, signal } = {}) {
    if (signal?.aborted) {
      return Promise.reject(signal.reason);
    }
    if (this.#abort.signal.aborted) {
      return Promise.reject(this.#abort.signal.reason);
    }
    const { promise, resolve, reject } = /** @type {PromiseWithResolvers<{ value: any, total: number }>} */ (
      withResolvers()
    );
    /** @type {Task} */
    const task = { group, message, onstep, onrestart, resolve, reject, id: 0, retried: false };
    const tasks = this.#waiting.get(group);
    if (tasks) {
      tasks.push(task);
    } else {
      this.#waiting.set(group, [task]);
    }
    if (signal) {
      const abort = () => this.#giveUp(task, signal.reason);
      signal.addEventListener("abort", abort, { once: true });
      const forget = () => signal.removeEventListener("abort", abort);
      promise.then(forget, forget);
    }
    this.#dispatch();
    return promise;
  }

  /** A text that was translated in parts is complete, or given up. @param {number} key */
  forget(key) {
    for (const slot of this.#slots) {
      if (slot.keys.delete(key)) {
        slot.thread?.post({ type: "forget", key });
      }
    }
  }

  #ensureLoaded() {
    if (this.#slots.some(({ state }) => state === "ready")) {
      return Promise.resolve();
    }
    return (this.#loading ??= this.#startSlot().finally(() => (this.#loading = undefined)));
  }

  /** Gives waiting work to workers that have room for it, and asks for more workers. */
  #dispatch() {
    clearTimeout(this.#idle);
    for (;;) {
      const slot = this.#freest();
      const task = slot && this.#next();
      if (!task) {
        break;
      }
      this.#assign(slot, task);
    }
    if (this.#waiting.size === 0) {
      if (this.#slots.every(({ tasks }) => tasks.size === 0)) {
        this.#rest();
      }
      return;
    }
    if (this.#slots.length === 0) {
      this.#ensureLoaded().catch((error) => this.#rejectWaiting(error));
      return;
    }
    const isStarting = this.#slots.some(({ state }) => state === "starting");
    if (!isStarting && this.#slots.length < this.#most) {
      this.#startSlot().catch(() => {
        // No room for another one: those that work go on.
        if (this.#slots.some(({ state }) => state === "ready")) {
          this.#most = this.#slots.length;
        }
        this.#dispatch();
      });
    }
  }

  /** The worker with the least to do, if any can take more. */
  #freest() {
    let freest;
    for (const slot of this.#slots) {
      const { size } = slot.tasks;
      if (slot.state === "ready" && size < DEPTH && size < (freest?.tasks.size ?? DEPTH)) {
        freest = slot;
      }
    }
    return freest;
  }

  /** The next piece of work, of each group in turn. */
  #next() {
    for (const [group, tasks] of this.#waiting) {
      this.#waiting.delete(group);
      const task = tasks.shift();
      if (tasks.length > 0) {
        this.#waiting.set(group, tasks);
      }
      if (task) {
        return task;
      }
    }
    return undefined;
  }

  /** @param {Slot} slot @param {Task} task */
  #assign(slot, task) {
    slot.tasks.add(task);
    slot.thread?.hold(true);
    task.slot = slot;
    let { message } = task;
    if ("key" in message) {
      if (slot.keys.has(message.key)) {
        // It knows the text already.
        const { text: _, unit: __, options: ___, ...rest } = /** @type {any} */ (message);
        message = rest;
      } else {
        slot.keys.add(message.key);
      }
    }
    const call = this.#call(slot, message, [], task.onstep);
    task.id = lastId;
    call.then(
      (answer) => this.#settle(slot, task, () => task.resolve(answer)),
      (error) => slot.tasks.has(task) && this.#settle(slot, task, () => task.reject(error)),
    );
  }

  /** @param {Slot} slot @param {Task} task @param {() => void} settle */
  #settle(slot, task, settle) {
    slot.tasks.delete(task);
    slot.thread?.hold(slot.tasks.size > 0);
    settle();
    this.#dispatch();
  }

  /** Nobody wants it any more. @param {Task} task @param {unknown} reason */
  #giveUp(task, reason) {
    const { slot } = task;
    if (slot?.tasks.has(task)) {
      slot.calls.delete(task.id);
      slot.thread?.post({ type: "abort", id: task.id });
      this.#settle(slot, task, () => task.reject(reason));
      return;
    }
    const tasks = this.#waiting.get(task.group) ?? [];
    const left = tasks.filter((other) => other !== task);
    if (left.length > 0) {
      this.#waiting.set(task.group, left);
    } else {
      this.#waiting.delete(task.group);
    }
    task.reject(reason);
  }

  /** @param {unknown} error */
  #rejectWaiting(error) {
    const waiting = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    for (const task of waiting) {
      task.reject(error);
    }
  }

  /** Nothing is to be done: after a while the workers end. */
  #rest() {
    const { idleMs } = this.settings;
    if (this.#slots.length === 0 || !Number.isFinite(idleMs) || this.#abort.signal.aborted) {
      return;
    }
    this.#idle = setTimeout(async () => {
      const isAtHand = await this.#source.isAtHand();
      const isIdle = this.#waiting.size === 0 && this.#slots.every(({ tasks }) => tasks.size === 0);
      if (isAtHand && isIdle && !this.#loading) {
        for (const slot of this.#slots) {
          this.#end(slot, destroyedError());
        }
        this.#slots = [];
      }
    }, idleMs);
    // Node has timers that keep no process running.
    /** @type {any} */ (this.#idle).unref?.();
  }

  /** Starts one more worker and loads the model into it. */
  async #startSlot() {
    /** @type {Slot} */
    const slot = {
      thread: undefined,
      state: "starting",
      calls: new Map(),
      tasks: new Set(),
      keys: new Set(),
      memoryBytes: 0,
    };
    this.#slots.push(slot);
    try {
      slot.thread = await startThread(this.settings, {
        onmessage: (message) => this.#receive(slot, message),
        onerror: (message) => this.#crashed(slot, message),
      });
      await this.#open(slot);
      if (this.settings.model !== undefined || this.settings.modelUrl !== undefined) {
        await this.#fill(slot);
      }
      if (slot.state === "over") {
        throw this.#abort.signal.reason ?? destroyedError();
      }
      slot.state = "ready";
      slot.thread.hold(false);
      this.#isLoaded = true;
    } catch (error) {
      this.#slots = this.#slots.filter((other) => other !== slot);
      this.#end(slot, error);
      throw error;
    }
    this.#dispatch();
  }

  /** Gives a worker the engine; the first one says which build it is. @param {Slot} slot */
  async #open(slot) {
    const open = async (/** @type {Awaited<ReturnType<typeof compileEngine>>} */ engine) =>
      (await this.#call(slot, { type: "open", ...engine })).value.isRight;
    if (this.#engine) {
      await open(await this.#engine);
      return;
    }
    this.#engine = compileEngine(this.settings, open);
    try {
      const engine = await this.#engine;
      this.#build = engine.build;
      if (engine.build === "simd") {
        await open(engine);
      }
    } catch (error) {
      this.#engine = undefined;
      throw error instanceof WebAssembly.CompileError
        ? new CsanmtError("engine", `the engine cannot be compiled: ${error.message}`)
        : error;
    }
  }

  /** Loads the model into a worker, from one that has it if there is one. @param {Slot} slot */
  async #fill(slot) {
    const sink = this.#sink(slot);
    const lender = this.#slots.find(({ state }) => state === "ready");
    if (!lender || this.settings.modelUrl === undefined) {
      await this.#source.fill(sink, (loaded, total) => this.#report(loaded, total), this.#abort.signal);
      return;
    }
    for (let offset = 0, total = Infinity; offset < total; offset += COPY_BYTES) {
      const { value } = await this.#call(lender, { type: "piece", offset, bytes: COPY_BYTES });
      if (offset === 0) {
        total = value.bytes;
        await sink.allocate(total, false);
      }
      await sink.write(value.piece);
    }
    await sink.seal();
  }

  /** @param {Slot} slot @returns {Sink} */
  #sink(slot) {
    /** @type {Promise<unknown>[]} */
    const writes = [];
    return {
      allocate: async (bytes, hash) => {
        await this.#call(slot, { type: "allocate", bytes, hash });
      },
      write: async (chunk) => {
        // Transferring takes the whole buffer away, which may have other tenants.
        const owned = chunk.byteLength === chunk.buffer.byteLength ? chunk : chunk.slice();
        const write = this.#call(slot, { type: "write", chunk: owned }, [owned.buffer]);
        write.catch(() => {});
        if (writes.push(write) >= WRITES) {
          await writes.shift();
        }
      },
      seal: async () => {
        await Promise.all(writes);
        const { value } = await this.#call(slot, { type: "seal" });
        slot.memoryBytes = value.memoryBytes;
        return value.sha256;
      },
    };
  }

  /**
   * @param {number} loaded
   * @param {number | undefined} total
   */
  #report(loaded, total) {
    // A worker that takes over begins at zero; what is reported never falls.
    this.#progress = { loaded: Math.max(this.#progress.loaded, loaded), total };
    for (const listener of this.#progressListeners) {
      listener({ ...this.#progress });
    }
  }

  /** @param {Notice} notice */
  #notify(notice) {
    this.#notices.set(notice.code, notice);
    for (const listener of this.#noticeListeners) {
      listener(notice);
    }
  }

  /**
   * Asks a worker.
   *
   * @param {Slot} slot
   * @param {any} message without its `id`
   * @param {Transferable[]} [transfer]
   * @param {Call["onstep"]} [onstep]
   * @returns {Promise<{ value: any, total: number }>}
   */
  #call(slot, message, transfer, onstep) {
    const id = ++lastId;
    if (slot.state === "over" || !slot.thread) {
      return Promise.reject(this.#abort.signal.reason ?? destroyedError());
    }
    const { promise, resolve, reject } = /** @type {PromiseWithResolvers<{ value: any, total: number }>} */ (
      withResolvers()
    );
    slot.calls.set(id, { resolve, reject, onstep });
    try {
      slot.thread.post(/** @type {ToThread} */ ({ ...message, id }), transfer);
    } catch (error) {
      // What cannot be cloned.
      slot.calls.delete(id);
      reject(error);
    }
    return promise;
  }

  /** @param {Slot} slot @param {FromThread} message */
  #receive(slot, message) {
    if (slot.state === "over") {
      return;
    }
    if (message.type === "crashed") {
      this.#crashed(slot, message.message);
      return;
    }
    const call = slot.calls.get(message.id);
    if (!call) {
      // It has been given up.
      return;
    }
    if (message.type === "step") {
      call.onstep?.(message);
      return;
    }
    slot.calls.delete(message.id);
    switch (message.type) {
      case "done":
        slot.memoryBytes = message.memoryBytes;
        call.resolve(message);
        return;
      case "failed":
        call.reject(new CsanmtError(message.error.code, message.error.message, message.error.reason));
        return;
      default:
        call.resolve({ value: message.value, total: 0 });
    }
  }

  /**
   * An engine stopped working: another one takes over its work. Work that has now seen this twice
   * is rejected.
   *
   * @param {Slot} slot
   * @param {string} message
   */
  #crashed(slot, message) {
    if (slot.state === "over") {
      return;
    }
    const error = new CsanmtError("crashed", `the engine stopped working: ${message}`);
    const tasks = [...slot.tasks];
    slot.tasks.clear();
    this.#slots = this.#slots.filter((other) => other !== slot);
    this.#end(slot, error);
    // The oldest one was under way, and is the one to blame.
    const [guilty] = tasks;
    if (guilty?.retried) {
      tasks.shift();
      guilty.reject(error);
    } else if (guilty) {
      guilty.retried = true;
    }
    for (const task of tasks.reverse()) {
      delete task.slot;
      task.onrestart?.();
      this.#waiting.set(task.group, [task, ...(this.#waiting.get(task.group) ?? [])]);
    }
    this.#dispatch();
  }

  /** @param {Slot} slot @param {unknown} error */
  #end(slot, error) {
    slot.state = "over";
    slot.thread?.terminate();
    const tasks = [...slot.tasks];
    slot.tasks.clear();
    for (const call of slot.calls.values()) {
      call.reject(error);
    }
    slot.calls.clear();
    for (const task of tasks) {
      task.reject(error);
    }
  }
}

/** Equal settings have equal names. @param {Settings} settings */
function nameOf(settings) {
  const parts = Object.entries(settings).map(([name, value]) => {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) {
      return [name, value ?? null];
    }
    if (!identities.has(value)) {
      identities.set(value, ++lastIdentity);
    }
    return [name, { identity: identities.get(value) }];
  });
  return JSON.stringify(parts);
}

/**
 * One worker a core, as far as the memory goes.
 *
 * @param {Settings} settings
 */
function mostWorkers(settings) {
  if (!hasWorkers(settings)) {
    return 1;
  }
  if (settings.workers !== undefined) {
    return Math.max(1, Math.floor(settings.workers));
  }
  const { hardwareConcurrency = 1, deviceMemory = DEVICE_MEMORY_GB } = /** @type {any} */ (
    globalThis.navigator ?? {}
  );
  const { model } = settings;
  const bytes = settings.modelBytes ?? (model instanceof Blob ? model.size : model?.byteLength) ?? 0;
  const room = deviceMemory * 1e9 * MEMORY_SHARE;
  const fitting = Math.floor(room / (1.3 * bytes + 32e6));
  return Math.max(1, Math.min(MOST_WORKERS, hardwareConcurrency, fitting));
}
