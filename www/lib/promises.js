/**
 * `Promise.withResolvers`, which browsers have had only since 2024.
 *
 * @template T
 * @returns {PromiseWithResolvers<T>}
 */
export function withResolvers() {
  /** @type {any} */
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
}

/**
 * The outcome of a promise, or the reason of the signal when that is first.
 *
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<T>}
 */
export function unlessAborted(promise, signal) {
  if (!signal) {
    return promise;
  }
  promise.catch(() => {});
  if (signal.aborted) {
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    const forget = () => signal.removeEventListener("abort", abort);
    promise.then(resolve, reject).finally(forget);
  });
}

/**
 * Runs a task for each of many items, some at a time, in their order: what is not begun costs
 * nothing when it is given up. The first failure ends it.
 *
 * @template T, R
 * @param {readonly T[]} items
 * @param {number} most tasks at a time
 * @param {(item: T, index: number) => Promise<R>} run
 * @returns {Promise<R[]>} in the order of the items
 */
export async function inTurn(items, most, run) {
  /** @type {R[]} */
  const results = [];
  let next = 0;
  let failed = false;
  const lane = async () => {
    while (next < items.length && !failed) {
      const index = next;
      next += 1;
      try {
        results[index] = await run(/** @type {T} */ (items[index]), index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, lane));
  return results;
}
