/** Comparing long texts. */

import assert from "node:assert/strict";

/**
 * Like `assert.equal`, but a failure shows the place of the first difference, not two long texts.
 *
 * @param {string} actual
 * @param {string} expected
 * @param {string} what
 */
export function assertSameText(actual, expected, what) {
  let at = 0;
  while (at < expected.length && actual[at] === expected[at]) {
    at += 1;
  }
  const around = (/** @type {string} */ text) => JSON.stringify(text.slice(Math.max(0, at - 40), at + 40));
  const message = `${what}: from character ${at} ${around(actual)}, expected ${around(expected)}`;
  assert.ok(actual === expected, message);
}
