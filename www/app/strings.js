/**
 * What the page says, in English and Chinese.
 *
 * @typedef {typeof en} Strings
 */

/** @param {number} count @param {string} noun */
const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** @param {number} milliseconds */
const seconds = (milliseconds) => (milliseconds / 1000).toFixed(milliseconds < 9950 ? 2 : 1);

/** @param {number} bytes */
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

const en = {
  title: "Chinese → English",
  tagline: "Translated on your device. Nothing you type leaves it.",
  chinese: "Chinese",
  english: "English",
  placeholder: "Type or paste Chinese text",
  empty: "The translation appears here",
  clear: "Clear",
  copy: "Copy",
  copied: "Copied",
  copyFailed: "The browser did not allow copying. Select the text and copy it.",
  auto: "Translate as I type",
  translate: "Translate",
  shortcut: "Ctrl+Enter or ⌘+Enter",
  stop: "Stop",
  retry: "Try again",
  preparing: "Preparing the translator…",
  ready: "Ready. Works offline from now on.",
  waitingForModel: "Waiting for the translator…",
  translating: "Translating…",
  stopped: "Stopped.",
  /** @param {number} loaded @param {number | undefined} total */
  loading: (loaded, total) =>
    total === undefined
      ? `Loading the translator: ${megabytes(loaded)} MB`
      : `Loading the translator: ${megabytes(loaded)} of ${megabytes(total)} MB`,
  /** @param {number} count */
  characters: (count) => plural(count, "character"),
  /** @param {number} done @param {number} all */
  progress: (done, all) => `Translating… ${done.toLocaleString("en")} of ${plural(all, "sentence")}`,
  /** @param {number} sentences @param {number} milliseconds */
  done: (sentences, milliseconds) =>
    `${plural(sentences, "sentence")} in ${seconds(milliseconds)} s`,
  /** @param {number} count */
  truncated: (count) => `${plural(count, "sentence")} cut at the length limit`,
  /** @param {string} message */
  loadFailed: (message) => `The translator could not be loaded: ${message}`,
  unreachable: "the server does not answer",
  /** @param {string} message */
  failed: (message) => `The translation failed: ${message}`,
  /** @param {string} name */
  notText: (name) => `${name} is not a text file`,
};

/** @type {Strings} */
const zh = {
  title: "中文 → 英文",
  tagline: "在您的设备上翻译，输入的内容不会离开本机。",
  chinese: "中文",
  english: "英文",
  placeholder: "输入或粘贴中文",
  empty: "译文显示在这里",
  clear: "清空",
  copy: "复制",
  copied: "已复制",
  copyFailed: "浏览器不允许复制，请选中译文后手动复制。",
  auto: "输入时自动翻译",
  translate: "翻译",
  shortcut: "Ctrl+Enter 或 ⌘+Enter",
  stop: "停止",
  retry: "重试",
  preparing: "正在准备翻译引擎…",
  ready: "已就绪，此后可离线使用。",
  waitingForModel: "正在等待翻译引擎…",
  translating: "正在翻译…",
  stopped: "已停止。",
  loading: (loaded, total) =>
    total === undefined
      ? `正在加载翻译引擎：${megabytes(loaded)} MB`
      : `正在加载翻译引擎：${megabytes(loaded)} / ${megabytes(total)} MB`,
  characters: (count) => `${count.toLocaleString("zh")} 个字符`,
  progress: (done, all) => `正在翻译… 第 ${done} 句，共 ${all} 句`,
  done: (sentences, milliseconds) => `${sentences} 句，用时 ${seconds(milliseconds)} 秒`,
  truncated: (count) => `${count} 句因过长被截断`,
  loadFailed: (message) => `无法加载翻译引擎：${message}`,
  unreachable: "服务器没有响应",
  failed: (message) => `翻译失败：${message}`,
  notText: (name) => `${name} 不是文本文件`,
};

/**
 * The strings for the first of the user's languages that the page has, and that language's tag.
 *
 * @param {readonly string[]} languages
 * @returns {{ strings: Strings, lang: string }}
 */
export function stringsFor(languages) {
  const known = languages.find((language) => /^(en|zh)\b/i.test(language));
  return known?.toLowerCase().startsWith("zh")
    ? { strings: zh, lang: "zh-Hans" }
    : { strings: en, lang: "en" };
}

/**
 * Puts the strings into the document: `data-text` names that of an element's content,
 * `data-placeholder`, `data-title` and `data-empty` those of attributes.
 *
 * @param {Document} document
 * @param {{ strings: Strings, lang: string }} language
 */
export function localise(document, { strings, lang }) {
  document.documentElement.lang = lang;
  document.title = `${strings.title} · csanmt`;
  /** @type {[string, (element: Element, text: string) => void][]} */
  const places = [
    ["text", (element, text) => element.replaceChildren(text)],
    ["placeholder", (element, text) => element.setAttribute("placeholder", text)],
    ["title", (element, text) => element.setAttribute("title", text)],
    ["empty", (element, text) => element.setAttribute("data-empty-text", text)],
  ];
  for (const [mark, put] of places) {
    for (const element of document.querySelectorAll(`[data-${mark}]`)) {
      const key = /** @type {keyof Strings} */ (element.getAttribute(`data-${mark}`));
      put(element, String(strings[key]));
    }
  }
}
