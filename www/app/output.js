import { TextBlocks } from "./text-blocks.js";

/** @import { Block } from "./text-blocks.js" */

/** The translation in the document; what is left of an older one is shown as stale behind it. */
export class Output extends TextBlocks {
  /** @param {HTMLElement} element */
  constructor(element) {
    super(element, "latin");
  }

  /**
   * @param {string} fresh the translation
   * @param {string} [stale] what follows it of an older one
   */
  show(fresh, stale = "") {
    super.show(fresh + stale);
    let room = fresh.length;
    for (const block of this.blocks) {
      shade(block, Math.max(0, Math.min(room, block.text.length)));
      room -= block.text.length;
    }
  }
}

/**
 * Shows the first `fresh` characters of a block as such, the others as stale.
 *
 * @param {Block} block
 * @param {number} fresh
 */
function shade(block, fresh) {
  const { text, element } = block;
  if (block.fresh === fresh) {
    return;
  }
  const isMixed = fresh > 0 && fresh < text.length;
  if (isMixed) {
    const stale = document.createElement("span");
    stale.className = "stale";
    stale.textContent = text.slice(fresh);
    element.replaceChildren(text.slice(0, fresh), stale);
  } else if (element.childElementCount > 0) {
    element.textContent = text;
  }
  element.classList.toggle("stale", fresh === 0);
  block.fresh = fresh;
}
