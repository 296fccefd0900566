/**
 * A file translated by several workers: one reads its texts, all translate them, one writes it.
 * Short texts go to a worker together, a long one to all of them in runs of sentences: a plain
 * text file may be a single one.
 *
 * @import {
 *   DocumentContent, DocumentOptions, DocumentProgress, EngineOptions, TranslatedDocument,
 *   TranslatedUnit, Unit, UnitSentence,
 * } from "./types.d.ts"
 * @import { Pool } from "./pool.js"
 */

import { newKey } from "./pool.js";
import { inTurn } from "./promises.js";

/** Characters in one piece of work. */
const PIECE_CHARACTERS = 400;
/** Texts in one piece of work. */
const PIECE_UNITS = 32;

/**
 * Texts `first` to `last`, or of one text the sentences `from` to `to`.
 *
 * @typedef {{ first: number, last: number }} Bundle
 * @typedef {{ unit: number, from: number, to: number }} Run
 */

/** @type {Record<string, string>} */
const MEDIA_TYPES = {
  txt: "text/plain",
  md: "text/markdown",
  html: "text/html",
  srt: "application/x-subrip",
  vtt: "text/vtt",
  json: "application/json",
  csv: "text/csv",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  epub: "application/epub+zip",
};

/**
 * @param {Pool} pool
 * @param {Blob | ArrayBuffer | ArrayBufferView | string} file
 * @param {Pick<DocumentOptions, "name" | "format" | "column" | "signal" | "onprogress">} how
 * @param {EngineOptions} options
 * @returns {Promise<TranslatedDocument>}
 */
export async function translateFile(pool, file, how, options) {
  const { format, column, signal, onprogress } = how;
  signal?.throwIfAborted();
  const name = how.name ?? (/** @type {Partial<File>} */ (file).name || "");
  const bytes = await bytesOf(file);
  const columns = column === undefined ? [] : Array.isArray(column) ? column : [column];
  const reading = { name, columns, ...(format === undefined ? {} : { format }) };

  // A file takes turns with everything else, also with texts of the same translator.
  const group = {};
  // One piece that fails ends the others.
  const failed = new AbortController();
  const giveUp = () => failed.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    const work = { signal: failed.signal };
    const read = await pool.run(group, { type: "read", bytes, options: reading }, work);
    /** @type {DocumentContent} */
    const content = read.value;
    const progress = new Progress(content.units, onprogress);
    /** @type {TranslatedUnit[]} */
    const translations = Array(content.units.length);
    const long = new LongUnits(pool, group, content, options, failed.signal);
    try {
      await inTurn(cut(content), pool.appetite, async (piece) => {
        if ("unit" in piece) {
          const joined = await long.translate(piece);
          if (joined) {
            translations[piece.unit] = joined;
          }
          progress.addRun(piece, content);
          return;
        }
        const units = content.units.slice(piece.first, piece.last);
        const { value } = await pool.run(group, { type: "units", units, options }, work);
        translations.splice(piece.first, units.length, ...value);
        progress.add(units);
      });
    } finally {
      long.forget();
    }
    const written = await pool.run(
      group,
      { type: "write-document", bytes, options: { ...reading, format: content.format }, translations },
      work,
    );
    const result = /** @type {Uint8Array<ArrayBuffer>} */ (written.value);
    return {
      name: translatedName(name, content.format),
      format: content.format,
      bytes: result,
      blob: new Blob([result], { type: MEDIA_TYPES[content.format] ?? "application/octet-stream" }),
      truncated: translations.filter(({ truncated }) => truncated).length,
    };
  } catch (error) {
    failed.abort(error);
    throw error;
  } finally {
    signal?.removeEventListener("abort", giveUp);
  }
}

/** The texts that are translated in parts. */
class LongUnits {
  #pool;
  #group;
  #content;
  #options;
  #signal;
  /** Those under way: by what the workers know them, and what is there. @type {Map<number, { key: number, missing: number, sentences: UnitSentence[] }>} */
  #units = new Map();

  /**
   * @param {Pool} pool
   * @param {object} group
   * @param {DocumentContent} content
   * @param {EngineOptions} options
   * @param {AbortSignal} signal
   */
  constructor(pool, group, content, options, signal) {
    this.#pool = pool;
    this.#group = group;
    this.#content = content;
    this.#options = options;
    this.#signal = signal;
  }

  /**
   * Translates some sentences; the last ones that were missing make the text whole.
   *
   * @param {Run} run
   * @returns {Promise<TranslatedUnit | undefined>}
   */
  async translate({ unit: number, from, to }) {
    const count = this.#content.sentences[number] ?? 0;
    const state = this.#units.get(number) ?? { key: newKey(), missing: count, sentences: Array(count) };
    this.#units.set(number, state);
    const work = { signal: this.#signal };
    const whole = { key: state.key, unit: this.#content.units[number], options: this.#options };
    const part = await this.#pool.run(this.#group, { type: "part", ...whole, from, to }, work);
    state.sentences.splice(from, to - from, .../** @type {UnitSentence[]} */ (part.value));
    state.missing -= to - from;
    if (state.missing > 0) {
      return undefined;
    }
    const { sentences } = state;
    const joined = await this.#pool.run(this.#group, { type: "join", ...whole, sentences }, work);
    this.#units.delete(number);
    this.#pool.forget(state.key);
    return joined.value;
  }

  /** What is under way is given up. */
  forget() {
    for (const { key } of this.#units.values()) {
      this.#pool.forget(key);
    }
    this.#units.clear();
  }
}

/** How many of the texts are done. */
class Progress {
  #onprogress;
  /** @type {DocumentProgress} */
  #state = { unitsDone: 0, units: 0, charactersDone: 0, characters: 0 };
  /** Sentences that are done of texts under way. @type {Map<number, number>} */
  #sentences = new Map();

  /**
   * @param {Unit[]} units
   * @param {((progress: DocumentProgress) => void) | undefined} onprogress
   */
  constructor(units, onprogress) {
    this.#onprogress = onprogress;
    this.#state.units = units.length;
    this.#state.characters = lengthOf(units);
    onprogress?.({ ...this.#state });
  }

  /** @param {Unit[]} units */
  add(units) {
    this.#report(units.length, lengthOf(units));
  }

  /** @param {Run} run @param {DocumentContent} content */
  addRun({ unit, from, to }, { units, sentences }) {
    const count = sentences[unit] ?? 0;
    const before = this.#sentences.get(unit) ?? 0;
    const after = before + to - from;
    this.#sentences.set(unit, after);
    // Each sentence counts the same, and together they are the text.
    const characters = (/** @type {number} */ done) => Math.round(((units[unit]?.text.length ?? 0) * done) / count);
    this.#report(after === count ? 1 : 0, characters(after) - characters(before));
  }

  /** @param {number} units @param {number} characters */
  #report(units, characters) {
    this.#state.unitsDone += units;
    this.#state.charactersDone += characters;
    this.#onprogress?.({ ...this.#state });
  }
}

/** @param {Unit[]} units */
function lengthOf(units) {
  return units.reduce((sum, { text }) => sum + text.length, 0);
}

/**
 * Pieces of work: some short texts together, a long one in runs of its sentences.
 *
 * @param {DocumentContent} content
 */
function cut({ units, sentences }) {
  /** @type {(Bundle | Run)[]} */
  const pieces = [];
  /** @type {Bundle | undefined} */
  let bundle;
  let characters = 0;
  units.forEach(({ text }, unit) => {
    const count = sentences[unit] ?? 0;
    if (text.length > PIECE_CHARACTERS && count > 1) {
      bundle = undefined;
      const runs = Math.min(count, Math.ceil(text.length / PIECE_CHARACTERS));
      for (let run = 0; run < runs; run += 1) {
        const [from, to] = [run, run + 1].map((end) => Math.round((count * end) / runs));
        pieces.push({ unit, from: from ?? 0, to: to ?? 0 });
      }
      return;
    }
    if (bundle && unit - bundle.first < PIECE_UNITS && characters + text.length <= PIECE_CHARACTERS) {
      bundle.last = unit + 1;
      characters += text.length;
    } else {
      bundle = { first: unit, last: unit + 1 };
      pieces.push(bundle);
      characters = text.length;
    }
  });
  return pieces;
}

/**
 * `film.srt` becomes `film.en.srt`.
 *
 * @param {string} name
 * @param {string} format
 */
function translatedName(name, format) {
  const dot = name.lastIndexOf(".");
  return dot > 0 ? `${name.slice(0, dot)}.en${name.slice(dot)}` : `${name || "translation"}.en.${format}`;
}

/**
 * @param {Blob | ArrayBuffer | ArrayBufferView | string} file
 * @returns {Promise<Uint8Array>}
 */
async function bytesOf(file) {
  if (typeof file === "string") {
    return new TextEncoder().encode(file);
  }
  if (file instanceof Blob) {
    return new Uint8Array(await file.arrayBuffer());
  }
  if (ArrayBuffer.isView(file)) {
    return new Uint8Array(file.buffer, file.byteOffset, file.byteLength);
  }
  if (file instanceof ArrayBuffer) {
    return new Uint8Array(file);
  }
  throw new TypeError("a file is a Blob, bytes or text");
}
