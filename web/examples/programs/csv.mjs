// node csv.mjs reviews.csv labels.csv owner/name: the first column of a CSV, classified, with the label as a new last column.
import { readFile, writeFile } from 'node:fs/promises';
import { loadModel, settleEach } from 'transformer-wasm';

const [input, output, source] = process.argv.slice(2);
const model = await loadModel(source);
const [header, ...rows] = (await readFile(input, 'utf8')).trimEnd().split(/\r?\n(?=(?:[^"]*"[^"]*")*[^"]*$)/);
const first = (row) => row.match(/^(?:"((?:[^"]|"")*)"|([^,]*))/).slice(1).join('').replaceAll('""', '"');

const onProgress = ({ done, failed, total }) =>
  process.stderr.write(`\r${done} of ${total} rows, ${failed} without a label`);
const labels = [];
for await (const { value } of settleEach(rows.map(first), (texts) => model.classify(texts), { onProgress }))
  labels.push(value?.[0].label ?? ''); // an empty cell has none, and costs no other row its label
process.stderr.write('\n');

await writeFile(output, [`${header},label`, ...rows.map((row, i) => `${row},${labels[i]}`), ''].join('\n'));
await model.dispose();
