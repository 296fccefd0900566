/**
 * The extension's service worker: it has the engine, which runs on its thread, because there are no
 * workers here. Pages send it their texts.
 */

import { Translator } from "./csanmt/inline.js";

/** @type {Promise<Translator> | undefined} */
let translator;

function loaded() {
  translator ??= Translator.create({
    sourceLanguage: "zh",
    targetLanguage: "en",
    modelUrl: chrome.runtime.getURL("model.safetensors"),
    // The extension's own files need not be kept a second time.
    store: null,
  });
  translator.catch(() => (translator = undefined));
  return translator;
}

chrome.action.onClicked.addListener(({ id }) => {
  chrome.scripting.executeScript({ target: { tabId: id }, files: ["content.js"] });
});

chrome.runtime.onMessage.addListener(({ text, format }, _, answer) => {
  loaded()
    .then((translator) => translator.translate(text, { format }))
    .then(
      (translation) => answer({ translation }),
      (error) => answer({ error: error.message }),
    );
  // The answer comes later.
  return true;
});
