/** What tells that a person turns to a pane, before its scrolling does. */
const ATTENTION = ["wheel", "touchstart", "pointerdown", "keydown", "focusin"];

/**
 * A pane that scrolls.
 *
 * @typedef {object} Pane
 * @property {() => HTMLElement} element what scrolls now
 * @property {(sentence: number) => number | undefined} top where a sentence begins, from the start
 *   of the content; undefined while that is not known
 */

/**
 * Scrolls two panes together, sentence by sentence: what is a third down the one is a third down
 * the other, and so are both ends. The pane that a person touched last leads. What the other one
 * does by itself, like jumping up when its content shrinks, moves nothing.
 */
export class ScrollLink {
  #panes;
  #count;
  #leader = 0;
  #frame = 0;

  /**
   * @param {[Pane, Pane]} panes the first leads in the beginning
   * @param {() => number} count how many sentences there are
   */
  constructor(panes, count) {
    this.#panes = panes;
    this.#count = count;
    this.listen();
  }

  /** Listens to the elements that scroll now. */
  listen() {
    for (const [index, pane] of this.#panes.entries()) {
      const element = pane.element();
      if (element.dataset.linked) {
        continue;
      }
      element.dataset.linked = "yes";
      for (const event of ATTENTION) {
        element.addEventListener(event, () => void (this.#leader = index), { passive: true });
      }
      const follow = () => {
        if (this.#leader === index && element === pane.element()) {
          this.align();
        }
      };
      element.addEventListener("scroll", follow, { passive: true });
      // Blocks that come into sight get their true height.
      element.addEventListener("contentvisibilityautostatechange", () => this.#alignSoon(), true);
    }
  }

  #alignSoon() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.align();
    });
  }

  /** Moves the pane that does not lead to where it belongs. */
  align() {
    const leader = /** @type {Pane} */ (this.#panes[this.#leader]);
    const follower = /** @type {Pane} */ (this.#panes[1 - this.#leader]);
    const from = leader.element();
    const to = follower.element();
    const room = from.scrollHeight - from.clientHeight;
    const share = room > 0 ? Math.min(1, Math.max(0, from.scrollTop / room)) : 0;
    const line = from.scrollTop + share * from.clientHeight;
    const other = this.#opposite(leader, follower, line) ?? (line / from.scrollHeight) * to.scrollHeight;
    to.scrollTop = other - share * to.clientHeight;
  }

  /**
   * Where in the follower stands what is at a height of the leader.
   *
   * @param {Pane} leader
   * @param {Pane} follower
   * @param {number} line
   */
  #opposite(leader, follower, line) {
    const count = this.#count();
    if (count === 0 || leader.top(0) === undefined || follower.top(0) === undefined) {
      return undefined;
    }
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((leader.top(middle) ?? Infinity) <= line) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const from = low > 0 ? (leader.top(low - 1) ?? 0) : 0;
    const to = low < count ? (leader.top(low) ?? 0) : leader.element().scrollHeight;
    const otherFrom = low > 0 ? (follower.top(low - 1) ?? 0) : 0;
    const otherTo = low < count ? (follower.top(low) ?? 0) : follower.element().scrollHeight;
    const part = to > from ? (line - from) / (to - from) : 0;
    return otherFrom + Math.min(1, Math.max(0, part)) * (otherTo - otherFrom);
  }
}
