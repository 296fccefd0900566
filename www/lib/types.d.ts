/** Where the parts come from, and who is told how far the loading is. */
export interface CreateOptions {
  /** The model file. */
  modelUrl: string | URL;
  /**
   * The size of the model file. Give it when you know it: then the progress is true even when the
   * server compresses the file or does not announce its length.
   */
  modelBytes?: number;
  /** The WebAssembly module, when it is not beside this library. */
  wasmUrl?: string | URL;
  /**
   * The same with relaxed SIMD, for the browsers that have it. With `wasmUrl` alone all browsers
   * get that one.
   */
  relaxedWasmUrl?: string | URL;
  /** The worker's script, when it is not beside this library. */
  workerUrl?: string | URL;
  /** Gives up loading. */
  signal?: AbortSignal;
  /** Called as the model file arrives; `loaded` never falls. */
  onprogress?: (progress: LoadProgress) => void;
}

/** The engine with 128-bit SIMD, or with relaxed SIMD's 8-bit dot product as well. */
export type EngineBuild = "simd" | "relaxed-simd";

export interface LoadProgress {
  /** Bytes of the model file that have arrived. */
  loaded: number;
  /** Bytes of the whole file; undefined when nobody said. */
  total: number | undefined;
}

export interface TranslateOptions extends EngineOptions {
  /** Gives up the translation; the worker is free again after the current step. */
  signal?: AbortSignal;
  /** Called whenever sentences have become complete. */
  onprogress?: (progress: TranslationProgress) => void;
}

/** What the engine itself understands. */
export interface EngineOptions {
  /** Beam width, 1 to 8; the model's own when left out. */
  beam?: number;
  /**
   * What the text is written in; plain text when left out. In HTML and Markdown tags, marks and
   * code stay as they are, and inline elements follow their words.
   */
  format?: "text" | "html" | "markdown";
}

export interface TranslationProgress {
  /** The translation so far. */
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

export interface Sentence {
  /** Start and end in the source text, in UTF-16 code units. */
  source: [number, number];
  /** Start and end in the translation, in UTF-16 code units. */
  target: [number, number];
  /** The length limit was reached before the sentence was complete. */
  truncated: boolean;
}

/**
 * What a program can branch on:
 * - `unsupported`: this browser lacks WebAssembly SIMD;
 * - `download`: the model or the module could not be fetched, or is not complete;
 * - `memory`: there is no room for the model;
 * - `options`: an option is unknown or out of range;
 * - `engine`: the engine refused the model or the text;
 * - `crashed`: the engine stopped working, also on a second try;
 * - `destroyed`: the translator was destroyed.
 */
export type ErrorCode =
  | "unsupported"
  | "download"
  | "memory"
  | "options"
  | "engine"
  | "crashed"
  | "destroyed";

/** Main thread to worker. `load` is the first message and comes once. */
export type ToWorker =
  | { type: "load"; modelUrl: string; modelBytes?: number; wasmUrl?: string; relaxedWasmUrl?: string }
  | { type: "translate"; id: number; text: string; options: EngineOptions }
  | { type: "abort"; id: number };

/** Worker to main thread. */
export type FromWorker =
  | ({ type: "loading" } & LoadProgress)
  | { type: "ready"; build: EngineBuild }
  | { type: "step"; id: number; added: string; sentencesDone: number; sentences: number }
  | { type: "done"; id: number; translation: Translation; memoryBytes: number }
  | { type: "failed"; id: number; error: Failure }
  | { type: "load-failed"; error: Failure }
  | { type: "crashed"; message: string };

export interface Failure {
  code: ErrorCode;
  message: string;
}
