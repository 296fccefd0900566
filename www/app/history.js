/** Translations that were made, kept in this browser when the person wants that. */

import { onStoredElsewhere, recall, remember } from "./settings.js";

/** More are not kept, nor longer ones: storage is small. */
const MOST_ENTRIES = 60;
const LONGEST_TEXT = 4000;

/** @typedef {{ time: number, source: string, target: string }} Entry */

/** The history, newest first. */
export class History {
  /** @type {Entry[]} */
  entries;

  constructor() {
    this.entries = stored();
    onStoredElsewhere("history", () => (this.entries = stored()));
  }

  /**
   * Adds a translation. One that goes on where the newest left off takes its place: a sentence
   * that is being typed is one entry.
   *
   * @param {string} source
   * @param {string} target
   */
  add(source, target) {
    // What was not Chinese stayed as it is.
    if (source.length > LONGEST_TEXT || target === "" || target === source) {
      return;
    }
    const others = this.entries.filter(({ source: known }, index) => {
      const isSame = known === source;
      const isDraft = index === 0 && (source.startsWith(known) || known.startsWith(source));
      return !isSame && !isDraft;
    });
    this.#set([{ time: Date.now(), source, target }, ...others].slice(0, MOST_ENTRIES));
  }

  /** @param {Entry} entry */
  remove(entry) {
    this.#set(this.entries.filter((other) => other !== entry));
  }

  clear() {
    this.#set([]);
  }

  /** @param {Entry[]} entries */
  #set(entries) {
    this.entries = entries;
    // When the storage is full the oldest go.
    for (let count = entries.length; !remember("history", count > 0 ? entries.slice(0, count) : undefined) && count > 0; ) {
      count = Math.floor(count / 2);
    }
  }
}

/** @returns {Entry[]} */
function stored() {
  const stored = recall("history");
  return Array.isArray(stored) ? stored.filter(isEntry) : [];
}

/**
 * @param {any} value
 * @returns {value is Entry}
 */
function isEntry(value) {
  return typeof value?.time === "number" && typeof value.source === "string" && typeof value.target === "string";
}
