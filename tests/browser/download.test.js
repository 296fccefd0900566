/** The model's way in: sizes, progress, broken connections. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";

import { downloadModel } from "../../www/lib/model-download.js";

const FILE = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 31) % 251);
const DELAYS = { retryDelaysMs: [1, 1, 1] };

/** What the server does with a request. @type {import("node:http").RequestListener} */
let handler;
/** Ranges that were asked for. @type {(string | undefined)[]} */
let ranges;
/** @type {string} */
let url;
const server = createServer((request, response) => {
  ranges.push(request.headers.range);
  handler(request, response);
});
before(async () => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  url = `http://127.0.0.1:${port}/model`;
});
after(() => server.close());
beforeEach(() => {
  ranges = [];
  sink = [];
});

/** @type {number[]} */
let sink;

/** Downloads into the sink. @param {{ bytes?: number, from?: number, version?: string }} [more] */
const download = async (more = {}) => {
  const { chunks, ...found } = await downloadModel({ url, ...DELAYS, ...more });
  for await (const chunk of chunks) {
    sink.push(...chunk);
  }
  return found;
};

const check = () => assert.deepEqual(Uint8Array.from(sink), FILE);

/** Sends a part of the file, then breaks the connection. */
const breakAfter = (/** @type {import("node:http").ServerResponse} */ response, /** @type {number} */ from, /** @type {number} */ to) => {
  response.write(FILE.subarray(from, to), () => setTimeout(() => response.destroy(), 20));
};

test("streams a file of announced length", async () => {
  handler = (_, response) => response.writeHead(200, { "Content-Length": FILE.length }).end(FILE);
  assert.equal((await download()).bytes, FILE.length);
  check();
});

test("streams a file of unknown length", async () => {
  handler = (_, response) => response.writeHead(200, { "Transfer-Encoding": "chunked" }).end(FILE);
  assert.equal((await download()).bytes, undefined);
  check();
});

test("takes a broken connection up where it broke off", async () => {
  handler = ({ headers }, response) => {
    const from = Number(/bytes=(\d+)-/.exec(headers.range ?? "")?.[1] ?? 0);
    const length = FILE.length - from;
    response.writeHead(from ? 206 : 200, {
      "Content-Length": length,
      ...(from && { "Content-Range": `bytes ${from}-${FILE.length - 1}/${FILE.length}` }),
    });
    if (from < 200_000) {
      breakAfter(response, from, from + 100_000);
    } else {
      response.end(FILE.subarray(from));
    }
  };
  await download();
  check();
  assert.equal(ranges[0], undefined);
  assert.ok(ranges.length >= 3 && ranges.slice(1).every((range) => range?.startsWith("bytes=")));
});

test("passes over what it has when the server knows no ranges", async () => {
  let requests = 0;
  handler = (_, response) => {
    requests += 1;
    response.writeHead(200, { "Content-Length": FILE.length });
    if (requests === 1) {
      breakAfter(response, 0, 150_000);
    } else {
      response.end(FILE);
    }
  };
  await download({ bytes: FILE.length });
  check();
});

test("gives up after the last try", async () => {
  handler = (_, response) => void response.destroy();
  await assert.rejects(download(), { code: "download" });
  assert.equal(ranges.length, 1 + DELAYS.retryDelaysMs.length);
});

test("an answer that is an error is final", async () => {
  handler = (_, response) => response.writeHead(404).end();
  await assert.rejects(download(), { code: "download", message: /404/ });
  assert.equal(ranges.length, 1);
});

test("h6 goes on behind what an earlier visit has, when the file is still the same", async () => {
  handler = ({ headers }, response) => {
    const from = Number(/bytes=(\d+)-/.exec(headers.range ?? "")?.[1] ?? 0);
    response.writeHead(from ? 206 : 200, { "Content-Length": FILE.length - from, ETag: '"2"' });
    response.end(FILE.subarray(from));
  };
  const same = await download({ from: 100_000, version: '"2"' });
  assert.deepEqual({ ...same }, { from: 100_000, bytes: FILE.length, version: '"2"' });
  assert.deepEqual(Uint8Array.from(sink), FILE.subarray(100_000));
  sink = [];
  const changed = await download({ from: 100_000, version: '"1"' });
  assert.equal(changed.from, 0);
  check();
});

test("h6 begins anew when the server knows no ranges, or has less than there was", async () => {
  handler = (_, response) => response.writeHead(200, { "Content-Length": FILE.length }).end(FILE);
  assert.equal((await download({ from: 100_000 })).from, 0);
  check();
  sink = [];
  handler = ({ headers }, response) =>
    headers.range
      ? response.writeHead(416).end()
      : response.writeHead(200, { "Content-Length": FILE.length }).end(FILE);
  assert.equal((await download({ from: 999_999 })).from, 0);
  check();
});
