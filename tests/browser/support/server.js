/** The real server on a free port. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const START_LIMIT_MS = 60_000;

/** @param {string} path */
const fromRoot = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The built site, as `cargo xtask site` lays it out. */
export const SITE = process.env.CSANMT_SITE ?? fromRoot("target/site");
const COMMAND = process.env.CSANMT ?? fromRoot("target/release/csanmt");

/** A running server. */
export class Server {
  #process;

  /**
   * @param {import("node:child_process").ChildProcess} process
   * @param {string} url
   */
  constructor(process, url) {
    this.#process = process;
    /** Its address, with a slash at the end. */
    this.url = url;
  }

  /** Starts `csanmt serve` and waits until it is healthy. */
  static async start() {
    // Port 0 takes a free one; the first line says which.
    const args = ["serve", "--site", SITE, "--host", "127.0.0.1", "--port", "0"];
    const child = spawn(COMMAND, args, { stdio: ["ignore", "pipe", "pipe"] });
    let complaint = "";
    child.stderr.on("data", (chunk) => (complaint += chunk));
    const failed = once(child, "error").then(([error]) => {
      throw new Error(`cannot run ${COMMAND}: ${error.message}`);
    });
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`${COMMAND} ended with ${code}: ${complaint}`);
    });
    failed.catch(() => {});
    ended.catch(() => {});
    const url = await Promise.race([address(child.stdout), failed, ended]);
    await Promise.race([healthy(url), failed, ended]);
    return new Server(child, url);
  }

  /**
   * What the API makes of a text.
   *
   * @param {string} text
   * @param {string} [format]
   * @returns {Promise<string>}
   */
  async translate(text, format = "text") {
    const response = await fetch(`${this.url}translate`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ text, format }),
    });
    if (!response.ok) {
      throw new Error(`/translate answered ${response.status}: ${await response.text()}`);
    }
    const { translation } = /** @type {{ translation: string }} */ (await response.json());
    return translation;
  }

  async stop() {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const exit = once(this.#process, "exit");
      this.#process.kill("SIGKILL");
      await exit;
    }
  }
}

/** @param {string} url */
async function healthy(url) {
  const limit = Date.now() + START_LIMIT_MS;
  for (;;) {
    const response = await fetch(`${url}health`).catch(() => undefined);
    if (response?.ok) {
      return;
    }
    if (Date.now() > limit) {
      throw new Error(`the server is not healthy after ${START_LIMIT_MS} ms`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * The address in the line `listening on http://…`.
 *
 * @param {import("node:stream").Readable} stdout
 * @returns {Promise<string>}
 */
async function address(stdout) {
  const lines = createInterface({ input: stdout });
  for await (const line of lines) {
    const [url] = /http:\/\/\S+/.exec(line) ?? [];
    if (url) {
      return new URL(url).href;
    }
  }
  return new Promise(() => {});
}
