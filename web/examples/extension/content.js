// In the page: translates it in place with what the model answers, or restores it at the second click.

(() => {
  const known = globalThis.translatedPage;
  // A promise, because the second click may come while the first is still loading.
  globalThis.translatedPage = known ? undefined : translate();
  (known ?? globalThis.translatedPage).then((page) => known && page.restore(), console.error);

  async function translate() {
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
    page.done.catch((error) => {
      if (error.name !== 'AbortError') console.error(error);
    });
    return page;
  }
})();
