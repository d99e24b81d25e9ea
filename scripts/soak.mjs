// Loads and generates for a long time and watches the memory: node --expose-gc scripts/soak.mjs [--loads N] [--generations N]
// 1000 loads, each disposed, and 10000 generations in one model. Fails where the heap of the engine, its memory or the
// JavaScript heap has grown once the first tenth is over.

import { parseArgs } from 'node:util';
import { createEngine, loadModel } from '../dist/index.js';
import { tinyModel } from '../tests/lib/tiny_model.mjs';
import { ExpectedError, runMain, say, step } from './lib/console.mjs';

/** Growth of the JavaScript heap that its collector accounts for. */
const slack = 8e6;

async function main() {
  const { values } = parseArgs({
    options: {
      loads: { type: 'string', default: '1000' },
      generations: { type: 'string', default: '10000' },
    },
  });
  const engine = await createEngine({ threads: 2 });
  const files = tinyModel();
  const use = () => {
    globalThis.gc?.();
    const { heapBytes, memoryBytes } = engine.info;
    return { heapBytes, memoryBytes, javascript: process.memoryUsage().heapUsed };
  };
  const repeat = async (what, count, work) => {
    await step(`${count} ${what}`, async () => {
      const warm = Math.max(1, Math.floor(count / 10));
      for (let i = 0; i < warm; i++) await work(i);
      const before = use();
      for (let i = warm; i < count; i++) await work(i);
      const after = use();
      const grown = Object.keys(after).map((name) => [name, after[name] - before[name]]);
      const tooMuch = grown.filter(([name, bytes]) => bytes > (name === 'javascript' ? slack : 0));
      say(`    grown: ${grown.map(([name, bytes]) => `${name} ${bytes}`).join(', ')}`);
      if (tooMuch.length > 0) throw new ExpectedError(`Memory grows: ${tooMuch.join('; ')}`);
    });
  };
  await repeat('loads', Number(values.loads), async () => {
    const model = await loadModel(files, { engine });
    await model.dispose();
  });
  const model = await loadModel(files, { engine });
  const ways = [{}, { numBeams: 3 }, { doSample: true }, { outputAttentions: true }];
  await repeat('generations', Number(values.generations), (i) =>
    model.generate('the cat sat on the mat', {
      maxNewTokens: 1 + (i % 7),
      seed: i,
      ...ways[i % ways.length],
    }),
  );
  await model.dispose();
  await engine.dispose();
}

await runMain(main);
