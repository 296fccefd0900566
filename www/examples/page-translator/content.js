/** Runs in the page at every click on the button: the first one translates, the next one undoes it. */

(async () => {
  if (globalThis.csanmtPage) {
    const { isActive } = globalThis.csanmtPage;
    isActive ? globalThis.csanmtPage.restore() : globalThis.csanmtPage.start();
    return;
  }
  const { DomTranslation } = await import(chrome.runtime.getURL("csanmt/dom-translation.js"));
  const translator = {
    async translate(text, { format } = {}) {
      const { translation, error } = await chrome.runtime.sendMessage({ text, format });
      if (error) {
        throw new Error(error);
      }
      return translation;
    },
  };
  globalThis.csanmtPage = new DomTranslation(document.body, translator, {
    markup: true,
    onerror: (error) => console.warn("csanmt:", error.message),
  });
  globalThis.csanmtPage.start();
})();
