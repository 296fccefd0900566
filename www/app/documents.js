/**
 * Files: opened or dropped, translated beside each other's progress, offered as downloads.
 *
 * @import { CsanmtError } from "./lib/index.js"
 * @import { Engine } from "./engine.js"
 */

import { find } from "./find.js";
import { strings } from "./i18n.js";
import { saveFile } from "./save-file.js";

/** Plain text up to this size becomes the text of the page. */
const LARGEST_TEXT_BYTES = 1_000_000;
const PLAIN_TEXT = /\.(txt|text)$/i;
const TABLE = /\.(csv|tsv)$/i;
/** Rows of a table that are looked at. */
const SAMPLE_ROWS = 50;
const HAN = /\p{Script=Han}/gu;

/** The list of files. */
export class Documents {
  /** Resolves when there is a translator. @type {Promise<Engine>} */
  engine = new Promise(() => {});
  /** A plain text was opened. @type {(text: string) => void} */
  ontext = () => {};
  /** What the translator is told beside the file. @type {() => object} */
  options = () => ({});

  #section = find("files");
  #list = find("file-list");

  constructor() {
    const input = /** @type {HTMLInputElement} */ (find("file"));
    find("open-file").addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      const files = [...(input.files ?? [])];
      input.value = "";
      this.#open(files);
    });
    this.#listenForDrops();
    document.addEventListener("paste", (event) => {
      // Programs that copy cells or formatted text offer a picture of it beside the text.
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length > 0 && event.clipboardData?.getData("text/plain") === "") {
        event.preventDefault();
        this.#open(files);
      }
    });
  }

  #listenForDrops() {
    const shade = find("drop");
    const hasFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") ?? false;
    document.addEventListener("dragover", (event) => {
      if (hasFiles(event)) {
        // The browser would leave the page for the file.
        event.preventDefault();
        shade.hidden = false;
      }
    });
    document.addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) {
        shade.hidden = true;
      }
    });
    document.addEventListener("drop", (event) => {
      shade.hidden = true;
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length > 0) {
        event.preventDefault();
        this.#open(files);
      }
    });
  }

  /** @param {File[]} files */
  async #open(files) {
    const [first] = files;
    if (files.length === 1 && first && PLAIN_TEXT.test(first.name) && first.size <= LARGEST_TEXT_BYTES) {
      const text = decode(await first.arrayBuffer());
      if (text !== undefined) {
        this.ontext(text);
        return;
      }
    }
    for (const file of files) {
      this.#add(file);
    }
  }

  /** @param {File} file */
  #add(file) {
    const row = new Row(file.name);
    this.#list.append(row.element);
    this.#section.hidden = false;
    row.onremove = () => {
      row.element.remove();
      this.#section.hidden = this.#list.childElementCount === 0;
    };
    if (TABLE.test(file.name)) {
      this.#askForColumn(file, row);
    } else {
      this.#translate(file, row, {});
    }
  }

  /**
   * Of a table one column is translated.
   *
   * @param {File} file
   * @param {Row} row
   */
  async #askForColumn(file, row) {
    const begin = decode(await file.slice(0, 65_536).arrayBuffer()) ?? "";
    const separator = /\.tsv$/i.test(file.name) ? "\t" : ",";
    const [header = [], ...rows] = begin
      .split(/\r\n|\r|\n/, SAMPLE_ROWS)
      .map((line) => line.split(separator).map((cell) => cell.trim().replace(/^"|"$/g, "")));
    // The column with the most Chinese is the one that is probably meant.
    const chinese = header.map((_, index) => rows.reduce((sum, cells) => sum + (cells[index]?.match(HAN)?.length ?? 0), 0));
    row.ask(header, chinese.indexOf(Math.max(...chinese)), (column) => this.#translate(file, row, { column }));
  }

  /**
   * @param {File} file
   * @param {Row} row
   * @param {object} options
   */
  async #translate(file, row, options) {
    const controller = new AbortController();
    const begin = performance.now();
    row.start(() => controller.abort());
    try {
      const engine = await this.engine;
      const result = await engine.translateFile(file, {
        ...this.options(),
        ...options,
        signal: controller.signal,
        onprogress: (share) => row.progress(share),
      });
      row.finish(performance.now() - begin, () => saveFile(result.content, result.name));
    } catch (error) {
      if (controller.signal.aborted) {
        row.end(strings.cancelled);
      } else {
        row.end(problemOf(error), true);
      }
    }
  }
}

/**
 * What is wrong with a file, in the language of the page where it has the words.
 *
 * @param {unknown} error
 */
function problemOf(error) {
  const { reason, message } = /** @type {Partial<CsanmtError>} */ (error ?? {});
  const text = message ?? String(error);
  return (reason && strings.fileProblems[reason]?.(text)) || text;
}

/** One file in the list. */
class Row {
  element = document.createElement("li");
  /** The file leaves the list. @type {() => void} */
  onremove = () => {};

  #name;
  #state = document.createElement("span");
  #bar = document.createElement("progress");
  #buttons = document.createElement("div");

  /** @param {string} name */
  constructor(name) {
    this.#name = name;
    const label = document.createElement("span");
    label.className = "file-name";
    label.textContent = name;
    this.#state.className = "file-state";
    this.#state.setAttribute("role", "status");
    this.#bar.max = 1;
    this.#bar.hidden = true;
    this.#bar.setAttribute("aria-label", name);
    this.#buttons.className = "buttons";
    const left = document.createElement("div");
    left.className = "name-and-state";
    left.append(label, this.#bar, this.#state);
    this.element.append(left, this.#buttons);
  }

  /**
   * @param {string[]} columns
   * @param {number} likely
   * @param {(column: string) => void} onchosen
   */
  ask(columns, likely, onchosen) {
    const label = document.createElement("label");
    const select = document.createElement("select");
    select.append(...columns.map((column, index) => new Option(column, column, index === likely, index === likely)));
    label.append(strings.column, select);
    this.#buttons.replaceChildren(
      label,
      this.#button(strings.translate, "primary", () => onchosen(select.value)),
      this.#button(strings.remove, "quiet", () => this.onremove()),
    );
  }

  /** @param {() => void} cancel */
  start(cancel) {
    this.#bar.hidden = false;
    this.#bar.removeAttribute("value");
    this.#state.textContent = strings.fileReading;
    this.#buttons.replaceChildren(this.#button(strings.cancel, "outlined", cancel));
  }

  /** @param {number} share from 0 to 1 */
  progress(share) {
    this.#bar.value = share;
    this.#state.textContent = strings.fileProgress(share);
  }

  /**
   * @param {number} milliseconds
   * @param {() => void} save
   */
  finish(milliseconds, save) {
    const download = this.#button(strings.download, "primary", save);
    this.end(strings.fileDone(milliseconds));
    this.#buttons.prepend(download);
  }

  /**
   * @param {string} state
   * @param {boolean} [hasFailed]
   */
  end(state, hasFailed = false) {
    const hadFocus = this.#buttons.contains(document.activeElement);
    this.#bar.hidden = true;
    this.#state.textContent = state;
    this.element.classList.toggle("failed", hasFailed);
    const remove = this.#button(strings.remove, "quiet", () => this.onremove());
    this.#buttons.replaceChildren(remove);
    if (hadFocus) {
      remove.focus();
    }
  }

  /**
   * @param {string} label
   * @param {string} kind
   * @param {() => void} run
   */
  #button(label, kind, run) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = kind;
    button.textContent = label;
    button.setAttribute("aria-label", `${label}: ${this.#name}`);
    button.addEventListener("click", run);
    return button;
  }
}

/**
 * The text of a file in UTF-8, UTF-16 or GB18030; undefined when it is none.
 *
 * @param {ArrayBuffer} content
 */
function decode(content) {
  const [first = 0, second = 0] = new Uint8Array(content);
  const utf16 = first === 0xff && second === 0xfe ? ["utf-16le"] : first === 0xfe && second === 0xff ? ["utf-16be"] : [];
  for (const encoding of [...utf16, "utf-8", "gb18030"]) {
    try {
      const text = new TextDecoder(encoding, { fatal: true }).decode(content);
      if (!text.includes("\0")) {
        return text;
      }
    } catch {
      // Not in this encoding.
    }
  }
  return undefined;
}
