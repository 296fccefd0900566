import { button, find } from "./find.js";
import { History } from "./history.js";
import { language, strings } from "./i18n.js";

/** The list of earlier translations. */
export class HistoryDialog {
  #history;
  #onchosen;
  #dialog = /** @type {HTMLDialogElement} */ (find("history"));
  #list = find("history-list");
  #open = button("open-history");

  /**
   * @param {History} history
   * @param {(source: string) => void} onchosen
   */
  constructor(history, onchosen) {
    this.#history = history;
    this.#onchosen = onchosen;
    this.#open.addEventListener("click", () => {
      this.#show();
      this.#dialog.showModal();
    });
    button("history-clear").addEventListener("click", () => {
      this.#history.clear();
      this.#show();
    });
  }

  /** @param {boolean} isOn */
  set enabled(isOn) {
    this.#open.hidden = !isOn;
  }

  #show() {
    const { entries } = this.#history;
    const items = entries.map((entry) => this.#item(entry));
    if (items.length === 0) {
      const none = document.createElement("li");
      none.className = "muted";
      none.textContent = strings.noHistory;
      items.push(none);
    }
    this.#list.replaceChildren(...items);
    button("history-clear").disabled = entries.length === 0;
  }

  /** @param {History["entries"][number]} entry */
  #item(entry) {
    const item = document.createElement("li");
    const choose = document.createElement("button");
    choose.type = "button";
    choose.className = "entry-button";
    const source = document.createElement("span");
    source.lang = "zh-Hans";
    source.textContent = entry.source;
    const target = document.createElement("span");
    target.lang = "en";
    target.className = "muted";
    target.textContent = entry.target;
    const time = document.createElement("span");
    time.className = "muted";
    time.textContent = new Date(entry.time).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
    choose.append(source, target, time);
    choose.addEventListener("click", () => {
      this.#dialog.close();
      this.#onchosen(entry.source);
    });
    const remove = document.createElement("button");
    remove.type = "button";
    remove.className = "quiet";
    remove.textContent = strings.remove;
    remove.setAttribute("aria-label", `${strings.remove}: ${entry.source.slice(0, 40)}`);
    remove.addEventListener("click", () => {
      this.#history.remove(entry);
      this.#show();
    });
    item.append(choose, remove);
    return item;
  }
}
