/**
 * A stretch of a document that is translated as one: neighbouring texts with the inline elements
 * between and around them. In the translation the elements stand where their words are; they are
 * the same elements as before, listeners and all, only moved.
 */

/** Elements without words; something stands there, that is all. */
const WORDLESS = "script, style, noscript, template, textarea, input, select, svg, math, img, picture, canvas";
/** Elements whose text is not for readers, or is the reader's own. */
export const PASSED_OVER = "script, style, noscript, template, code, kbd, samp, textarea, input, select, svg, math, [contenteditable], [translate=no], .notranslate";

/**
 * Where a node is, and what it says.
 *
 * @typedef {{ node: ChildNode, parent: ParentNode | null, data: string | undefined }} Place
 */

/** @typedef {string | Element | Comment} Child */

/** See above. */
export class DomUnit {
  /** What the nodes are in. @type {Element} */
  parent;
  /** Neighbours, first to last. @type {ChildNode[]} */
  #nodes;
  /** Elements and comments by their number in the markup. @type {(Element | Comment)[]} */
  #elements = [];
  /** @type {Place[]} */
  #original;
  /** @type {Place[] | undefined} */
  #translated;
  /** What to translate, and whether it is HTML. @type {{ text: string, isMarkup: boolean }} */
  source;

  /**
   * @param {Element} parent
   * @param {ChildNode[]} nodes neighbours in it, first to last
   */
  constructor(parent, nodes) {
    this.parent = parent;
    this.#nodes = nodes;
    this.#original = placesOf(nodes);
    const [only, ...others] = nodes;
    this.source =
      only instanceof Text && others.length === 0
        ? { text: only.data, isMarkup: false }
        : { text: nodes.map((node) => this.#write(node)).join(""), isMarkup: true };
  }

  /** Its nodes in their order. */
  get nodes() {
    return this.#nodes;
  }

  /** Whether its translation is what is there. */
  get isShown() {
    return this.#translated !== undefined && areSame(this.#translated, placesOf(this.#nodes));
  }

  /** Whether it is where and what it was when it was found. */
  get isUnchanged() {
    return areSame(this.#original, placesOf(this.#nodes));
  }

  /**
   * Shows a translation. Nothing happens when the page has changed the text meanwhile, or when the
   * translation does not have each element once.
   *
   * @param {string} translation
   * @returns {boolean} whether it is shown
   */
  show(translation) {
    const root = this.source.isMarkup ? this.#read(translation) : { children: [translation], elements: new Map() };
    if (!root || !this.isUnchanged) {
      return false;
    }
    const anchor = this.#nodes.at(-1)?.nextSibling ?? null;
    this.#nodes = fill(this.parent, root.children, this.#nodes, anchor);
    for (const [element, children] of root.elements) {
      fill(element, children, [...element.childNodes], null);
    }
    this.#translated = placesOf(this.#nodes);
    return true;
  }

  /** Puts the original back, unless the page has changed what is shown. */
  restore() {
    if (!this.isShown) {
      return;
    }
    const anchor = this.#nodes.at(-1)?.nextSibling ?? null;
    /** @type {Map<ParentNode, ChildNode[]>} */
    const children = new Map([[this.parent, []]]);
    for (const { node, parent, data } of this.#original) {
      if (parent) {
        children.set(parent, [...(children.get(parent) ?? []), node]);
      }
      if (node instanceof Text && data !== undefined) {
        node.data = data;
      } else if (node instanceof Element && !isClosed(node)) {
        children.set(node, []);
      }
    }
    for (const [parent, nodes] of children) {
      const isRoot = parent === this.parent;
      place(parent, nodes, isRoot ? this.#nodes : [...parent.childNodes], isRoot ? anchor : null);
    }
    this.#nodes = children.get(this.parent) ?? [];
    this.#translated = undefined;
  }

  /** A node as the engine reads it. @param {Node} node @returns {string} */
  #write(node) {
    if (node instanceof Text) {
      return node.data.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c] ?? c);
    }
    if (!(node instanceof Element || node instanceof Comment)) {
      return "";
    }
    const number = this.#elements.push(node) - 1;
    if (node instanceof Comment) {
      // Frameworks find their texts by them.
      return `<img i="${number}">`;
    }
    const name = node.localName;
    if (name === "br" || name === "wbr") {
      return `<${name} i="${number}">`;
    }
    if (isClosed(node)) {
      return node.matches(WORDLESS) || node.textContent?.trim() === "" ? `<img i="${number}">` : `<code i="${number}">x</code>`;
    }
    return `<span i="${number}">${Array.from(node.childNodes, (child) => this.#write(child)).join("")}</span>`;
  }

  /**
   * What is in what in a translation; nothing when an element is missing or there twice.
   *
   * @param {string} translation
   */
  #read(translation) {
    /** @type {Map<Element, Child[]>} */
    const elements = new Map();
    /** @type {Child[]} */
    const children = [];
    const seen = new Set();
    const open = [children];
    for (const [, close, name, number, text] of translation.matchAll(/<(\/?)(\w+)(?: i="(\d+)")?>|([^<]+)/g)) {
      const inner = open.at(-1);
      if (text !== undefined) {
        inner?.push(unescaped(text));
      } else if (close) {
        open.pop();
      } else {
        const element = this.#elements[Number(number)];
        if (!inner || !element || seen.has(element)) {
          return undefined;
        }
        seen.add(element);
        inner.push(element);
        if (!/^(br|wbr|img)$/.test(name ?? "")) {
          /** @type {Child[]} */
          const content = [];
          open.push(content);
          if (element instanceof Element && !isClosed(element)) {
            elements.set(element, content);
          }
        }
      }
    }
    return seen.size === this.#elements.length && open.length === 1 ? { children, elements } : undefined;
  }
}

/**
 * Puts texts and elements into a parent in place of what was there. Its texts are used again and
 * none is taken away, because who made them may hold on to them; one too many is empty.
 *
 * @param {ParentNode} parent
 * @param {readonly Child[]} children
 * @param {readonly ChildNode[]} old
 * @param {ChildNode | null} anchor what follows
 */
function fill(parent, children, old, anchor) {
  const texts = old.filter((node) => node instanceof Text);
  const say = (/** @type {Text} */ text, /** @type {string} */ data) => {
    if (text.data !== data) {
      text.data = data;
    }
    return text;
  };
  const nodes = children.map((child) => (typeof child === "string" ? say(texts.shift() ?? new Text(), child) : child));
  nodes.push(...texts.map((text) => say(text, "")));
  place(parent, nodes, old, anchor);
  return nodes;
}

/** Whether what is in it stays as it is. @param {Element} element */
function isClosed(element) {
  return element.matches(PASSED_OVER) || element.matches(WORDLESS);
}

/**
 * All nodes of a stretch in their order.
 *
 * @param {readonly ChildNode[]} nodes
 * @param {Place[]} [places]
 */
function placesOf(nodes, places = []) {
  for (const node of nodes) {
    places.push({ node, parent: node.parentNode, data: node instanceof CharacterData ? node.data : undefined });
    if (node instanceof Element && !isClosed(node)) {
      placesOf([...node.childNodes], places);
    }
  }
  return places;
}

/** @param {readonly Place[]} one @param {readonly Place[]} other */
function areSame(one, other) {
  return (
    one.length === other.length &&
    one.every(({ node, parent, data }, index) => {
      const place = other[index];
      return place?.node === node && place.parent === parent && place.data === data;
    })
  );
}

/**
 * Puts nodes in place of others, before the anchor. What stands right already is not moved: moving
 * takes the focus away, and frames load again.
 *
 * @param {ParentNode} parent
 * @param {readonly ChildNode[]} nodes
 * @param {readonly ChildNode[]} old
 * @param {ChildNode | null} anchor
 */
function place(parent, nodes, old, anchor) {
  for (const node of old) {
    if (!nodes.includes(node) && node.parentNode === parent) {
      node.remove();
    }
  }
  let next = anchor;
  for (const node of [...nodes].reverse()) {
    if (node.parentNode !== parent || node.nextSibling !== next) {
      parent.insertBefore(node, next);
    }
    next = node;
  }
}

/** @param {string} text */
function unescaped(text) {
  /** @type {Record<string, string>} */
  const names = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) =>
    name ? (names[name] ?? whole) : String.fromCodePoint(decimal ? Number(decimal) : parseInt(hex, 16)),
  );
}
