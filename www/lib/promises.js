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
