/** What the page remembers: choices always, texts only when that was asked for. */

/**
 * @typedef {object} Settings
 * @property {boolean} auto translate as the person types
 * @property {"system" | "light" | "dark"} theme
 * @property {"browser" | "en" | "zh"} language
 * @property {boolean} keepText
 * @property {boolean} keepHistory
 * @property {boolean} joinLines join hard-wrapped lines before translating
 * @property {boolean} useGlossary
 */

/** @type {Settings} */
const DEFAULTS = {
  auto: true,
  theme: "system",
  language: "browser",
  keepText: false,
  keepHistory: false,
  joinLines: false,
  useGlossary: true,
};

/** Other pages of the same origin may store things too. */
const PREFIX = "csanmt.";

/**
 * What is stored under a name; undefined when nothing is, or storage is forbidden.
 *
 * @param {string} name
 * @returns {unknown}
 */
export function recall(name) {
  try {
    const stored = localStorage.getItem(PREFIX + name);
    return stored === null ? undefined : JSON.parse(stored);
  } catch {
    return undefined;
  }
}

/**
 * Stores a value under a name, or removes it when it is undefined. Returns whether that worked:
 * storage may be forbidden or full, and the value then lasts as long as the page.
 *
 * @param {string} name
 * @param {unknown} value
 */
export function remember(name, value) {
  try {
    if (value === undefined) {
      localStorage.removeItem(PREFIX + name);
    } else {
      localStorage.setItem(PREFIX + name, JSON.stringify(value));
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * Calls back when another tab has stored something under a name: what this one knows is old then,
 * and storing it would undo the other's change.
 *
 * @param {string} name
 * @param {() => void} listener
 */
export function onStoredElsewhere(name, listener) {
  // There is no such thing outside of pages.
  globalThis.addEventListener?.("storage", ({ key }) => {
    if (key === PREFIX + name || key === null) {
      listener();
    }
  });
}

/** @returns {Settings} */
export function loadSettings() {
  const stored = recall("settings");
  const settings = { ...DEFAULTS };
  if (stored && typeof stored === "object") {
    for (const [key, value] of Object.entries(stored)) {
      // Another version may have had other settings, or others of the same name.
      if (typeof value === typeof settings[/** @type {keyof Settings} */ (key)]) {
        Object.assign(settings, { [key]: value });
      }
    }
  }
  return settings;
}

/** @param {Settings} settings */
export function saveSettings(settings) {
  remember("settings", settings);
}

