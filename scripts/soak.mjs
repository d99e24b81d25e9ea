// Loads and generates for a long time and watches the memory: node --expose-gc scripts/soak.mjs [--loads N] [--generations N] [--engines N]
// 1000 loads, each disposed, and 10000 generations in one model. Fails where the heap of the engine, its memory or the
// JavaScript heap has grown once the first tenth is over. Engines of every kind are made and disposed, 50 of each, in Node.js and
// in Chromium, whose processes may not grow. Then Chromium's engine is filled to the last page of its 4 GB, of which
// it writes to about 0.5 GB.

import { parseArgs } from 'node:util';
import { createEngine, loadModel } from '../dist/index.js';
import { bytesOfTurn, engineKinds, growthInNode } from '../tests/lib/engine_turns.mjs';
import { growthInChromium } from '../tests/lib/engine_turns_chromium.mjs';
import { tinyModel } from '../tests/lib/tiny_model.mjs';
import { runUnwatched } from '../tests/lib/unwatched_page.mjs';
import { ExpectedError, runMain, say, step } from './lib/console.mjs';

/** Growth of the JavaScript heap that its collector accounts for. */
const slack = 8e6;

async function fillBrowser() {
  for (const threads of [1, 2]) {
    const filled = await runUnwatched(
      async (_, options) => {
        const library = await import('/dist/index.js');
        const { fillMemory } = await import('/tests/lib/full_memory.mjs');
        return fillMemory(library, options);
      },
      { threads },
    );
    say(`    ${threads} threads: ${filled.layers} layers as before in ${filled.memoryBytes} bytes`);
  }
}

/** Engines of every kind, made and disposed: the memory of the process. */
async function turnAllEngines(turns) {
  const node = [];
  for (const kind of engineKinds)
    node.push({ kind, grown: await growthInNode({ createEngine }, turns, kind) });
  for (const [where, grown] of Object.entries({ node, chromium: await growthInChromium(turns) })) {
    for (const { kind, grown: bytes } of grown) {
      say(`    ${where}, ${JSON.stringify(kind)}: grown by ${bytes} bytes`);
      if (bytes > 10 * bytesOfTurn) throw new ExpectedError('Engines that were disposed hold memory.');
    }
  }
}

async function main() {
  const { values } = parseArgs({
    options: {
      loads: { type: 'string', default: '1000' },
      generations: { type: 'string', default: '10000' },
      engines: { type: 'string', default: '50' },
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
  await step(`${values.engines} engines of each kind`, () => turnAllEngines(Number(values.engines)));
  await step('The last page of the memory, in Chromium', fillBrowser);
}

await runMain(main);
