/**
 * A file translated by several workers: one reads its texts, all translate them, one writes it.
 *
 * @import {
 *   DocumentOptions, DocumentProgress, EngineOptions, TranslatedDocument, TranslatedUnit, Unit,
 * } from "./types.d.ts"
 * @import { Pool } from "./pool.js"
 */

import { inTurn } from "./promises.js";

/** Characters in one piece of work. */
const PIECE_CHARACTERS = 400;
/** Texts in one piece of work. */
const PIECE_UNITS = 32;

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
 * @param {object} group whose file it is
 * @param {Blob | ArrayBuffer | ArrayBufferView | string} file
 * @param {Pick<DocumentOptions, "name" | "format" | "column" | "signal" | "onprogress">} how
 * @param {EngineOptions} options
 * @returns {Promise<TranslatedDocument>}
 */
export async function translateFile(pool, group, file, how, options) {
  const { format, column, signal, onprogress } = how;
  signal?.throwIfAborted();
  const name = how.name ?? (/** @type {Partial<File>} */ (file).name || "");
  const bytes = await bytesOf(file);
  const columns = column === undefined ? [] : Array.isArray(column) ? column : [column];
  const reading = { name, columns, ...(format === undefined ? {} : { format }) };

  // One piece that fails ends the others.
  const failed = new AbortController();
  const giveUp = () => failed.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    const work = { signal: failed.signal };
    const read = await pool.run(group, { type: "read", bytes, options: reading }, work);
    /** @type {{ format: string, units: Unit[] }} */
    const content = read.value;
    const progress = new Progress(content.units, onprogress);
    const pieces = await inTurn(cut(content.units), pool.appetite, async (units) => {
      const { value } = await pool.run(group, { type: "units", units, options }, work);
      progress.add(units);
      return /** @type {TranslatedUnit[]} */ (value);
    });
    const translations = pieces.flat();
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

/** How many of the texts are done. */
class Progress {
  #onprogress;
  /** @type {DocumentProgress} */
  #state = { unitsDone: 0, units: 0, charactersDone: 0, characters: 0 };

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
    this.#state.unitsDone += units.length;
    this.#state.charactersDone += lengthOf(units);
    this.#onprogress?.({ ...this.#state });
  }
}

/** @param {Unit[]} units */
function lengthOf(units) {
  return units.reduce((sum, { text }) => sum + text.length, 0);
}

/**
 * Pieces of work: some short texts together, a long one alone.
 *
 * @param {Unit[]} units
 */
function cut(units) {
  /** @type {Unit[][]} */
  const pieces = [];
  let characters = Infinity;
  for (const unit of units) {
    const last = pieces.at(-1);
    if (last && last.length < PIECE_UNITS && characters + unit.text.length <= PIECE_CHARACTERS) {
      last.push(unit);
      characters += unit.text.length;
    } else {
      pieces.push([unit]);
      characters = unit.text.length;
    }
  }
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
