/** Texts to translate. */

import { readFileSync } from "node:fs";

/** Chinese sentences of the development set, in its order. */
export const SENTENCES = readFileSync(new URL("../../golden/dev.tsv", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => line.split("\t")[0] ?? "");

export const PARAGRAPH = "我们今天去学校。老师很高兴。你想喝茶吗？";
export const OTHER_PARAGRAPH = "他昨天买了一本书。天气很好。";

/**
 * A text of many lines, `count` sentences in all.
 *
 * @param {number} count
 */
export function longText(count) {
  return Array.from({ length: count }, (_, index) => SENTENCES[index % SENTENCES.length]).join("\n");
}
