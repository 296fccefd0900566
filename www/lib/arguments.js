/**
 * What the browsers check of the arguments of the built-in interfaces, in their order: first the
 * types, then the tags, then the monitor is called.
 */

import { CreateMonitor, MonitorReports } from "./create-monitor.js";

/**
 * @template {object} T
 * @param {T} options
 * @param {string} method
 * @returns {T}
 */
export function dictionary(options, method) {
  if (options === null || (typeof options !== "object" && typeof options !== "function")) {
    throw new TypeError(`${method} needs an object with options`);
  }
  return options;
}

/**
 * @template {string} N
 * @param {{ [name in N]?: unknown }} options
 * @param {N} name
 * @returns {string}
 */
export function checkedTag(options, name) {
  const value = options[name];
  if (value === undefined) {
    throw new TypeError(`${name} is missing`);
  }
  return String(value);
}

/**
 * @param {{ signal?: AbortSignal | undefined }} options
 * @returns {AbortSignal | undefined}
 */
export function checkedSignal({ signal }) {
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new TypeError("signal is not an AbortSignal");
  }
  return signal;
}

/**
 * Calls the monitor, which may throw.
 *
 * @param {{ monitor?: ((monitor: CreateMonitor) => void) | undefined }} options
 * @param {AbortSignal | undefined} signal
 */
export function monitored({ monitor: callback }, signal) {
  if (callback === undefined) {
    return new MonitorReports(undefined, signal);
  }
  if (typeof callback !== "function") {
    throw new TypeError("monitor is not a function");
  }
  const monitor = new CreateMonitor();
  callback(monitor);
  return new MonitorReports(monitor, signal);
}
