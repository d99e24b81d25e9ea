// Compares with bergamot-translator on the same files: node scripts/bench/students.mjs [--size tiny] [--batch 16] [--rounds 5].
// Words a second of both sides, each round one after the other; the ratio is that of the medians.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createEngine, loadModel } from '../../dist/index.js';
import { run, runMain, say, step } from '../lib/console.mjs';
import { sentences, sizes, studentFiles } from './students/files.mjs';
import { median } from './timing.mjs';

const here = dirname(fileURLToPath(import.meta.url));

const { values } = parseArgs({
  options: {
    size: { type: 'string', multiple: true, default: Object.keys(sizes) },
    batch: { type: 'string', multiple: true, default: ['1', '16'] },
    rounds: { type: 'string', default: '5' },
    threads: { type: 'string', multiple: true, default: ['1', '2'] },
    texts: { type: 'string', default: '32' },
  },
});

async function install() {
  if (existsSync(join(here, 'node_modules/@browsermt/bergamot-translator'))) return;
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  await step('Installing the engine to compare with', () => run('npm', args, { cwd: here }));
}

async function oursOf(files, threads) {
  const engine = await createEngine({ threads });
  const config = 'models: [model.xxyy.intgemm.alphas.bin]\nvocabs: [vocab.xxyy.spm]\n';
  const options = 'shortlist: [lex.50.50.xxyy.s2t.bin, false]\nmax-length-factor: 1\n';
  const all = new Map(files).set('config.yml', new TextEncoder().encode(config + options));
  const model = await loadModel(all, { engine });
  const translate = async (texts) => (await model.generate(texts)).map(({ sequences }) => sequences[0].text);
  return {
    name: `ours, ${engine.info.threads} thread(s), ${engine.info.simd}`,
    translate,
    dispose: () => engine.dispose(),
  };
}

async function secondsOf(translate, texts, batch) {
  const begin = performance.now();
  for (let i = 0; i < texts.length; i += batch) await translate(texts.slice(i, i + batch));
  return (performance.now() - begin) / 1000;
}

async function compare(size) {
  const { openBergamot } = await import('./rivals/bergamot.mjs');
  const files = studentFiles(size);
  const texts = sentences(Number(values.texts));
  const words = texts.reduce((sum, text) => sum + text.split(' ').length, 0);
  const rival = { name: 'bergamot', translate: await openBergamot(files), dispose: () => {} };
  const ours = await Promise.all(values.threads.map((threads) => oursOf(files, Number(threads))));
  const sides = [rival, ...ours];
  for (const { translate } of sides) await translate(texts.slice(0, 2));
  for (const batch of values.batch.map(Number)) {
    const seconds = sides.map(() => []);
    for (let round = 0; round < Number(values.rounds); round++)
      for (const [i, { translate }] of sides.entries())
        seconds[i].push(await secondsOf(translate, texts, batch));
    const slowest = median(seconds[0]);
    for (const [i, { name }] of sides.entries()) {
      const own = median(seconds[i]);
      const spread = (Math.max(...seconds[i]) - Math.min(...seconds[i])) / 2 / own;
      const speed = `${Math.round(words / own)} words/s ± ${Math.round(100 * spread)} %`;
      say(`${size}, ${batch} a call, ${name}: ${speed}, ${(slowest / own).toFixed(2)} times bergamot`);
    }
  }
  for (const { dispose } of sides) await dispose();
}

await runMain(async () => {
  await install();
  for (const size of values.size) await compare(size);
});
