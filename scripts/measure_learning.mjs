// node scripts/measure_learning.mjs
// Trains each model of the page's "Watch it learn", whole and with a part left out, as the page does with its first seed, and writes what
// came of it into web/src/views/learn/measured.json. On one thread, about two minutes. The page shows these numbers and reaches them, too:
// the same seed gives the same bits.

import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createTrainer } from '../dist/train.js';
import { runMain, say } from './lib/console.mjs';
import { pageModule } from './lib/page_module.mjs';

const file = fileURLToPath(new URL('../web/src/views/learn/measured.json', import.meta.url));

/** A step that tests can reach, to see whether what was measured is still so. */
const early = 5;

/**
 * How sure it is of where to look before it has learned anything, the loss of an early batch and of the last, how many of the examples
 * kept apart are right, and from which step on 99 % of them were.
 */
async function measure({ Learner, largestOf }, variant, { steps, hasEncoder, kept }) {
  const learner = await Learner.open(createTrainer, variant, { seed: 1 });
  try {
    await learner.keep(null);
    // With an encoder, among the words that it was given.
    const largest = largestOf(learner.look, hasEncoder ? kept[0].prompt.length : learner.look.columns);
    const begin = performance.now();
    while (learner.losses.length < steps) await learner.step(null);
    const seconds = (performance.now() - begin) / 1000;
    const { right, byHeart, fixed } = learner.moments.at(-1);
    const of = kept.length;
    const learnedAt = learner.moments.find((moment) => moment.right >= 0.99 * of)?.step ?? null;
    say(
      `${variant.task} without ${variant.without}: loss ${learner.losses.at(-1).toFixed(4)}, ${right} of ${of} right, 99 % at step ${learnedAt}, ${seconds.toFixed(1)} s, ${learner.parameterCount} parameters, the first: ${fixed.isRight}`,
    );
    return {
      right,
      ...(byHeart !== null && { byHeart }),
      largest: Number(largest.toFixed(4)),
      early: learner.losses[early - 1],
      loss: Number(learner.losses.at(-1).toPrecision(6)),
      learnedAt,
    };
  } finally {
    await learner.dispose();
  }
}

await runMain(async () => {
  const code = {
    ...(await pageModule('views/learn/learner.ts')),
    ...(await pageModule('views/learn/compute.ts')),
  };
  const { tasks, variants } = await pageModule('views/learn/variants.ts');
  const measured = {};
  for (const [task, about] of Object.entries(tasks)) {
    measured[task] = {};
    for (const without of variants) measured[task][without] = await measure(code, { task, without }, about);
  }
  await writeFile(file, `${JSON.stringify(measured, null, 2)}\n`);
});
