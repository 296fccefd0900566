/**
 * What a person does in the translation: goes from sentence to sentence and asks for other wordings.
 *
 * @import { Engine } from "./engine.js"
 * @import { Partner } from "./partner.js"
 * @import { Session } from "./session.js"
 * @import { View } from "./view.js"
 */

import { Alternatives } from "./alternatives.js";
import { find } from "./find.js";

/** The translation's sentences under pointer and keyboard. */
export class TargetPane {
  /** @type {Engine | undefined} */
  engine;

  #session;
  #view;
  #partner;
  #alternatives = new Alternatives();
  #spoken = find("sentence");

  /**
   * @param {Session} session
   * @param {View} view
   * @param {Partner} partner
   */
  constructor(session, view, partner) {
    this.#session = session;
    this.#view = view;
    this.#partner = partner;
    const { target } = view;
    partner.follow(target, "target", (x, y) => this.#offsetAt(x, y));
    target.addEventListener("click", ({ clientX, clientY }) => this.#click(clientX, clientY));
    target.addEventListener("keydown", (event) => this.#key(event));
    target.addEventListener("blur", () => partner.setCaret(-1));
  }

  /** @param {number} x @param {number} y */
  #offsetAt(x, y) {
    const place = document.caretPositionFromPoint?.(x, y);
    return place ? this.#view.output.offsetOf(place.offsetNode, place.offset) : undefined;
  }

  /** @param {number} x @param {number} y */
  #click(x, y) {
    const selection = document.getSelection();
    const offset = selection?.isCollapsed === false ? undefined : this.#offsetAt(x, y);
    if (offset !== undefined) {
      this.#open(this.#partner.find("target", offset));
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { sentences } = this.#session;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || sentences.length === 0) {
      return;
    }
    const { current } = this.#partner;
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      event.preventDefault();
      const step = event.key === "ArrowRight" ? 1 : -1;
      this.#goTo(Math.min(sentences.length - 1, Math.max(0, current + step)));
    } else if (event.key === "Enter" || event.key === " ") {
      if (current >= 0) {
        event.preventDefault();
        this.#open(current);
      }
    }
  }

  /** @param {number} index */
  #goTo(index) {
    this.#partner.setCaret(index);
    const span = this.#session.sentences[index]?.target;
    if (span) {
      this.#spoken.textContent = this.#session.target.slice(...span);
      const { target, output } = this.#view;
      const top = output.top(span[0]) ?? 0;
      const bottom = output.bottom(span[1]) ?? top;
      if (top < target.scrollTop) {
        target.scrollTop = top - 8;
      } else if (bottom > target.scrollTop + target.clientHeight) {
        target.scrollTop = bottom - target.clientHeight + 8;
      }
    }
  }

  /** @param {number} index */
  #open(index) {
    const sentence = this.#session.sentences[index];
    const range = sentence && this.#view.output.range(...sentence.target);
    const { engine } = this;
    if (!sentence || !range || !engine) {
      return;
    }
    const { source, target } = this.#session;
    const text = source.slice(...sentence.source);
    const search = (/** @type {AbortSignal} */ signal) =>
      engine.alternatives(text, { ...this.#session.options(), signal });
    this.#alternatives.open(range.getBoundingClientRect(), target.slice(...sentence.target), search, (wording) => {
      // The text may have changed while the list was open.
      if (this.#session.source === source && this.#session.sentences[index]) {
        this.#session.replace(index, wording);
        this.#view.target.focus();
      }
    });
    // The focus has gone to the list; the mark stays.
    this.#partner.setCaret(index);
  }
}
