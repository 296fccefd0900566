import { find } from "./find.js";
import { strings } from "./i18n.js";

/** Space between a sentence and the list, in pixels. */
const GAP = 6;

/**
 * @callback Search
 * @param {AbortSignal} signal
 * @returns {Promise<string[]>} wordings, best first
 */

/** The list of other translations of a sentence. */
export class Alternatives {
  #popover = find("alternatives");
  #note = find("alternatives-note");
  #list = find("alternatives-list");
  /** @type {AbortController | undefined} */
  #controller;
  /** What has the focus again when the list closes. @type {HTMLElement | undefined} */
  #opener;

  constructor() {
    this.#popover.addEventListener("toggle", (event) => {
      if (/** @type {ToggleEvent} */ (event).newState === "closed") {
        this.#controller?.abort();
        if (this.#popover.contains(document.activeElement) || document.activeElement === document.body) {
          this.#opener?.focus();
        }
      }
    });
    this.#popover.addEventListener("keydown", (event) => this.#key(event));
  }

  /**
   * Opens the list beside a sentence.
   *
   * @param {DOMRect} place of the sentence
   * @param {string} current its wording now
   * @param {Search} search
   * @param {(wording: string) => void} onchosen
   */
  async open(place, current, search, onchosen) {
    this.#controller?.abort();
    const controller = new AbortController();
    this.#controller = controller;
    this.#opener = find("target");
    this.#note.textContent = strings.searching;
    this.#list.replaceChildren(this.#item(current, true, () => this.#popover.hidePopover()));
    this.#popover.showPopover();
    this.#place(place);
    this.#focus(0);
    try {
      const wordings = await search(controller.signal);
      if (controller.signal.aborted) {
        return;
      }
      const others = wordings.filter((wording) => wording !== current);
      this.#note.textContent = others.length === 0 ? strings.noAlternatives : "";
      this.#list.append(
        ...others.map((wording) =>
          this.#item(wording, false, () => {
            this.#popover.hidePopover();
            onchosen(wording);
          }),
        ),
      );
      this.#place(place);
    } catch (error) {
      if (!controller.signal.aborted) {
        this.#note.textContent = strings.alternativesFailed(error instanceof Error ? error.message : String(error));
      }
    }
  }

  close() {
    this.#popover.hidePopover();
  }

  /**
   * @param {string} wording
   * @param {boolean} isCurrent
   * @param {() => void} run
   */
  #item(wording, isCurrent, run) {
    const item = document.createElement("li");
    const choice = document.createElement("button");
    choice.type = "button";
    choice.textContent = wording;
    if (isCurrent) {
      choice.setAttribute("aria-current", "true");
    }
    choice.addEventListener("click", run);
    item.append(choice);
    return item;
  }

  /** Below the sentence, or above it where there is more room. @param {DOMRect} place */
  #place({ left, top, bottom }) {
    const { offsetWidth, offsetHeight } = this.#popover;
    const below = innerHeight - bottom;
    const y = below < offsetHeight + GAP && top > below ? top - offsetHeight - GAP : bottom + GAP;
    const x = Math.min(left, innerWidth - offsetWidth - 16);
    this.#popover.style.left = `${Math.max(16, x)}px`;
    this.#popover.style.top = `${Math.max(8, Math.min(y, innerHeight - offsetHeight - 8))}px`;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const choices = [...this.#list.querySelectorAll("button")];
      const now = choices.findIndex((choice) => choice === document.activeElement);
      this.#focus((now + step + choices.length) % choices.length);
    }
  }

  /** @param {number} index */
  #focus(index) {
    this.#list.querySelectorAll("button")[index]?.focus();
  }
}
