/**
 * The translation in the document: one block a line, so that a change of one line costs one line
 * and long texts stay quick. A block holds its line break, hence `textContent` is the text itself.
 */
export class Output {
  #element;
  /** What each block shows: its text, and how many characters of it are not stale. */
  /** @type {{ text: string, fresh: number, block: HTMLElement }[]} */
  #lines = [];

  /** @param {HTMLElement} element */
  constructor(element) {
    this.#element = element;
    // The selection as text would get the line breaks twice: from the text and from the blocks.
    element.addEventListener("copy", (event) => {
      const selection = document.getSelection();
      if (selection?.rangeCount && event.clipboardData) {
        const text = selection.getRangeAt(0).cloneContents().textContent ?? "";
        event.clipboardData.setData("text/plain", text);
        event.preventDefault();
      }
    });
  }

  /**
   * @param {string} fresh the translation
   * @param {string} stale what follows it of an older one
   */
  show(fresh, stale) {
    const texts = (fresh + stale).match(/[^\n]*\n|[^\n]+$/g) ?? [];
    let at = 0;
    texts.forEach((text, index) => {
      this.#line(index, text, Math.min(text.length, Math.max(0, fresh.length - at)));
      at += text.length;
    });
    for (const { block } of this.#lines.splice(texts.length)) {
      block.remove();
    }
  }

  /**
   * @param {number} index
   * @param {string} text
   * @param {number} fresh
   */
  #line(index, text, fresh) {
    let line = this.#lines[index];
    if (line?.text === text && line.fresh === fresh) {
      return;
    }
    if (!line) {
      line = { text, fresh, block: document.createElement("div") };
      this.#lines[index] = line;
      this.#element.append(line.block);
    }
    line.text = text;
    line.fresh = fresh;
    line.block.replaceChildren(text.slice(0, fresh));
    if (fresh < text.length) {
      const stale = document.createElement("span");
      stale.className = "stale";
      stale.textContent = text.slice(fresh);
      line.block.append(stale);
    }
  }
}
