/** How the built-in translator tells how far the loading is: an event target of its own. */

/** Reported fractions are multiples of this. */
const GRAIN = 1 / 0x10000;

/** Node has no such class. */
class FallbackProgressEvent extends Event {
  /**
   * @param {string} type
   * @param {{ lengthComputable?: boolean, loaded?: number, total?: number }} [init]
   */
  constructor(type, { lengthComputable = false, loaded = 0, total = 0 } = {}) {
    super(type);
    this.lengthComputable = lengthComputable;
    this.loaded = loaded;
    this.total = total;
  }
}

/** What a `monitor` callback is given: it fires `downloadprogress` events. */
export class CreateMonitor extends EventTarget {
  /** @type {((event: Event) => void) | null} */
  #handler = null;

  constructor() {
    super();
    this.addEventListener("downloadprogress", (event) => this.#handler?.call(this, event));
  }

  /** @returns {((event: Event) => void) | null} */
  get ondownloadprogress() {
    return this.#handler;
  }

  set ondownloadprogress(handler) {
    this.#handler = typeof handler === "function" ? handler : null;
  }
}

/** Turns the progress of loading into the events of a monitor. */
export class MonitorReports {
  #monitor;
  #signal;
  #last = -1;

  /**
   * @param {CreateMonitor | undefined} monitor
   * @param {AbortSignal | undefined} signal after which nothing is reported
   */
  constructor(monitor, signal) {
    this.#monitor = monitor;
    this.#signal = signal;
  }

  /**
   * Tells how far it is. Every event says more than the one before, the first one 0.
   *
   * @param {number} fraction from 0 to 1
   */
  report(fraction) {
    if (!this.#monitor) {
      return;
    }
    const loaded = Math.floor(Math.min(1, fraction) / GRAIN) * GRAIN;
    if (this.#last < 0 && loaded > 0) {
      this.#fire(0);
    }
    if (loaded > this.#last) {
      this.#fire(loaded);
    }
  }

  /** From now on nothing is reported. */
  end() {
    this.#monitor = undefined;
  }

  /** @param {number} loaded */
  #fire(loaded) {
    if (this.#signal?.aborted) {
      return;
    }
    this.#last = loaded;
    const Progress = globalThis.ProgressEvent ?? FallbackProgressEvent;
    const init = { lengthComputable: true, loaded, total: 1 };
    this.#monitor?.dispatchEvent(new Progress("downloadprogress", init));
  }
}
