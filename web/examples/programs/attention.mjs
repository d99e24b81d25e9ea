// node attention.mjs "The red car is big." attention.svg: which words of a sentence its translation looked at.
import { writeFile } from 'node:fs/promises';
import { attentionSvg, loadModel } from 'transformer-wasm';
import enFr from 'transformer-wasm/en-fr';

const [text, file = 'attention.svg'] = process.argv.slice(2);
const model = await loadModel(enFr);
const translation = await model.translate(text, { outputAttentions: true });
await writeFile(file, await attentionSvg(translation, { kind: 'cross' }));
console.log(translation.text);
await model.dispose();
