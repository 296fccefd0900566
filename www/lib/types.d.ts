import type { CreateMonitor } from "./create-monitor.js";

export type { CreateMonitor };

/** As the browsers' built-in interfaces say it. */
export type Availability = "unavailable" | "downloadable" | "downloading" | "available";

/** Where the parts come from. Everything can be set once for all with `configure()`. */
export interface SourceOptions {
  /** The address of the model file; in Node also a path or a `file:` URL. */
  modelUrl?: string | URL | undefined;
  /**
   * The size of the model file. Give it when you know it: then the progress is true even when the
   * server compresses the file or does not announce its length.
   */
  modelBytes?: number | undefined;
  /**
   * The SHA-256 of the model file in hex digits. With it the file is verified, and kept until
   * another hash is asked for; without it the server is asked whether the file has changed.
   */
  modelSha256?: string | undefined;
  /** The model file itself instead of its address. Bytes are kept, to load them again. */
  model?: Blob | ArrayBuffer | ArrayBufferView | undefined;
  /** The WebAssembly module, when it is not beside this library. */
  wasmUrl?: string | URL | undefined;
  /**
   * The same with relaxed SIMD, for the browsers that have it. With `wasmUrl` alone all browsers
   * get that one.
   */
  relaxedWasmUrl?: string | URL | undefined;
  /** The worker's script, when it is not beside this library. */
  workerUrl?: string | URL | undefined;
  /** Most workers; one a core when left out, fewer where memory is short. */
  workers?: number | undefined;
  /**
   * Milliseconds after which an idle model leaves the memory, when it can be had again without the
   * network; five minutes when left out, `Infinity` for never. The next call loads it again.
   */
  idleMs?: number | undefined;
  /** Used instead of the global `fetch` for model and engine. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Where models are kept between visits; the Cache API when left out, `null` for nowhere. */
  store?: ModelStore | null | undefined;
  /** Run the engine on the thread of the caller even where there are workers. */
  inline?: boolean | undefined;
  /** Start workers from a `blob:` address: needed when this library comes from another origin. */
  blobWorker?: boolean | undefined;
}

/** Keeps bytes under names. */
export interface ModelStore {
  get(key: string): Promise<Uint8Array | undefined>;
  /** Resolves when the bytes are safe; rejects, for instance, when there is no room. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  delete(key: string): Promise<void>;
  keys(): Promise<string[]>;
}

/** A model that is kept on this device. */
export interface StoredModel {
  url: string;
  bytes: number;
  sha256: string;
}

/** Options of `Translator.create()`. */
export interface CreateOptions extends SourceOptions {
  /** A language tag (BCP 47): Chinese. */
  sourceLanguage: string;
  /** A language tag (BCP 47): English, or the source language itself. */
  targetLanguage: string;
  /** Given an object that fires `downloadprogress` events. */
  monitor?: ((monitor: CreateMonitor) => void) | undefined;
  /** Gives up loading, and later destroys the translator. */
  signal?: AbortSignal | undefined;
  /** Called as the model file arrives; `loaded` never falls. */
  onprogress?: ((progress: LoadProgress) => void) | undefined;
  /** Told what did not go as well as it could. */
  onnotice?: ((notice: Notice) => void) | undefined;
  /** Most characters of one text; without limit when left out. */
  inputQuota?: number | undefined;
}

/** Options of `LanguageDetector.create()`. */
export interface DetectorOptions extends SourceOptions {
  expectedInputLanguages?: readonly string[] | undefined;
  monitor?: ((monitor: CreateMonitor) => void) | undefined;
  signal?: AbortSignal | undefined;
  inputQuota?: number | undefined;
}

export interface LoadProgress {
  /** Bytes of the model file that have arrived. */
  loaded: number;
  /** Bytes of the whole file; undefined when nobody said. */
  total: number | undefined;
}

/**
 * Something that works less well than it could:
 * - `no-store`: the model cannot be kept on this device;
 * - `store-full`: there is no room to keep it;
 * - `store-damaged`: what was kept is damaged, and is downloaded again.
 */
export interface Notice {
  code: "no-store" | "store-full" | "store-damaged";
  message: string;
}

/** The engine with 128-bit SIMD, or with relaxed SIMD's 8-bit dot product as well. */
export type EngineBuild = "simd" | "relaxed-simd";

/** What the engine itself understands. */
export interface EngineOptions {
  /** Beam width, 1 to 8; the model's own when left out. */
  beam?: number | undefined;
  /**
   * What the text is written in; plain text when left out. In HTML and Markdown tags, marks and
   * code stay as they are, and inline elements follow their words.
   */
  format?: "text" | "html" | "markdown" | undefined;
  /** How many candidates of each sentence to tell, 0 to 8; not more than the beam width are found. */
  alternatives?: number | undefined;
  /** Tell which words come from which. Not in HTML and Markdown. */
  alignment?: boolean | undefined;
  /** What certain terms are in the translation. */
  glossary?: readonly (readonly [term: string, translation: string])[] | undefined;
  /** Terms that stay as they are. */
  keep?: readonly string[] | undefined;
  /** The lines of the text were wrapped: sentences go over several of them. */
  wrappedLines?: boolean | undefined;
}

export interface TranslateOptions extends EngineOptions {
  /** Gives up the translation. */
  signal?: AbortSignal | undefined;
  /** Called whenever sentences have become complete. */
  onprogress?: ((progress: TranslationProgress) => void) | undefined;
}

export type DetailedOptions = TranslateOptions;

export interface TranslationProgress {
  /** The translation so far, from its beginning. */
  text: string;
  sentencesDone: number;
  sentences: number;
}

export interface Translation {
  /** The whole translation; it has the line breaks of the source. */
  text: string;
  /** Its sentences in order. What is between them is copied from the source. */
  sentences: Sentence[];
}

/** Start and end in UTF-16 code units, as `slice` takes them. */
export type Span = [start: number, end: number];

export interface Sentence {
  /** Its place in the source text; in HTML and Markdown that of the paragraph around it. */
  source: Span;
  /** Its place in the translation. */
  target: Span;
  /** The length limit was reached before the sentence was complete. */
  truncated: boolean;
  /** How sure the model is, 0 to 1; 1 for what was copied. */
  confidence: number;
  /** Candidates, best first, when `alternatives` asks for them. */
  alternatives?: { text: string; score: number }[];
  /** The words of the translation with what they come from, when `alignment` asks for them. */
  alignment?: { source: Span; target: Span }[];
}

export interface DocumentOptions extends EngineOptionsOfDocuments {
  /** The name of the file, which tells its format; that of a `File` when left out. */
  name?: string | undefined;
  /** Its format (`txt`, `md`, `html`, `srt`, `vtt`, `json`, `csv`, `docx`, `pptx`, `xlsx`, `epub`) when the name does not tell. */
  format?: string | undefined;
  /** Columns of a table to translate, by name or number from 1. A table needs at least one. */
  column?: string | number | readonly (string | number)[] | undefined;
  signal?: AbortSignal | undefined;
  onprogress?: ((progress: DocumentProgress) => void) | undefined;
}

export type EngineOptionsOfDocuments = Pick<EngineOptions, "beam" | "glossary" | "keep">;

export interface DocumentProgress {
  /** Texts (paragraphs, cells, cues …) that are translated. */
  unitsDone: number;
  units: number;
  charactersDone: number;
  characters: number;
}

export interface TranslatedDocument {
  /** `film.srt` becomes `film.en.srt`. */
  name: string;
  format: string;
  bytes: Uint8Array<ArrayBuffer>;
  blob: Blob;
  /** Texts with a sentence that reached the length limit. */
  truncated: number;
}

export interface DetectedLanguage {
  detectedLanguage: string;
  confidence: number;
}

/**
 * What a program can branch on:
 * - `unsupported`: this browser lacks WebAssembly SIMD;
 * - `download`: the model or the module could not be fetched, or is not the right one;
 * - `memory`: there is no room for the model;
 * - `options`: an option is unknown or out of range;
 * - `document`: the file cannot be read;
 * - `engine`: the engine refused the model or the text;
 * - `crashed`: the engine stopped working, also on a second try.
 */
export type ErrorCode =
  | "unsupported"
  | "download"
  | "memory"
  | "options"
  | "document"
  | "engine"
  | "crashed";

/**
 * What is wrong with a file:
 * - `unsupported`: it is of a kind that is not read;
 * - `encoding`: it is no text in UTF-8, UTF-16 or GB18030;
 * - `syntax`: the message says in which line;
 * - `column`: a table without the column, or none was named;
 * - `damaged`: it is not whole, or not what its name says;
 * - `encrypted`: it needs a password or a licence;
 * - `limit`: it, or something in it, is too large.
 */
export type FileProblem = "unsupported" | "encoding" | "syntax" | "column" | "damaged" | "encrypted" | "limit";

/** What crosses from a worker of an error. */
export interface Failure {
  code: ErrorCode;
  message: string;
  reason?: FileProblem;
}

/** Options with everything decided. Equal settings share their workers. */
export interface Settings {
  model: Blob | ArrayBuffer | ArrayBufferView | undefined;
  modelUrl: string | undefined;
  modelBytes: number | undefined;
  modelSha256: string | undefined;
  wasmUrl: string | undefined;
  relaxedWasmUrl: string | undefined;
  workerUrl: string | undefined;
  workers: number | undefined;
  idleMs: number;
  fetch: typeof globalThis.fetch | undefined;
  store: ModelStore | undefined;
  inline: boolean;
  blobWorker: boolean;
}

/** A text of a file with its inline elements, as the engine knows it. */
export interface Unit {
  text: string;
}

export interface TranslatedUnit {
  truncated: boolean;
}

/** The translation of a sentence of a long text of a file. */
export interface UnitSentence {
  truncated: boolean;
}

/** What a file has to translate. */
export interface DocumentContent {
  format: string;
  units: Unit[];
  /** How many sentences each of them has. */
  sentences: number[];
}

/** Some sentences of a text, with places in `source` and `text`. */
export interface Piece extends Translation {
  /** Where `source` begins in the whole text. */
  start: number;
  source: string;
}

/** How a file is to be read. */
export interface ReadingOptions {
  name: string;
  format?: string;
  columns: readonly (string | number)[];
}

/** Messages to a worker that some worker has to answer. */
export type WorkMessage =
  | {
      type: "translate";
      /** The same for all parts of a text, which comes with the first one. */
      key: number;
      text?: string;
      options?: EngineOptions;
      from?: number | undefined;
      to?: number | undefined;
    }
  | { type: "units"; units: Unit[]; options: EngineOptions }
  | {
      /** Some sentences of a long text of a file, which comes with the first ones. */
      type: "part";
      key: number;
      unit?: Unit | undefined;
      options?: EngineOptions;
      from: number;
      to: number;
    }
  | {
      /** Such a text from all its sentences. */
      type: "join";
      key: number;
      unit?: Unit | undefined;
      options?: EngineOptions;
      sentences: UnitSentence[];
    }
  | { type: "detect"; text: string }
  | { type: "read"; bytes: Uint8Array; options: ReadingOptions }
  | {
      type: "write-document";
      bytes: Uint8Array;
      options: ReadingOptions;
      translations: TranslatedUnit[];
    };

/** Messages to a worker. */
export type ToThread =
  | ({ id: number } & (
      | { type: "open"; build: EngineBuild; module: WebAssembly.Module }
      | { type: "allocate"; bytes: number; hash: boolean }
      | { type: "write"; chunk: Uint8Array }
      | { type: "seal" }
      | { type: "piece"; offset: number; bytes: number }
      | { type: "abort" }
      | WorkMessage
    ))
  | { type: "forget"; key: number };

/** Messages from a worker. */
export type FromThread =
  | { type: "ready" | "answer"; id: number; value: any }
  | {
      type: "step";
      id: number;
      added: string;
      sentencesDone: number;
      sentences: number;
      /** Sentences of the whole text; 0 when it is not translated in parts. */
      total: number;
    }
  | { type: "done"; id: number; value: any; total: number; memoryBytes: number }
  | { type: "failed"; id: number; error: Failure }
  | { type: "crashed"; message: string };

/** A piece of work on its way through the pool. */
export interface Task {
  /** Whose work it is. */
  group: object;
  message: WorkMessage;
  id: number;
  /** The worker that has it, in the terms of the pool. */
  slot?: any;
  retried: boolean;
  onstep: ((step: Extract<FromThread, { type: "step" }>) => void) | undefined;
  onrestart: (() => void) | undefined;
  resolve: (answer: { value: any; total: number }) => void;
  reject: (error: unknown) => void;
}
