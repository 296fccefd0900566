import { button, find } from "./find.js";

/**
 * Messages above the panes: one for what went wrong, and any number of others, each with a name
 * under which it is replaced and taken away.
 */
export class Notices {
  #danger = find("notice");
  #dangerText = find("notice-text");
  #retry = button("retry");
  #others = find("notices");

  /**
   * Something went wrong.
   *
   * @param {string} text
   * @param {boolean} [canRetry]
   */
  fail(text, canRetry = false) {
    this.#dangerText.textContent = text;
    this.#retry.hidden = !canRetry;
    this.#danger.hidden = false;
  }

  /** Nothing is wrong any more. */
  recover() {
    this.#danger.hidden = true;
  }

  /**
   * @param {string} name
   * @param {string} text
   * @param {...{ label: string, run: () => void }} actions a choice takes the message away
   */
  show(name, text, ...actions) {
    const known = this.#find(name);
    if (known?.firstElementChild?.textContent === text) {
      return;
    }
    const notice = document.createElement("div");
    notice.className = "notice";
    notice.dataset.name = name;
    const paragraph = document.createElement("p");
    paragraph.textContent = text;
    notice.append(paragraph);
    for (const { label, run } of actions) {
      const choice = document.createElement("button");
      choice.type = "button";
      choice.className = "outlined";
      choice.textContent = label;
      choice.addEventListener("click", () => {
        this.hide(name);
        run();
      });
      notice.append(choice);
    }
    if (known) {
      known.replaceWith(notice);
    } else {
      this.#others.append(notice);
    }
  }

  /** @param {string} name */
  hide(name) {
    this.#find(name)?.remove();
  }

  /** @param {string} name */
  #find(name) {
    return this.#others.querySelector(`[data-name="${name}"]`);
  }
}
