// Translates the texts of the command line: node translate.mjs "The cat sat on the mat." "I am hungry."

import { loadModel } from 'transformer-wasm';
import enFr from 'transformer-wasm/en-fr';

const model = await loadModel(enFr);
try {
  for (const { text } of await model.translate(process.argv.slice(2))) console.log(text);
} finally {
  await model.dispose(); // ends its threads, so that the script exits
}
