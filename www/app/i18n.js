/**
 * The language of the page. `strings` is a live binding: it changes with `setLanguage`.
 *
 * @import { Strings } from "./strings/en.js"
 */

import { en } from "./strings/en.js";
import { zh } from "./strings/zh.js";

/** @type {Strings} */
export let strings = en;
/** The tag of the page's language. */
export let language = "en";

/**
 * Takes the first language that the page has, and puts its strings into the document.
 *
 * @param {readonly string[]} wanted language tags, best first
 */
export function setLanguage(wanted) {
  const known = wanted.find((tag) => /^(en|zh)\b/i.test(tag));
  [strings, language] = known?.toLowerCase().startsWith("zh") ? [zh, "zh-Hans"] : [en, "en"];
  localise(document);
}

/** Attributes that hold words: the mark in the document and where its string goes. */
const PLACES = /** @type {const} */ ([
  ["placeholder", "placeholder"],
  ["title", "title"],
  ["label", "aria-label"],
  ["empty", "data-empty-text"],
]);

/** @param {Document} document */
function localise(document) {
  document.documentElement.lang = language;
  document.title = `${strings.title} · csanmt`;
  // The document is written in English: most words are there already.
  for (const element of document.querySelectorAll("[data-text]")) {
    const text = word(element.getAttribute("data-text"));
    if (element.textContent !== text) {
      element.textContent = text;
    }
  }
  for (const [mark, attribute] of PLACES) {
    for (const element of document.querySelectorAll(`[data-${mark}]`)) {
      const text = word(element.getAttribute(`data-${mark}`));
      if (element.getAttribute(attribute) !== text) {
        element.setAttribute(attribute, text);
      }
    }
  }
}

/** @param {string | null} key */
function word(key) {
  return String(strings[/** @type {keyof Strings} */ (key)]);
}

/**
 * The name of a language in the page's language.
 *
 * @param {string} tag
 */
export function languageName(tag) {
  try {
    const name = new Intl.DisplayNames([language], { type: "language" }).of(tag);
    return name && name !== tag ? name : strings.otherLanguage;
  } catch {
    return strings.otherLanguage;
  }
}
