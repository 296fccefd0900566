/** The page's rules without a page: the session with a translator that answers when it is told to. */

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { DEBOUNCE_MS, Session } from "../../www/app/session.js";

/**
 * @typedef {object} Call
 * @property {string} text
 * @property {AbortSignal} signal
 * @property {(text: string, sentencesDone: number, sentences: number) => void} progress
 * @property {(text: string) => Promise<void>} finish
 * @property {(error: Error) => Promise<void>} fail
 */

/** @type {Call[]} */
let calls;
/** @type {Session} */
let session;
/** @type {any} */
let translator;

/** Lets what hangs on settled promises run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  calls = [];
  translator = {
    translate: (/** @type {string} */ text, /** @type {any} */ { signal, onprogress }) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        calls.push({
          text,
          signal,
          progress: (text, sentencesDone, sentences) =>
            onprogress({ text, sentencesDone, sentences }),
          finish: (text) => {
            resolve({ text, sentences: sentencesOf(text) });
            return settle();
          },
          fail: (error) => {
            reject(error);
            return settle();
          },
        });
      }),
  };
  session = new Session(() => {});
  session.translator = translator;
});

/** Sentences end with a full stop and are parted by one space. */
const sentencesOf = (/** @type {string} */ text) =>
  [...text.matchAll(/[^ .][^.]*\./g)].map((match) => ({
    source: [0, 0],
    target: [match.index, match.index + match[0].length],
    truncated: false,
  }));

const texts = () => calls.map(({ text }) => text);

/** @param {number} index */
const call = (index) => {
  const found = calls[index];
  assert.ok(found, `no call ${index}`);
  return found;
};

test("typing waits for the pause, every key anew", () => {
  session.edit("你");
  mock.timers.tick(DEBOUNCE_MS - 1);
  session.edit("你好");
  mock.timers.tick(DEBOUNCE_MS - 1);
  assert.deepEqual(texts(), []);
  mock.timers.tick(1);
  assert.deepEqual(texts(), ["你好"]);
});

test("an edit aborts what is under way, and its late answer changes nothing", async () => {
  session.edit("一", { atOnce: true });
  session.edit("二", { atOnce: true });
  assert.equal(call(0).signal.aborted, true);
  await call(0).finish("One.");
  assert.equal(session.target, "");
  await call(1).finish("Two.");
  assert.equal(session.target, "Two.");
  assert.equal(session.run.phase, "done");
});

test("the old translation stays behind the new one until that is complete", async () => {
  session.edit("甲。乙。", { atOnce: true });
  await call(0).finish("A. B.");
  session.edit("甲。丙。", { atOnce: true });
  assert.deepEqual([session.target, session.stale], ["", "A. B."]);
  call(1).progress("A. ", 1, 2);
  assert.deepEqual([session.target, session.stale], ["A. ", "B."]);
  await call(1).finish("A. C.");
  assert.deepEqual([session.target, session.stale], ["A. C.", ""]);
});

test("a text typed before the model is there is translated when it comes", async () => {
  session.translator = undefined;
  session.edit("你好", { atOnce: true });
  assert.equal(session.run.phase, "waiting");
  session.translator = translator;
  assert.deepEqual(texts(), ["你好"]);
});

test("the model's arrival does not cut the pause short", () => {
  session.translator = undefined;
  session.edit("你");
  session.translator = translator;
  assert.deepEqual(texts(), []);
  mock.timers.tick(DEBOUNCE_MS);
  assert.deepEqual(texts(), ["你"]);
});

test("blank text gives up everything", async () => {
  session.edit("你好", { atOnce: true });
  session.edit("  \n");
  assert.equal(call(0).signal.aborted, true);
  assert.deepEqual([session.target, session.stale, session.run.phase], ["", "", "idle"]);
  await settle();
  assert.equal(session.run.phase, "idle");
});

test("a failure keeps the text and says why", async () => {
  session.edit("你好", { atOnce: true });
  await call(0).fail(new Error("no memory"));
  assert.deepEqual(session.run, { phase: "failed", message: "no memory" });
  assert.equal(session.source, "你好");
});

test("stop keeps what is translated", async () => {
  session.edit("甲。乙。", { atOnce: true });
  call(0).progress("A. ", 1, 2);
  session.stop();
  await settle();
  assert.deepEqual([session.target, session.stale, session.run.phase], ["A. ", "", "stopped"]);
  assert.equal(call(0).signal.aborted, true);
});

test("without auto an edit translates nothing and disturbs nothing", async () => {
  session.auto = false;
  session.edit("甲。");
  mock.timers.tick(DEBOUNCE_MS * 2);
  assert.deepEqual(texts(), []);
  session.translate();
  session.edit("甲。乙");
  assert.equal(call(0).signal.aborted, false);
  await call(0).finish("A.");
  assert.equal(session.target, "A.");
});

test("what cannot be seen is no text", () => {
  for (const text of ["\u200b\u200d\ufeff", " \n\t\u3000", "\u0007"]) {
    session.edit(text, { atOnce: true });
    assert.equal(session.hasText, false);
  }
  assert.equal(calls.length, 0);
  session.edit("\u200b好", { atOnce: true });
  assert.equal(calls.length, 1);
});
