/** The packed package, unpacked where the fixtures find it. */

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** @param {string} path */
const fromHere = (path) => fileURLToPath(new URL(path, import.meta.url));

const TARGET = fromHere("../../../target");
/** Where builds go. */
export const WORK = process.env.CSANMT_PACKAGE_TESTS ?? join(TARGET, "package-tests");
export const FIXTURE = fromHere("../fixture");
export const TESTS = fromHere("..");
/** The package as an application has it. */
export const PACKAGE = fromHere("../node_modules/csanmt");
export const SITE = process.env.CSANMT_SITE ?? join(TARGET, "site");
export const MODEL = join(SITE, "models/zh-en-tiny.safetensors");

/** The tarball of `cargo xtask package`. */
function tarball() {
  const { CSANMT_PACKAGE } = process.env;
  const built = readdirSync(TARGET, { withFileTypes: true }).find(({ name }) => /^csanmt-.*\.tgz$/.test(name));
  return CSANMT_PACKAGE ?? join(TARGET, built?.name ?? "csanmt.tgz");
}

/** Installs the tarball in place of what was there. */
export function installPackage() {
  rmSync(PACKAGE, { recursive: true, force: true });
  mkdirSync(PACKAGE, { recursive: true });
  mkdirSync(WORK, { recursive: true });
  run("tar", ["-xzf", tarball(), "-C", PACKAGE, "--strip-components=1"]);
}

/**
 * Runs a program to its end and returns what it printed.
 *
 * @param {string} program
 * @param {string[]} args
 */
export function run(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8", cwd: TESTS, timeout: 120_000, ...options });
  if (error || status !== 0) {
    throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? `exit code ${status}`}\n${stdout}${stderr}`);
  }
  return stdout;
}
