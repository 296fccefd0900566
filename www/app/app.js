/** The page: connects the session, the view, the translator and the service worker. */

import { CsanmtTranslator } from "./lib/index.js";
import { Session } from "./session.js";
import { localise, stringsFor } from "./strings.js";
import { View } from "./view.js";

const AUTO_KEY = "csanmt.auto";

const language = stringsFor(navigator.languages);
localise(document, language);
const view = new View(language.strings);
const session = new Session((session) => view.update(session));

view.source.addEventListener("input", (event) => {
  const { inputType, isComposing } = /** @type {InputEvent} */ (event);
  // While an input method composes, the text holds Latin letters that are no text yet.
  if (!isComposing) {
    const atOnce = inputType === "insertFromPaste" || inputType === "insertFromDrop";
    session.edit(view.source.value, { atOnce });
  }
});
view.source.addEventListener("compositionend", () => session.edit(view.source.value));

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    session.translate();
  } else if (event.key === "Escape" && !event.isComposing) {
    session.stop();
  }
});

view.translate.addEventListener("click", () => session.translate());
view.stop.addEventListener("click", () => session.stop());
view.clear.addEventListener("click", () => {
  view.source.value = "";
  session.edit("");
  view.source.focus();
});
view.copy.addEventListener("click", () => copy(session.target));

view.auto.checked = session.auto = readSetting(AUTO_KEY) !== "off";
view.auto.addEventListener("change", () => {
  session.auto = view.auto.checked;
  writeSetting(AUTO_KEY, session.auto ? "on" : "off");
  if (session.auto) {
    session.translate();
  }
});

// A dropped text file becomes the text; the browser would leave the page for it.
document.addEventListener("dragover", (event) => {
  if (event.dataTransfer?.types.includes("Files")) {
    event.preventDefault();
  }
});
document.addEventListener("drop", async (event) => {
  const file = event.dataTransfer?.files[0];
  if (file) {
    event.preventDefault();
    await open(file);
  }
});

view.retry.addEventListener("click", load);
// After a reload some browsers fill the text in again.
session.edit(view.source.value, { atOnce: true });
load();

async function load() {
  view.showLoadingAgain();
  try {
    const manifest = await readManifest();
    session.translator = await CsanmtTranslator.create({
      modelUrl: manifest.model,
      modelBytes: manifest.files[manifest.model]?.bytes,
      onprogress: (progress) => view.showLoading(progress),
    });
    view.showReady();
    // Now the network is idle, and the model is in the browser's cache for the worker to keep.
    await navigator.serviceWorker?.register("sw.js").catch(() => {});
  } catch (error) {
    view.showLoadFailure(error instanceof Error ? error.message : String(error));
  }
}

/** @returns {Promise<{ model: string, files: Record<string, { bytes: number } | undefined> }>} */
async function readManifest() {
  const response = await fetch("manifest.json").catch(() => {
    throw new Error(language.strings.unreachable);
  });
  if (!response.ok) {
    throw new Error(`manifest.json answered ${response.status}`);
  }
  return response.json();
}

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    view.showCopied(true);
  } catch {
    // No clipboard outside secure contexts, or no permission.
    view.showCopied(false);
  }
}

/** @param {File} file */
async function open(file) {
  const text = await file.text();
  if (text.includes("\0")) {
    view.showNotice(language.strings.notText(file.name));
    return;
  }
  view.source.value = text;
  session.edit(view.source.value, { atOnce: true });
}

/** @param {string} key */
function readSetting(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    // Storage may be forbidden; the settings then last as long as the page.
    return null;
  }
}

/** @param {string} key @param {string} value */
function writeSetting(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // As above.
  }
}
