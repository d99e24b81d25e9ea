// A click on the extension's button translates the page, or brings it back. The model is in a document of its own, because a
// service worker is stopped while nothing happens.

let opening;

async function openModel() {
  if (await chrome.offscreen.hasDocument()) return;
  opening ??= chrome.offscreen
    .createDocument({ url: 'model.html', reasons: ['WORKERS'], justification: 'Runs the translation model.' })
    .finally(() => {
      opening = undefined;
    });
  await opening;
}

chrome.action.onClicked.addListener(async (tab) => {
  await openModel();
  await chrome.scripting.executeScript({ target: { tabId: tab.id }, files: ['content.js'] });
});
