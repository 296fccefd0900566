/** Tests with limits in time. */

import { test } from "node:test";

const ATTEMPTS = 8;

/**
 * A test whose limits are wall-clock times. A busy machine delays everything now and then, so the
 * limits must hold in one of eight attempts; code that is too slow misses them in all.
 *
 * @param {string} name
 * @param {(context: import("node:test").TestContext) => Promise<void>} body
 */
export function timedTest(name, body) {
  test(name, async (context) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await body(context);
        return;
      } catch (error) {
        if (attempt === ATTEMPTS) {
          throw error;
        }
        context.diagnostic(`attempt ${attempt}: ${/** @type {Error} */ (error).message}`);
      }
    }
  });
}
