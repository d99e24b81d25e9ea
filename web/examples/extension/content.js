// In the page: translates it in place with what the model answers, or restores it at the second click.

(async () => {
  if (globalThis.translatedPage) {
    globalThis.translatedPage.restore();
    globalThis.translatedPage = undefined;
    return;
  }
  const model = {
    async translate(texts, { alignment }) {
      const { results, error } = await chrome.runtime.sendMessage({ texts, alignment });
      if (error) throw new Error(error);
      return results;
    },
  };
  const address = chrome.runtime.getURL('node_modules/transformer-wasm/dist/documents.js');
  const { translateElement } = await import(address);
  const page = translateElement(model, document.body, { observe: true, attributes: true, targetLanguage: 'fr' });
  globalThis.translatedPage = page;
  page.done.catch((error) => {
    if (error.name !== 'AbortError') console.error(error);
  });
})();
