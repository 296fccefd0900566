/** @import { ErrorCode, Failure, FileProblem } from "./types.d.ts" */

/** An error of the translator; `code` says which kind. */
export class CsanmtError extends Error {
  /**
   * @param {ErrorCode} code
   * @param {string} message
   * @param {FileProblem} [reason]
   */
  constructor(code, message, reason) {
    super(message);
    this.name = "CsanmtError";
    /** @type {ErrorCode} */
    this.code = code;
    /** Of the code `document`: what is wrong with the file, where that is known. @type {FileProblem | undefined} */
    this.reason = reason;
  }
}

/**
 * What of an error crosses from the worker: errors of the WebAssembly module carry a `code`, those
 * of the browser do not.
 *
 * @param {unknown} error
 * @param {ErrorCode} otherwise the code of an error without one
 * @returns {Failure}
 */
export function toFailure(error, otherwise) {
  const { code, message, reason } = /** @type {Partial<Failure>} */ (error ?? {});
  return {
    code: typeof code === "string" ? code : otherwise,
    message: message ?? String(error),
    ...(typeof reason === "string" && { reason }),
  };
}

/** What a destroyed object answers, unless its signal gave a reason of its own. */
export function destroyedError() {
  return new DOMException("the object was destroyed", "AbortError");
}

/**
 * The error for input that is too long. Browsers that have the class `QuotaExceededError` get it,
 * the others a `DOMException` of that name with the same two numbers.
 *
 * @param {number} requested
 * @param {number} quota
 * @returns {DOMException & { requested: number, quota: number }}
 */
export function quotaExceededError(requested, quota) {
  const message = `the input is ${requested} characters long, more than the quota of ${quota}`;
  const { QuotaExceededError } = /** @type {any} */ (globalThis);
  if (typeof QuotaExceededError === "function") {
    return new QuotaExceededError(message, { requested, quota });
  }
  return Object.assign(new DOMException(message, "QuotaExceededError"), { requested, quota });
}
