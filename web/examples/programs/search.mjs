// node search.mjs sentences.txt "pets" owner/name: the five lines of a file that are nearest in meaning.
import { readFile } from 'node:fs/promises';
import { loadModel, similarity } from 'transformer-wasm';

const [file, query, source = 'sentence-transformers/all-MiniLM-L6-v2'] = process.argv.slice(2);
const model = await loadModel(source, { dtype: 'int8' });
const sentences = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim());
const vectors = await model.embed(sentences);
const [best] = similarity(await model.embed(query), vectors, { topK: 5 });
for (const { index, score } of best) console.log(score.toFixed(3), sentences[index]);
await model.dispose();
