/** @import { ErrorCode, Failure } from "./types.d.ts" */

/** An error of the translator; `code` says which kind. */
export class CsanmtError extends Error {
  /**
   * @param {ErrorCode} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.name = "CsanmtError";
    /** @type {ErrorCode} */
    this.code = code;
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
  const { code, message } = /** @type {Partial<Failure>} */ (error ?? {});
  return { code: code ?? otherwise, message: message ?? String(error) };
}
