/** Terms and their prescribed translations, kept in this browser. */

import { onStoredElsewhere, recall, remember } from "./settings.js";

/** @typedef {[term: string, translation: string]} Entry */

/** The person's glossary. */
export class Glossary {
  /** @type {Entry[]} */
  entries;

  #onchange;

  /** @param {() => void} onchange called after every change */
  constructor(onchange) {
    this.entries = stored();
    this.#onchange = onchange;
    onStoredElsewhere("glossary", () => {
      this.entries = stored();
      onchange();
    });
  }

  /**
   * Adds terms; one that is known gets the new translation.
   *
   * @param {readonly Entry[]} entries
   */
  add(entries) {
    const terms = new Map(this.entries);
    for (const [term, translation] of entries) {
      terms.set(term, translation);
    }
    this.#set([...terms]);
  }

  /** @param {string} term */
  remove(term) {
    this.#set(this.entries.filter(([known]) => known !== term));
  }

  clear() {
    this.#set([]);
  }

  /** @param {Entry[]} entries */
  #set(entries) {
    this.entries = entries;
    remember("glossary", entries.length > 0 ? entries : undefined);
    this.#onchange();
  }
}

/** @returns {Entry[]} */
function stored() {
  const stored = recall("glossary");
  return Array.isArray(stored) ? stored.filter(isEntry) : [];
}

/**
 * Reads lines of a term, a tab and its translation. Blank lines and those that begin with `#` are
 * passed over.
 *
 * @param {string} text
 * @returns {{ entries: Entry[], bad: string | undefined }} `bad` is the first line that is neither
 */
export function parseGlossary(text) {
  /** @type {Entry[]} */
  const entries = [];
  for (const line of text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/)) {
    if (line.trim() === "" || line.startsWith("#")) {
      continue;
    }
    const parts = line.split("\t").map((part) => part.trim());
    const [term, translation] = parts;
    if (parts.length < 2 || !term || !translation) {
      return { entries, bad: line };
    }
    entries.push([term, translation]);
  }
  return { entries, bad: undefined };
}

/** @param {readonly Entry[]} entries */
export function formatGlossary(entries) {
  return entries.map(([term, translation]) => `${term}\t${translation}\n`).join("");
}

/**
 * @param {unknown} value
 * @returns {value is Entry}
 */
function isEntry(value) {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "string" && part !== "");
}
