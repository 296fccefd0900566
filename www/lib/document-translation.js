/**
 * A file translated by several workers: one reads its texts, all translate them, one writes it.
 * Short texts go to a worker together, a long one to all of them in runs of sentences: a plain
 * text file may be a single one.
 *
 * @import {
 *   DocumentContent, DocumentOptions, DocumentProgress, EngineOptions, Task, TranslatedDocument,
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
  /** @type {LongUnits | undefined} */
  let long;
  try {
    const work = { signal: failed.signal };
    const read = await pool.run(group, { type: "read", bytes, options: reading }, work);
    /** @type {DocumentContent} */
    const content = read.value;
    const { units, sentences } = content;
    /** @type {DocumentProgress} */
    const progress = { unitsDone: 0, units: units.length, charactersDone: 0, characters: lengthOf(units) };
    const advance = (/** @type {number} */ unitsDone, /** @type {number} */ charactersDone) => {
      progress.unitsDone += unitsDone;
      progress.charactersDone += charactersDone;
      onprogress?.({ ...progress });
    };
    advance(0, 0);
    /** @type {TranslatedUnit[]} */
    const translations = Array(units.length);
    const parts = (long = new LongUnits((message) => pool.run(group, message, work), content, options));
    await inTurn(cut(content), pool.appetite, async (piece) => {
      if ("unit" in piece) {
        const { unit, from, to } = piece;
        const joined = await parts.translate(piece);
        if (joined) {
          translations[unit] = joined.value;
          pool.forget(joined.key);
        }
        // Each sentence counts the same, and together they are the text.
        const [before = 0, after = 0] = [from, to].map((sentence) =>
          Math.round((lengthOf(units.slice(unit, unit + 1)) * sentence) / (sentences[unit] ?? 1)),
        );
        advance(joined ? 1 : 0, after - before);
        return;
      }
      const bundle = units.slice(piece.first, piece.last);
      const { value } = await pool.run(group, { type: "units", units: bundle, options }, work);
      translations.splice(piece.first, bundle.length, ...value);
      advance(bundle.length, lengthOf(bundle));
    });
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
    // Last, when nobody asks for them any more.
    long?.keys.forEach((key) => pool.forget(key));
  }
}

/** The texts that are translated in parts. */
class LongUnits {
  #run;
  #content;
  #options;
  /** Those under way: by what the workers know them, and what is there. @type {Map<number, { key: number, missing: number, sentences: UnitSentence[] }>} */
  #units = new Map();

  /**
   * @param {(message: Task["message"]) => Promise<{ value: any }>} run
   * @param {DocumentContent} content
   * @param {EngineOptions} options
   */
  constructor(run, content, options) {
    this.#run = run;
    this.#content = content;
    this.#options = options;
  }

  /** By what the workers know those that are not complete. */
  get keys() {
    return [...this.#units.values()].map(({ key }) => key);
  }

  /**
   * Translates some sentences; the last ones that were missing make the text whole.
   *
   * @param {Run} run
   * @returns {Promise<{ key: number, value: TranslatedUnit } | undefined>}
   */
  async translate({ unit, from, to }) {
    const { units, sentences: counts } = this.#content;
    const missing = counts[unit] ?? 0;
    const state = this.#units.get(unit) ?? { key: newKey(), missing, sentences: Array(missing) };
    this.#units.set(unit, state);
    const { key, sentences } = state;
    const source = { key, unit: units[unit], options: this.#options };
    const { value } = await this.#run({ type: "part", ...source, from, to });
    sentences.splice(from, to - from, ...value);
    state.missing -= to - from;
    if (state.missing > 0) {
      return undefined;
    }
    const joined = await this.#run({ type: "join", ...source, sentences });
    this.#units.delete(unit);
    return { key, value: joined.value };
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
