import { button, find } from "./find.js";
import { formatGlossary, Glossary, parseGlossary } from "./glossary.js";
import { strings } from "./i18n.js";
import { saveFile } from "./save-file.js";

/** The editor of the glossary. */
export class GlossaryDialog {
  #glossary;
  #dialog = /** @type {HTMLDialogElement} */ (find("glossary"));
  #form = /** @type {HTMLFormElement} */ (find("glossary-form"));
  #term = /** @type {HTMLInputElement} */ (find("term"));
  #wording = /** @type {HTMLInputElement} */ (find("wording"));
  #list = find("glossary-list");
  #note = find("glossary-note");
  #file = /** @type {HTMLInputElement} */ (find("glossary-file"));

  /** @param {Glossary} glossary */
  constructor(glossary) {
    this.#glossary = glossary;
    button("open-glossary").addEventListener("click", () => {
      this.#show();
      this.#dialog.showModal();
      this.#term.focus();
    });
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#add();
    });
    button("glossary-import").addEventListener("click", () => this.#file.click());
    this.#file.addEventListener("change", () => this.#import());
    button("glossary-export").addEventListener("click", () => {
      const content = formatGlossary(this.#glossary.entries);
      saveFile(new Blob([content], { type: "text/tab-separated-values" }), "glossary.tsv");
    });
    button("glossary-clear").addEventListener("click", () => {
      this.#glossary.clear();
      this.#show();
    });
  }

  #add() {
    const term = this.#term.value.trim();
    const wording = this.#wording.value.trim();
    if (term === "" || wording === "") {
      return;
    }
    this.#glossary.add([[term, wording]]);
    this.#form.reset();
    this.#show();
    this.#term.focus();
  }

  async #import() {
    const file = this.#file.files?.[0];
    this.#file.value = "";
    if (!file) {
      return;
    }
    const { entries, bad } = parseGlossary(await file.text());
    if (bad === undefined) {
      this.#glossary.add(entries);
    }
    this.#show(bad === undefined ? strings.imported(entries.length) : strings.badTerm(bad));
  }

  /** @param {string} [note] */
  #show(note) {
    const { entries } = this.#glossary;
    this.#list.replaceChildren(...entries.map(([term, wording]) => this.#item(term, wording)));
    this.#note.textContent = note ?? (entries.length === 0 ? strings.noTerms : strings.terms(entries.length));
    button("glossary-export").disabled = button("glossary-clear").disabled = entries.length === 0;
  }

  /**
   * @param {string} term
   * @param {string} wording
   */
  #item(term, wording) {
    const item = document.createElement("li");
    const left = document.createElement("span");
    left.lang = "zh-Hans";
    left.textContent = term;
    const right = document.createElement("span");
    right.lang = "en";
    right.textContent = wording;
    const remove = document.createElement("button");
    remove.type = "button";
    remove.className = "quiet";
    remove.textContent = strings.remove;
    remove.setAttribute("aria-label", `${strings.remove}: ${term}`);
    remove.addEventListener("click", () => {
      const next = /** @type {HTMLElement | null} */ (item.nextElementSibling?.querySelector("button") ?? null);
      this.#glossary.remove(term);
      item.remove();
      this.#show();
      (next?.isConnected ? next : this.#term).focus();
    });
    item.append(left, right, remove);
    return item;
  }
}
