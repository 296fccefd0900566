/**
 * The text in the address: `#src=zh&trg=en&text=…`, as about:translations has it.
 */

/** Longer addresses are cut or refused by programs they are pasted into. */
export const LONGEST_HASH = 8000;

/**
 * The text in a hash; undefined when there is none. The languages are passed over: the panes are
 * Chinese and English whatever the codes say.
 *
 * @param {string} hash with or without `#`
 */
export function readHash(hash) {
  return new URLSearchParams(hash.replace(/^#/, "")).get("text") ?? undefined;
}

/**
 * The hash for a text; without the text when that is too long for an address.
 *
 * @param {string} text
 */
export function writeHash(text) {
  const languages = "#src=zh&trg=en";
  // Encoding makes a text longer, never shorter.
  if (text === "" || text.length > LONGEST_HASH) {
    return languages;
  }
  // A lone surrogate, half of a character, has no encoding.
  const wellFormed = text.replace(/\p{Surrogate}/gu, "\ufffd");
  const hash = `${languages}&text=${encodeURIComponent(wellFormed)}`;
  return hash.length > LONGEST_HASH ? languages : hash;
}
