/** Measures the engine on this machine, row by row, with one thread and with all. */

import { createEngine, type Engine, loadModel, type ProfiledPass, Tensor } from 'transformer-wasm';
import { words } from '../words/words.js';
import { limitOf, median, type Work } from './limits.js';
import { type Limits, type Precision, precisions, type RowName, threadsText } from './report.js';
import { filesOf, randomNumbers, type Sizes } from './weights.js';

export interface Step {
  /** The thread count or the row that comes next. */
  readonly next: { readonly threads: number; readonly row?: RowName; readonly precision?: Precision };
  readonly done: number;
  readonly all: number;
}

export type Finding =
  | {
      readonly kind: 'engine';
      readonly version: string;
      readonly variant: string;
      readonly threads: number;
      readonly notes: readonly string[];
    }
  | { readonly kind: 'limits'; readonly limits: Limits }
  | ({ readonly kind: 'row'; readonly row: RowName; readonly precision: Precision } & Timing);

interface Timing {
  readonly threads: number;
  readonly milliseconds: number;
  readonly ofLimit: number;
}

export interface Settings {
  /** Rounds of each row, of which the median counts. */
  readonly rounds: number;
  readonly onStep: (step: Step) => void;
  readonly signal: AbortSignal;
}

const base: Sizes = {
  dModel: 512,
  heads: 8,
  dFf: 2048,
  encoderLayers: 6,
  decoderLayers: 0,
  vocabulary: 1000,
};
const small: Sizes = {
  dModel: 256,
  heads: 8,
  dFf: 1024,
  encoderLayers: 6,
  decoderLayers: 2,
  vocabulary: 8000,
};
const tokens = 64;

/** How long a round computes, in milliseconds. */
const roundMilliseconds = 100;

/** Half of the smallest second-level caches, for each thread; and more than any cache, but not all of a phone's memory. */
const [near, far] = [2 ** 18, 2 ** 26];

const plan: readonly { readonly row: RowName; readonly precision: Precision }[] = [
  { row: 'product', precision: 'f32' },
  { row: 'product', precision: 'int8' },
  { row: 'attention', precision: 'f32' },
  { row: 'encoder', precision: 'f32' },
  { row: 'encoder', precision: 'int8' },
  { row: 'decoding', precision: 'f32' },
  { row: 'decoding', precision: 'int8' },
];

/** @throws TransformerError; the signal's reason */
export async function* measureAll(settings: Settings): AsyncGenerator<Finding> {
  const first = await createEngine();
  const { threads: most, version, variant, notes } = first.info;
  await first.dispose();
  yield { kind: 'engine', version, variant, threads: most, notes };
  const counts = most > 1 ? [1, most] : [1];
  const all = counts.length * (plan.length + 1);
  let done = 0;
  for (const threads of counts) {
    const engine = await createEngine({ threads });
    try {
      settings.onStep({ next: { threads }, done: done++, all });
      const limits = await limitsOf(engine, threads);
      yield { kind: 'limits', limits };
      for (const { row, precision } of plan) {
        settings.onStep({ next: { threads, row, precision }, done: done++, all });
        const timing = await timings[row]({ engine, limits, precision, ...settings });
        settings.signal.throwIfAborted();
        yield { kind: 'row', row, precision, threads, ...timing };
      }
    } finally {
      await engine.dispose();
    }
  }
}

async function limitsOf(engine: Engine, threads: number): Promise<Limits> {
  const [distant, close] = [
    await engine.machineLimits({ bytes: far }),
    await engine.machineLimits({ bytes: near * threads }),
  ];
  return {
    threads,
    flopsPerSecond: Math.max(distant.flopsPerSecond, close.flopsPerSecond),
    bytesPerSecond: distant.bytesPerSecond,
    nearBytesPerSecond: Math.max(distant.bytesPerSecond, close.bytesPerSecond),
  };
}

interface Task extends Settings {
  readonly engine: Engine;
  readonly limits: Limits;
  readonly precision: Precision;
}

type Time = (task: Task) => Promise<Omit<Timing, 'threads'>>;

const randomTensor = (...shape: number[]) =>
  new Tensor(
    randomNumbers(
      shape.reduce((all, size) => all * size),
      1,
    ),
    shape,
  );

const product: Time = async (task) => {
  const [rows, inFeatures, outFeatures] = [64, 512, 2048];
  const layer = await task.engine.linear(
    { inFeatures, outFeatures, bias: false, dtype: task.precision },
    { weight: randomTensor(outFeatures, inFeatures) },
  );
  try {
    const x = randomTensor(rows, inFeatures);
    return await timeOf(task, () => layer.forward(x), {
      flops: 2 * rows * inFeatures * outFeatures,
      weightBytes: bytesOf(task.precision) * inFeatures * outFeatures,
      stateBytes: 4 * rows * (inFeatures + outFeatures),
    });
  } finally {
    await layer.dispose();
  }
};

const attention: Time = (task) => {
  const [heads, time, width] = [8, 512, 64];
  const [q, k, v] = [1, 2, 3].map(() => randomTensor(heads, time, width)) as [Tensor, Tensor, Tensor];
  return timeOf(task, () => task.engine.scaledDotProductAttention(q, k, v), {
    flops: 4 * heads * time * time * width,
    weightBytes: 0,
    stateBytes: 4 * 4 * heads * time * width,
  });
};

const bytesOf = (precision: Precision) => (precision === 'int8' ? 1 : 4);

/** The time of a call, with its way to the engine's worker and back. */
async function timeOf({ engine, rounds, limits, signal }: Task, run: () => Promise<unknown>, work: Work) {
  const once = async (repeats: number) => {
    const begin = performance.now();
    for (let i = 0; i < repeats; i++) await run();
    return (performance.now() - begin) / repeats;
  };
  await run(); // compiles what is not compiled yet
  const repeats = Math.max(1, Math.round(roundMilliseconds / Math.max(0.01, await once(1))));
  await once(repeats);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    signal.throwIfAborted();
    times.push(await once(repeats));
  }
  const milliseconds = median(times);
  return shareOf({ engine, limits }, [work], milliseconds);
}

/** Weights are read as fast as a buffer of their size: small ones stay in a cache. */
async function shareOf(
  { engine, limits }: Pick<Task, 'engine' | 'limits'>,
  parts: readonly Work[],
  milliseconds: number,
) {
  const bytes = parts.reduce((sum, { weightBytes }) => sum + weightBytes, 0);
  const size = Math.min(far, Math.max(near * limits.threads, Math.ceil(bytes)));
  const { bytesPerSecond } = await engine.machineLimits({ bytes: size });
  return { milliseconds, ofLimit: limitOf(parts, { ...limits, bytesPerSecond }) / milliseconds };
}

/** A pass of a model, as the engine's own profile has it. */
const passOf =
  (sizes: Sizes, name: ProfiledPass['name']): Time =>
  async ({ engine, precision, rounds, limits, signal }) => {
    const model = await loadModel(filesOf(sizes), { engine, dtype: precision, signal });
    try {
      await model.profile({ tokens, rounds: 1, signal });
      const pass = (await model.profile({ tokens, rounds, signal })).find((one) => one.name === name);
      if (!pass) throw new Error(`the model has no ${name}`);
      return await shareOf({ engine, limits }, pass.parts, pass.milliseconds);
    } finally {
      await model.dispose();
    }
  };

const timings: Readonly<Record<RowName, Time>> = {
  product,
  attention,
  encoder: passOf(base, 'encoder'),
  decoding: passOf(small, 'step'),
};

/** A step in words, for the progress. */
export const stepText = (
  { next: { threads, row, precision } }: Step,
  names: Readonly<Record<RowName, string>>,
) =>
  `${row ? names[row] : words.speed.limits}${words.marks.comma}${precision ? precisions[precision] + words.marks.comma : ''}${threadsText(threads)}`;
