/** Language tags (BCP 47): what is well-formed, what is the same language, what can be translated. */

/**
 * The canonical form of a tag.
 *
 * @param {string} tag
 * @returns {string}
 * @throws {RangeError} when it is malformed
 */
export function canonicalTag(tag) {
  const [canonical] = Intl.getCanonicalLocales(tag);
  if (canonical === undefined) {
    throw new RangeError(`malformed language tag: ${tag}`);
  }
  return canonical;
}

/** Language and script of a tag, the script being the usual one when the tag has none. @param {string} tag */
function languageAndScript(tag) {
  const { language, script } = new Intl.Locale(tag).maximize();
  return { language, script };
}

/**
 * Whether two canonical tags mean one written language, so that a text needs no translation.
 *
 * @param {string} one
 * @param {string} other
 */
export function isSameLanguage(one, other) {
  const a = languageAndScript(one);
  const b = languageAndScript(other);
  return a.language === b.language && a.script === b.script;
}

/**
 * Whether the model translates from one canonical tag to another: from Chinese in simplified or
 * traditional characters to English.
 *
 * @param {string} source
 * @param {string} target
 */
export function isTranslated(source, target) {
  const from = languageAndScript(source);
  const to = languageAndScript(target);
  const isChinese = from.language === "zh" && (from.script === "Hans" || from.script === "Hant");
  return isChinese && to.language === "en" && to.script === "Latn";
}

/** Languages that the detector tells apart. */
const DETECTED = ["zh", "en", "ja", "ko", "de", "fr", "es", "pt", "it", "nl"];

/**
 * Whether the detector knows the language of a canonical tag.
 *
 * @param {string} tag
 */
export function isDetected(tag) {
  return DETECTED.includes(languageAndScript(tag).language);
}
