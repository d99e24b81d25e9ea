// npm run bench:texts [-- --other DIST]
// Whole texts through the bundled model: as a document, as an array of its paragraphs, and with an alignment; with one thread and with
// two, in a worker. "caller" is how long the caller's thread is busy meanwhile. With another build's dist both take turns.

import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { randomNumbers } from '../../tests/lib/random.mjs';
import { runMain, say } from '../lib/console.mjs';
import { median } from './timing.mjs';

const rounds = 5;
const words = [
  ['The old man', 'My sister', 'A small dog', 'The teacher', 'Our neighbour', 'The child'],
  ['reads', 'sees', 'buys', 'likes', 'finds', 'opens', 'wants'],
  ['a red book', 'the big house', 'an apple', 'the green door', 'the letter', 'two birds'],
  ['in the garden', 'every day', 'with her friend', 'near the school', 'because it is late'],
];

/** Paragraphs of five sentences. */
function paragraphsOf(sentences) {
  const { below } = randomNumbers(1);
  const pick = (list) => list[below(list.length)];
  const sentence = () => `${words.map(pick).join(' ')}.`;
  return Array.from({ length: sentences / 5 }, () => Array.from({ length: 5 }, sentence).join(' '));
}

async function open(dist, threads) {
  const { createEngine, loadModel } = await import(resolve(dist, 'index.js'));
  const { default: enFr } = await import(resolve(dist, 'en_fr.js'));
  const engine = await createEngine({ threads, worker: true });
  return { engine, model: await loadModel(enFr, { engine }) };
}

async function timed(work) {
  const [begin, before] = [performance.now(), performance.eventLoopUtilization()];
  await work();
  return [performance.now() - begin, performance.eventLoopUtilization(before).active];
}

await runMain(async () => {
  const { values } = parseArgs({
    options: { other: { type: 'string' }, sentences: { type: 'string', default: '2000' } },
  });
  const paragraphs = paragraphsOf(Number(values.sentences));
  const works = {
    document: (model) => model.translate(paragraphs.join('\n\n')),
    array: (model) => model.translate(paragraphs),
    aligned: (model) => model.translate(paragraphs.join('\n\n'), { alignment: true }),
  };
  const dists = ['dist', ...(values.other ? [values.other] : [])];
  for (const threads of [1, 2]) {
    const sides = await Promise.all(dists.map(async (dist) => ({ dist, ...(await open(dist, threads)) })));
    for (const [name, work] of Object.entries(works)) {
      const times = sides.map(() => []);
      for (let round = 0; round <= rounds; round++)
        for (const [i, { model }] of sides.entries()) times[i].push(await timed(() => work(model)));
      for (const [i, { dist }] of sides.entries()) {
        const [all, caller] = [0, 1].map((part) => median(times[i].slice(1).map((time) => time[part])));
        say(
          `${name.padEnd(9)} ${threads} threads  ${all.toFixed(0).padStart(6)} ms  caller ${caller.toFixed(0).padStart(5)} ms  ${dist}`,
        );
      }
    }
    for (const { model, engine } of sides) {
      await model.dispose();
      await engine.dispose();
    }
  }
});
