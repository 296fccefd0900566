/** What the page says, in English. */

import { FORMATS } from "./formats.js";
import { megabytes, seconds } from "./numbers.js";

/** @param {number} count @param {string} noun */
const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

export const en = {
  title: "Chinese → English",
  tagline: "Translated on your device. Nothing you type leaves it.",
  needsScript: "This page needs JavaScript: the translator runs in your browser.",
  chinese: "Chinese",
  english: "English",
  placeholder: "Type or paste Chinese text, or drop a file",
  empty: "The translation appears here",
  close: "Close",
  clear: "Clear",
  copy: "Copy",
  copied: "Copied",
  copyFailed: "The browser did not allow copying. Select the text and copy it.",
  download: "Download",
  share: "Copy link",
  shared: "Link copied",
  tooLongToShare: "The text is too long for a link. Download the translation instead.",
  auto: "Translate as I type",
  translate: "Translate",
  shortcut: "Ctrl+Enter or ⌘+Enter",
  stop: "Stop",
  retry: "Try again",
  undo: "Undo",
  preparing: "Preparing the translator…",
  ready: "Ready. Works offline from now on.",
  readyOnce: "Ready.",
  waitingForModel: "Waiting for the translator…",
  translating: "Translating…",
  stopped: "Stopped.",
  unreachable: "the server does not answer",
  cleared: "The text was cleared.",
  swap: "Make the translation the source text",
  swapped: "English → Chinese is not available. The translation is now the source text.",
  longText: "Long text: click a paragraph to edit it.",
  editParagraph: "Paragraph",
  sentenceHelp: "Left and right arrow keys go from sentence to sentence, Enter shows other translations.",
  alternatives: "Other translations",
  noAlternatives: "No other translation found.",
  searching: "Searching…",
  openFile: "Open file",
  openFileTitle: `Translate a file: ${FORMATS}`,
  dropHere: "Drop the file to translate it",
  files: "Files",
  cancel: "Cancel",
  remove: "Remove",
  cancelled: "Cancelled.",
  openAsText: "Show as text",
  column: "Column to translate",
  glossary: "Glossary",
  glossaryHelp: "Terms and how they are to be translated. Kept in this browser only.",
  term: "Term",
  translation: "Translation",
  add: "Add",
  importFile: "Import…",
  exportFile: "Export",
  removeAll: "Remove all",
  noTerms: "No terms yet.",
  useGlossary: "Use the glossary",
  history: "History",
  historyHelp: "Kept in this browser only. Choose one to bring it back.",
  noHistory: "Nothing here yet.",
  settings: "Settings",
  appearance: "Appearance",
  theme: "Theme",
  asSystem: "As the system",
  light: "Light",
  dark: "Dark",
  interfaceLanguage: "Language of the page",
  asBrowser: "As the browser",
  privacy: "Privacy",
  keepText: "Keep my text when I close the page",
  keepHistory: "Keep a history of translations",
  translationSection: "Translation",
  joinLines: "Join hard-wrapped lines",
  storage: "Storage",
  removeModel: "Remove the model",
  removeModelHelp: "It is downloaded again at the next visit.",
  modelRemoved: "The model was removed from this browser.",
  keepStorage: "Ask the browser to keep it",
  storageKept: "The browser keeps it.",
  storageNotKept: "The browser may remove it when space is short.",
  storageUnknown: "This browser does not say how much is stored.",
  notStored: "The model could not be stored in this browser, so it is downloaded at every visit.",
  offlineUnavailable: "This browser does not allow the page to be kept for offline use.",
  understood: "OK",
  measured: "Speed and memory",
  notMeasured: "Nothing translated yet.",
  newVersion: "A new version is ready.",
  reload: "Reload",
  keyboard: "Keyboard",
  keyTranslate: "Translate now",
  keyStop: "Stop, close",
  keySentences: "Next or previous sentence in the translation",
  keyAlternatives: "Other translations of the sentence",
  /** @param {number} loaded @param {number | undefined} total */
  loading: (loaded, total) =>
    total === undefined
      ? `Loading the translator: ${megabytes(loaded)} MB`
      : `Loading the translator: ${megabytes(loaded)} of ${megabytes(total)} MB`,
  /** @param {number} count */
  characters: (count) => plural(count, "character"),
  /** @param {number} done @param {number} all */
  progress: (done, all) => `Translating… ${done.toLocaleString("en")} of ${all.toLocaleString("en")}`,
  /** @param {number} sentences @param {number} milliseconds */
  done: (sentences, milliseconds) =>
    `${plural(sentences, "sentence")} in ${seconds(milliseconds)} s`,
  /** @param {number} count */
  truncated: (count) => `${plural(count, "sentence")} cut at the length limit`,
  /** @param {string} message */
  loadFailed: (message) => `The translator could not be loaded: ${message}`,
  /** @param {string} message */
  failed: (message) => `The translation failed: ${message}`,
  /** @param {string} language */
  notChinese: (language) => `This is not Chinese: it seems to be ${language}. It stays as it is.`,
  otherLanguage: "another language",
  /** @param {string} message */
  alternativesFailed: (message) => `No other translations: ${message}`,
  /** @param {string} name */
  notText: (name) => `${name} is not a text file`,
  /** @param {string} name @param {string} message */
  fileFailed: (name, message) => `${name}: ${message}`,
  /** @param {number} share */
  fileProgress: (share) => `${Math.floor(share * 100)} %`,
  /** What is wrong with a file, by the reason that the library gives. @type {Partial<Record<string, (message: string) => string>>} */
  fileProblems: {
    unsupported: () => `This kind of file is not supported. Save it as one of these: ${FORMATS}.`,
    encoding: () => "The file is not text in UTF-8, UTF-16 or GB18030.",
    syntax: (message) => `There is a mistake in the file. ${message}`,
    damaged: () => "The file is damaged, or not what its name says.",
    encrypted: () => "The file is protected. Save it without a password first.",
    limit: () => "The file is too large.",
  },
  fileReading: "Reading…",
  /** @param {number} milliseconds */
  fileDone: (milliseconds) => `Done in ${seconds(milliseconds)} s`,
  /** @param {number} count */
  terms: (count) => plural(count, "term"),
  /** @param {number} count */
  imported: (count) => `${plural(count, "term")} imported.`,
  /** @param {string} line */
  badTerm: (line) => `Not a term, a tab and a translation: ${line}`,
  /** @param {number} used @param {number} model */
  stored: (used, model) =>
    `${megabytes(used)} MB stored in this browser, of which the model is ${megabytes(model)} MB.`,
  /** @param {number} rate @param {number} characters */
  speed: (rate, characters) =>
    `${rate.toFixed(rate < 10 ? 1 : 0)} sentences a second, ${Math.round(characters).toLocaleString("en")} characters a second.`,
  /** @param {number} bytes */
  memory: (bytes) => `${megabytes(bytes)} MB of memory.`,
};

/** @typedef {typeof en} Strings */
