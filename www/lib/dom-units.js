/** Which stretches of a document are translated as one. */

import { DomUnit, PASSED_OVER } from "./dom-unit.js";

const CHINESE = /\p{Script=Han}/u;
const WORDS = /[\p{L}\p{N}]/u;
/** They say something by themselves: the entries of a menu are no sentence. */
const BY_ITSELF = "a, button, label, summary, option, [role=button], [role=link], [role=tab], [role=menuitem]";
/** They load again when they are moved. */
const IMMOVABLE = "iframe, object, embed, video, audio";

/**
 * The Chinese stretches in a node, in their order; of a node within a line the whole line.
 *
 * @param {Node} node
 * @param {Element} root
 * @param {boolean} isMarkup texts and inline elements are one, not each text by itself
 * @returns {DomUnit[]}
 */
export function unitsIn(node, root, isMarkup) {
  const element = node instanceof Element ? node : node.parentElement;
  if (!element || !root.contains(element) || element.closest(PASSED_OVER) || !CHINESE.test(node.textContent ?? "")) {
    return [];
  }
  /** @type {DomUnit[]} */
  const units = [];
  const add = (/** @type {Element} */ parent, /** @type {ChildNode[]} */ nodes) => {
    units.push(new DomUnit(parent, nodes));
  };
  if (!isMarkup) {
    eachText(node, add);
    return units;
  }
  let block = node;
  while (block !== root && (!(block instanceof Element) || (isInline(block) && !hasBlock(block)))) {
    block = /** @type {Element} */ (block.parentElement);
  }
  eachRun(/** @type {Element} */ (block), (parent, nodes) => {
    if (block === node || nodes.some((own) => own.contains(node))) {
      eachPhrase(parent, nodes, add);
    }
  }, block === node);
  return units;
}

/**
 * @typedef {(parent: Element, nodes: ChildNode[]) => void} Take
 */

/** The texts of a unit, each by itself. @param {DomUnit} unit */
export function textsOf(unit) {
  /** @type {DomUnit[]} */
  const units = [];
  for (const node of unit.nodes) {
    eachText(node, (parent, nodes) => units.push(new DomUnit(parent, nodes)));
  }
  return units;
}

/** Every text by itself. @param {Node} node @param {Take} take */
function eachText(node, take) {
  if (node instanceof Text) {
    if (node.parentElement && CHINESE.test(node.data)) {
      take(node.parentElement, [node]);
    }
  } else if (node instanceof Element && !node.matches(PASSED_OVER)) {
    for (const child of node.childNodes) {
      eachText(child, take);
    }
  }
}

/**
 * Neighbours that are on one line of text.
 *
 * @param {Element} block
 * @param {Take} take
 * @param {boolean} isDeep also in the blocks in it
 */
function eachRun(block, take, isDeep) {
  /** @type {ChildNode[]} */
  let run = [];
  const end = () => {
    if (run.some((node) => CHINESE.test(node.textContent ?? ""))) {
      take(block, run);
    }
    run = [];
  };
  // Taking changes nothing, so that the list stays as it is.
  for (const node of block.childNodes) {
    if (!(node instanceof Element) || (isInline(node) && !hasBlock(node))) {
      run.push(node);
    } else {
      end();
      if (isDeep && node instanceof Element && !node.matches(PASSED_OVER)) {
        eachRun(node, take, isDeep);
      }
    }
  }
  end();
}

/**
 * What of a run belongs together: words beside elements do, and elements that touch; links side by
 * side do not, nor what is apart by signs alone.
 *
 * @param {Element} parent
 * @param {ChildNode[]} run
 * @param {Take} take
 */
function eachPhrase(parent, run, take) {
  const own = run.map((node) => (node instanceof Text ? node.data : "")).join("");
  const elements = run.filter((node) => node instanceof Element && WORDS.test(node.textContent ?? "") && !node.matches(PASSED_OVER));
  if (![own, ...elements.map(({ textContent }) => textContent ?? "")].some((text) => CHINESE.test(text))) {
    return;
  }
  const areApart =
    !WORDS.test(own) && (elements.length === 1 || own.trim() !== "" || elements.some((node) => /** @type {Element} */ (node).matches(BY_ITSELF)));
  if (elements.length === 0 || !areApart) {
    const isMovable = !run.some((node) => node instanceof Element && (node.matches(IMMOVABLE) || node.querySelector(IMMOVABLE)));
    isMovable ? take(parent, trimmed(run)) : run.forEach((node) => eachText(node, take));
    return;
  }
  for (const node of elements) {
    eachPhrase(/** @type {Element} */ (node), [...node.childNodes], take);
  }
}

/** Without what has no words at its ends: an icon before a word stays where it is. @param {ChildNode[]} run */
function trimmed(run) {
  const hasWords = run.map((node) => !(node instanceof Comment) && (node instanceof Text ? node.data.trim() !== "" : WORDS.test(node.textContent ?? "")));
  return run.slice(hasWords.indexOf(true), hasWords.lastIndexOf(true) + 1);
}

/** @param {Element} element */
function isInline(element) {
  return /^(inline|contents|ruby)/.test(getComputedStyle(element).display);
}

/** @param {Element} element @returns {boolean} */
function hasBlock(element) {
  return !element.matches(PASSED_OVER) && Array.from(element.children).some((child) => !isInline(child) || hasBlock(child));
}
