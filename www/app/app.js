/** The page: connects its parts. */

import { Documents } from "./documents.js";
import { Engine } from "./engine.js";
import { button, find } from "./find.js";
import { GlossaryDialog } from "./glossary-dialog.js";
import { Glossary } from "./glossary.js";
import { HistoryDialog } from "./history-dialog.js";
import { History } from "./history.js";
import { languageName, setLanguage, strings } from "./i18n.js";
import { Notices } from "./notices.js";
import { keepPage } from "./offline.js";
import { Partner } from "./partner.js";
import { saveFile } from "./save-file.js";
import { ScrollLink } from "./scroll-link.js";
import { Session } from "./session.js";
import { SettingsDialog } from "./settings-dialog.js";
import { loadSettings, onStoredElsewhere, recall, remember, saveSettings } from "./settings.js";
import { readHash, writeHash } from "./share-link.js";
import { SourcePane } from "./source-pane.js";
import { TargetPane } from "./target-pane.js";
import { View } from "./view.js";

/** How long a text must rest before the address and the history take it. */
const REST_MS = 600;

const settings = loadSettings();
applyTheme();
applyLanguage();

const notices = new Notices();
const view = new View(notices);
const source = new SourcePane(/** @type {HTMLTextAreaElement} */ (find("source")), find("mirror"), find("paragraphs"));
const session = new Session((session) => view.update(session));
const partner = new Partner(session, (side) => (side === "source" ? source.geometry : view.output));
const target = new TargetPane(session, view, partner);
const scrolling = new ScrollLink(
  [
    { element: () => source.element, top: (index) => topOf("source", index) },
    { element: () => view.target, top: (index) => topOf("target", index) },
  ],
  () => session.sentences.length,
);
const glossary = new Glossary(() => settings.useGlossary && session.translate());
new GlossaryDialog(glossary);
const history = new History();
const historyDialog = new HistoryDialog(history, replaceText);
const dialog = new SettingsDialog(settings);
const documents = new Documents();

documents.options = () => (settings.useGlossary && glossary.entries.length > 0 ? { glossary: glossary.entries } : {});
session.options = () => ({ ...documents.options(), ...(settings.joinLines ? { wrappedLines: true } : {}) });

// The source text

source.onedit = (text, how) => {
  // What could be undone is no more what the person sees.
  notices.hide("swapped");
  notices.hide("cleared");
  session.edit(text, how);
};
source.oncaret = (offset) => partner.setCaret(partner.find("source", offset));
source.onmode = () => scrolling.listen();
for (const element of [find("source"), find("paragraphs")]) {
  partner.follow(element, "source", (x, y) => source.offsetAtPoint(x, y));
}
documents.ontext = replaceText;

let rest = 0;
view.onshown = () => {
  partner.refresh();
  scrolling.align();
  if (session.run.phase === "done") {
    source.measure();
    const { sentences, milliseconds } = session.run;
    dialog.measured = { sentences, milliseconds, characters: session.source.length };
  }
  clearTimeout(rest);
  rest = setTimeout(settle, REST_MS);
};

/** The text has not changed for a while. */
function settle() {
  scrolling.align();
  nameLanguage();
  writeAddress();
  remember("text", settings.keepText && session.source !== "" ? session.source : undefined);
  if (settings.keepHistory && session.run.phase === "done" && session.hasText) {
    history.add(session.source, session.target);
  }
}

/** Says when the text is not Chinese. */
async function nameLanguage() {
  const text = session.source;
  const tag = session.hasText ? await target.engine?.languageOf(text).catch(() => undefined) : undefined;
  if (text === session.source) {
    const isOther = tag !== undefined && !/^zh\b/.test(tag);
    find("hint").textContent = isOther ? strings.notChinese(languageName(tag)) : "";
    find("source").lang = isOther ? tag : "zh-Hans";
  }
}

function writeAddress() {
  const hash = writeHash(session.source);
  // A page that has never had a text keeps the address it was opened with.
  if (hash !== location.hash && (session.source !== "" || location.hash !== "")) {
    window.history.replaceState(null, "", hash);
  }
}

/** @param {string} text */
function replaceText(text) {
  source.show(text, 0);
  session.edit(text, { atOnce: true });
}

// Controls

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    session.translate();
  } else if (event.key === "Escape" && !event.isComposing && !document.querySelector("dialog[open]")) {
    session.stop();
  }
});
view.translate.addEventListener("click", () => session.translate());
view.stop.addEventListener("click", () => session.stop());
view.clear.addEventListener("click", () => {
  const before = session.source;
  replaceText("");
  source.focus();
  if (before.length > 200) {
    notices.show("cleared", strings.cleared, { label: strings.undo, run: () => replaceText(before) });
  }
});
view.copy.addEventListener("click", () => copy(session.target, view.copy, strings.copied));
view.share.addEventListener("click", () => {
  const hash = writeHash(session.source);
  if (!hash.includes("&text=")) {
    view.say(strings.tooLongToShare);
    return;
  }
  copy(new URL(hash, location.href).href, view.share, strings.shared);
});
view.download.addEventListener("click", () => {
  saveFile(new Blob([session.target], { type: "text/plain;charset=utf-8" }), "translation.txt");
});
view.swap.addEventListener("click", () => {
  const before = session.source;
  replaceText(session.target);
  notices.show("swapped", strings.swapped, { label: strings.undo, run: () => replaceText(before) });
  source.focus();
});

/**
 * @param {string} text
 * @param {HTMLButtonElement} element
 * @param {string} done
 */
async function copy(text, element, done) {
  try {
    await navigator.clipboard.writeText(text);
    view.confirm(element, done);
  } catch {
    // No clipboard outside secure contexts, or no permission.
    view.say(strings.copyFailed);
  }
}

// Settings

view.auto.checked = session.auto = settings.auto;
view.auto.addEventListener("change", () => {
  settings.auto = session.auto = view.auto.checked;
  saveSettings(settings);
  if (session.auto) {
    session.translate();
  }
});
historyDialog.enabled = settings.keepHistory;
onStoredElsewhere("settings", () => {
  const { joinLines, useGlossary } = settings;
  Object.assign(settings, loadSettings());
  applyTheme();
  applyLanguage();
  view.auto.checked = session.auto = settings.auto;
  historyDialog.enabled = settings.keepHistory;
  view.refresh();
  dialog.refresh();
  if (settings.joinLines !== joinLines || settings.useGlossary !== useGlossary) {
    session.translate();
  }
});
dialog.onchange = (changed) => {
  switch (changed) {
    case "theme":
      return applyTheme();
    case "language":
      applyLanguage();
      view.refresh();
      return dialog.refresh();
    case "keepText":
      return settle();
    case "keepHistory":
      if (!settings.keepHistory) {
        history.clear();
      }
      historyDialog.enabled = settings.keepHistory;
      return settle();
    default:
      session.translate();
  }
};

function applyTheme() {
  document.documentElement.dataset.theme = settings.theme;
}

function applyLanguage() {
  setLanguage(settings.language === "browser" ? navigator.languages : [settings.language]);
}

/**
 * @param {"source" | "target"} side
 * @param {number} index
 */
function topOf(side, index) {
  const start = session.sentences[index]?.[side][0];
  const blocks = side === "source" ? source.geometry : view.output;
  return start === undefined ? undefined : blocks?.top(start);
}

// The beginning

const given = readHash(location.hash);
const kept = settings.keepText ? recall("text") : undefined;
if (given !== undefined) {
  replaceText(given);
} else if (typeof kept === "string") {
  replaceText(kept);
} else {
  // After a reload some browsers fill the text in again.
  session.edit(source.text, { atOnce: true });
}
view.update(session);
window.addEventListener("hashchange", () => {
  const text = readHash(location.hash);
  if (text !== undefined && text !== session.source) {
    replaceText(text);
  }
});

button("retry").addEventListener("click", load);
// The page is painted before the model takes the network.
requestAnimationFrame(() => setTimeout(load));

async function load() {
  view.showLoadingAgain();
  try {
    let isStored = true;
    const loading = Engine.load(
      (progress) => view.showLoading(progress),
      ({ code }) => {
        isStored &&= code === "store-damaged";
      },
    );
    documents.engine = loading;
    loading.catch(() => {});
    const engine = await loading;
    session.translator = target.engine = dialog.engine = engine;
    dialog.onremove = () => engine.removeModel();
    view.showReady();
    // Now the network is idle.
    const isKept = await keepPage(notices);
    view.showKept(isKept && isStored);
    if (!isStored || !isKept) {
      notices.show("storage", isStored ? strings.offlineUnavailable : strings.notStored, { label: strings.understood, run: () => {} });
    }
  } catch (error) {
    view.showLoadFailure(error instanceof Error ? error.message : String(error));
  }
}
