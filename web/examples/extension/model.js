// The model, for all tabs: answers the texts that they send. Another one is a folder in this extension, a URL, or the id of a
// model on a hub.

import { loadModel } from './node_modules/transformer-wasm/dist/inline.js';

const loading = loadModel('./node_modules/transformer-wasm/dist/models/en-fr');

/** What a message can carry: numbers as a plain array. */
function sent({ text, sentences }) {
  const plain = ({ weights, ...alignment }) => ({ ...alignment, weights: { data: Array.from(weights.data) } });
  return {
    text,
    sentences: sentences.map(({ source, target, alignment }) => ({
      source,
      target,
      ...(alignment && { alignment: plain(alignment) }),
    })),
  };
}

async function translate(texts, alignment) {
  const model = await loading;
  return (await model.translate(texts, { alignment })).map(sent);
}

chrome.runtime.onMessage.addListener(({ texts, alignment }, _sender, respond) => {
  translate(texts, alignment).then(
    (results) => respond({ results }),
    (error) => respond({ error: error.message }),
  );
  return true; // the answer comes later
});
