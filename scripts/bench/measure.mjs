// Measures cases in Node.js or in a page, whichever runs this: both engines in turn, round by round, so that a machine
// that slows down slows both.

import { cases } from './cases.mjs';

const roundMilliseconds = 150;

async function onnxSession(ort, model, inputs, threads) {
  const session = await ort.InferenceSession.create(model, {
    executionProviders: ['wasm'],
    graphOptimizationLevel: 'all',
    intraOpNumThreads: threads,
  });
  const feeds = Object.fromEntries(
    Object.entries(inputs).map(([name, { data, shape }]) => [name, new ort.Tensor('float32', data, shape)]),
  );
  return { run: async () => (await session.run(feeds)).output, dispose: () => session.release() };
}

/** The largest difference, as a share of the largest value. */
function difference(a, b) {
  let largest = 0;
  let scale = 0;
  for (let i = 0; i < a.length; i++) {
    largest = Math.max(largest, Math.abs(a[i] - b[i]));
    scale = Math.max(scale, Math.abs(b[i]));
  }
  return largest / scale;
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function timeOf(side, repeats) {
  const start = performance.now();
  for (let i = 0; i < repeats; i++) await side.run();
  return (performance.now() - start) / repeats;
}

/** Milliseconds a call: median and spread over the rounds of each side, and the median of the rounds' ratios. */
async function compare(ours, theirs, rounds) {
  const sides = [ours, theirs];
  const repeats = [];
  for (const side of sides) {
    await side.run();
    repeats.push(Math.max(1, Math.round(roundMilliseconds / (await timeOf(side, 2)))));
  }
  const times = [[], []];
  for (let round = 0; round < rounds; round++) {
    for (const [i, side] of sides.entries()) times[i].push(await timeOf(side, repeats[i]));
  }
  const [mine, other] = times.map((t) => ({ median: median(t), min: Math.min(...t), max: Math.max(...t) }));
  return { ours: mine, theirs: other, ratio: median(times[1].map((t, i) => t / times[0][i])) };
}

/** Runs every case whose name holds `only`; `report` gets each result as it is there. */
export async function measure({ createEngine, ort, threads, simd, rounds, only, report }) {
  const engine = await createEngine({ threads, simd });
  ort.env.wasm.numThreads = threads;
  const { variant } = engine.info;
  for (const makeCase of cases) {
    const { name, flops, inputs, onnx, ours } = makeCase();
    if (only && !name.includes(only)) continue;
    const mine = await ours(engine, inputs);
    const theirs = await onnxSession(ort, onnx(), inputs, threads);
    const departs = difference((await mine.run()).data, (await theirs.run()).data);
    if (!(departs < 1e-3))
      throw new Error(`${name}: the engines disagree by ${departs} of the largest value`);
    const result = await compare(mine, theirs, rounds);
    report({
      name,
      threads: engine.info.threads,
      variant,
      gflops: flops / result.ours.median / 1e6,
      departs,
      ...result,
    });
    await mine.dispose();
    await theirs.dispose();
  }
  await engine.dispose();
}
