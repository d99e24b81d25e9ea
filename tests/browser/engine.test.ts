// What must hold in every page: results are the same wherever the engine runs, and it ends when told to.

import { afterEach, expect, test } from 'vitest';
import { relaxedSimd } from 'wasm-feature-detect';
import {
  createEngine,
  type Engine,
  type EngineOptions,
  type Tensor,
  TransformerError,
} from '../../dist/index.js';
import examples from '../fixtures/reference/worked-examples/examples.json';
import { int4Product } from '../lib/int4_twin.mjs';
import { int8Product } from '../lib/int8_twin.mjs';

const hasRelaxedSimd = await relaxedSimd(); // not in WebKitGTK
const engines: Engine[] = [];

async function create(options?: EngineOptions): Promise<Engine> {
  const engine = await createEngine(options);
  engines.push(engine);
  return engine;
}

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.dispose()));
});

function expectClose(actual: Tensor | undefined, expected: readonly (readonly number[])[]) {
  const flat = expected.flat();
  expect(actual?.data.length).toBe(flat.length);
  const worst = flat.reduce(
    (most, value, i) => Math.max(most, Math.abs(value - (actual?.data[i] ?? Number.NaN))),
    0,
  );
  expect(worst).toBeLessThan(1e-5);
}

for (const options of [
  {},
  { worker: false },
  { simd: 'simd128' },
  { simd: 'relaxed' },
  { threads: 1 },
] as const) {
  const isThere = !('simd' in options) || options.simd !== 'relaxed' || hasRelaxedSimd;
  test.skipIf(!isThere)(`a worked example, with ${JSON.stringify(options)}`, async () => {
    const engine = await create(options);
    const { inputs, W_Q, W_K, W_V, weights, output } = examples.four_inputs_seed25;
    const [query, key, value] = await Promise.all([
      engine.matmul(inputs, W_Q),
      engine.matmul(inputs, W_K),
      engine.matmul(inputs, W_V),
    ]);
    const result = await engine.scaledDotProductAttention(query, key, value, { needWeights: true });
    expectClose(result.weights, weights);
    expectClose(result.output, output);
  });
}

test('an engine runs in a worker by default', async () => {
  const engine = await create();
  expect(engine.info.worker).toBe(true);
  expect(engine.info.heapBytes).toBeGreaterThan(0);
  const here = await create({ worker: false });
  expect(here.info.worker).toBe(false);
  expect(here.info.threads).toBe(1);
});

test('a transformer gives the same bits in a worker, in the page, and for any number of threads', async () => {
  const config = { dModel: 48, numHeads: 4, numEncoderLayers: 2, numDecoderLayers: 2, vocabSize: 30 };
  const results = [];
  for (const options of [{}, { worker: false }, { threads: 1 }, { threads: 3 }]) {
    const engine = await create(options);
    const model = await engine.transformer(config, { seed: 5 });
    const { logits } = await model.forward([[1, 2, 3, 4]], [[5, 6, 7]]);
    expect(logits?.shape).toEqual([1, 3, 30]);
    results.push([...(logits?.data ?? [])]);
    await model.dispose();
  }
  for (const result of results) expect(result).toEqual(results[0]);
});

// Which instructions a browser takes for the dot products of relaxed SIMD depends on the machine.
for (const simd of ['simd128', 'relaxed'] as const)
  test.skipIf(simd === 'relaxed' && !hasRelaxedSimd)(
    `products in integers are exact, with ${simd}`,
    async () => {
      const engine = await create({ simd });
      for (const [rows, into, out] of [
        [1, 70, 600],
        [2, 96, 33],
        [9, 515, 17],
      ] as const) {
        const weight = range(out, into);
        const x = range(rows, into);
        const resultOf = async (dtype: 'int8' | 'int4') => {
          const layer = await engine.linear({ dtype }, { weight });
          const { data } = await layer.forward(x);
          await layer.dispose();
          return data;
        };
        expect(await resultOf('int4')).toEqual(int4Product(x, weight).data);
        // Activations have 16 bits where relaxed SIMD's dot product is absent or wrong.
        const bits = simd === 'relaxed' ? [7, 16] : [16];
        expect(bits.map((count) => int8Product(x, weight, count).data)).toContainEqual(
          await resultOf('int8'),
        );
      }
    },
  );

/** Makes small calls until a second instance, in the page, answers them. */
async function findNearby(engine: Engine) {
  const { memoryBytes } = engine.info;
  await expect
    .poll(
      async () => {
        await engine.softmax([[1, 2]]);
        return engine.info.memoryBytes;
      },
      { timeout: 10_000 },
    )
    .toBeGreaterThan(memoryBytes);
}

const range = (...shape: number[]) => {
  const length = shape.reduce((product, size) => product * size, 1);
  return { data: Float32Array.from({ length }, (_, i) => Math.sin(i)), shape };
};

test('small calls are answered in the page, with the same bits, while the worker is busy', async () => {
  const engine = await create();
  const here = await create({ worker: false });
  await findNearby(engine);
  const large = range(1500, 1500); // some tenths of a second
  for (const [query, key, value] of [
    [range(1, 16), range(3, 16), range(3, 5)],
    [range(8, 20, 64), range(8, 20, 64), range(8, 20, 64)],
  ] as const) {
    const expected = await here.scaledDotProductAttention(query, key, value);
    let isReady = false;
    const waiting = engine.matmul(large, large).then(() => {
      isReady = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const result = await engine.scaledDotProductAttention(query, key, value);
    expect(isReady).toBe(false);
    expect(result).toEqual(expected);
    await waiting;
  }
});

test('a page that awaits one small call after the other goes on to hear of other things', async () => {
  const engine = await create();
  await findNearby(engine);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  // A page that has no turn hears of none. How often it has one is up to the browser: Firefox may take 400 ms for five.
  for (const end = performance.now() + 3000; ticks < 5 && performance.now() < end; )
    await engine.softmax([[1, 2]]);
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(4);
});

test('large calls alone start no second instance', async () => {
  const engine = await create();
  const { memoryBytes } = engine.info;
  const large = range(300, 300);
  for (let i = 0; i < 10; i++) await engine.matmul(large, large);
  expect(engine.info.memoryBytes).toBe(memoryBytes);
});

test('a bad argument is rejected by name, and the engine keeps working', async () => {
  const engine = await create();
  const refused = await engine.matmul([[1, 2]], [[1, 2]]).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(TransformerError);
  expect(refused).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining('a and b') });
  expect((await engine.softmax([[5, 5]])).tolist()).toEqual([[0.5, 0.5]]);
});

test('calls that are pending at dispose, and later ones, reject with disposed', async () => {
  const engine = await create();
  const waiting = engine.transformer({ dModel: 64, numHeads: 2 }, { seed: 1 });
  const outcome = expect(waiting).rejects.toMatchObject({ code: 'disposed' });
  await engine.dispose();
  await engine.dispose();
  await outcome;
  await expect(engine.softmax([1])).rejects.toMatchObject({ code: 'disposed' });
});

test('an abort during loading rejects with its reason', async () => {
  const controller = new AbortController();
  const creating = createEngine({ signal: controller.signal });
  const reason = new Error('changed my mind');
  const outcome = expect(creating).rejects.toBe(reason);
  controller.abort(reason);
  await outcome;
});

test.for([true, false])('a file that is not there is named (worker: %s)', async (worker) => {
  // Like many servers of single-page apps, the test server answers unknown URLs with a page.
  const wasmUrl = '/nowhere/engine.wasm';
  await expect(createEngine({ threads: 1, worker, wasmUrl })).rejects.toMatchObject({
    code: 'missing_file',
    message: expect.stringContaining(new URL(wasmUrl, location.href).href),
  });
  await expect(createEngine({ threads: 1, worker, wasmUrl: '/nowhere/' })).rejects.toMatchObject({
    code: 'missing_file',
    message: expect.stringContaining(worker ? '/nowhere/worker.js' : '/nowhere/transformer-'),
  });
});

test('callers keep their arrays', async () => {
  const engine = await create();
  const data = Float32Array.of(1, 2, 3, 4);
  await engine.softmax({ data, shape: [2, 2] });
  expect([...data]).toEqual([1, 2, 3, 4]);
});

/** Replaces the page's Worker during `work`. */
async function withWorker(replacement: typeof Worker, work: () => Promise<void>) {
  const original = globalThis.Worker;
  globalThis.Worker = replacement;
  try {
    await work();
  } finally {
    globalThis.Worker = original;
  }
}

test('a dying worker rejects all pending calls', async () => {
  const started: Worker[] = [];
  class Watched extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      started.push(this);
    }
  }
  await withWorker(Watched, async () => {
    const engine = await create();
    const waiting = [engine.softmax([[1, 2]]), engine.matmul([[1]], [[2]])];
    started[0]?.dispatchEvent(new ErrorEvent('error', { message: 'out of luck' }));
    for (const result of await Promise.allSettled(waiting)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'internal' } });
    }
    await expect(engine.softmax([[1]])).rejects.toThrow('out of luck');
    await engine.dispose();
  });
});

test('if no worker can be started, the engine runs in the page and says so', async () => {
  class Forbidden extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(new URL('data:text/javascript,throw new Error("forbidden")', url), options);
    }
  }
  await withWorker(Forbidden, async () => {
    const engine = await create();
    expect(engine.info.worker).toBe(false);
    expect(engine.info.notes.at(-1)).toContain('worker could not be started');
    expect((await engine.softmax([[5, 5]])).tolist()).toEqual([[0.5, 0.5]]);
    await expect(createEngine({ worker: true })).rejects.toMatchObject({ code: 'unsupported' });
  });
});
