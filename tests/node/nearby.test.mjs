// Small calls to an engine in a worker are answered by a second instance, in the caller's thread.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Core } from '../../build/modules/engine/core.js';
import { createEngine } from '../../build/modules/index.js';
import { TransformerError } from '../../build/modules/values/errors.js';
import { assertHeap } from '../lib/heap.mjs';
import { randomNumbers } from '../lib/random.mjs';

const { normal } = randomNumbers(11);
const random = (...shape) => ({
  data: Float32Array.from({ length: shape.reduce((product, length) => product * length, 1) }, normal),
  shape,
});

/** The kinds of the messages to workers during `work`. */
async function messagesIn(work) {
  const { postMessage } = Worker.prototype;
  const kinds = [];
  Worker.prototype.postMessage = function post(message, ...rest) {
    kinds.push(message.kind);
    return postMessage.call(this, message, ...rest);
  };
  try {
    await work();
  } finally {
    Worker.prototype.postMessage = postMessage;
  }
  return kinds;
}

const nextTask = () => new Promise((resolve) => setImmediate(resolve));

/** Makes small calls until one finds the second instance; `false` if none does. */
async function findNearby(engine, calls = 300) {
  const { memoryBytes } = engine.info;
  for (let i = 0; i < calls && engine.info.memoryBytes === memoryBytes; i++) {
    await engine.softmax([[1, 2]]);
    await nextTask();
  }
  await nextTask();
  return engine.info.memoryBytes > memoryBytes;
}

const [queries, keys, values] = [random(2, 5, 12), random(2, 7, 12), random(2, 7, 9)];
const [weight, bias, matrix, W, wide, v] = [[12], [12], [12, 33], [6, 12], [6, 24], [6]].map((shape) =>
  random(...shape),
);

const blocks = [
  (engine) => engine.softmax(keys),
  (engine) => engine.layerNorm(keys, { weight, bias }),
  (engine) => engine.rmsNorm(keys, { weight }),
  (engine) => engine.matmul(queries, matrix),
  (engine) => engine.rotaryEmbedding(keys, { offset: 3 }),
  (engine) => engine.positionalEncoding(9, 16),
  (engine) => engine.alibiBias(4, 5, 6),
  (engine) => engine.scaledDotProductAttention(queries, keys, values, { isCausal: true, needWeights: true }),
  (engine) => engine.additiveAttention(queries, keys, { Ws: W, Wh: W, v, bias: v, values }),
  (engine) => engine.luongAttention(queries, keys, { score: 'concat', W: wide, v }),
];

const layerConfig = { dModel: 12, numHeads: 3, dFf: 20 };
const [memory, vectors, picture] = [random(2, 4, 12), random(3, 33), random(1, 3, 4, 4)];

/** How layers are made, and passes of them. */
const layers = {
  linear: [(engine) => engine.linear({ weight: matrix, bias }), (layer) => layer.forward(vectors)],
  'linear, int8': [
    (engine) => engine.linear({ inFeatures: 33, outFeatures: 5, dtype: 'int8' }, { seed: 5 }),
    (layer) => layer.forward(vectors),
  ],
  feedForward: [(engine) => engine.feedForward(layerConfig, { seed: 1 }), (layer) => layer.forward(queries)],
  multiHeadAttention: [
    (engine) => engine.multiHeadAttention(layerConfig, { seed: 2 }),
    (layer) => layer.forward(queries, memory, memory, { needWeights: true }),
  ],
  encoderLayer: [
    (engine) => engine.encoderLayer(layerConfig, { seed: 3 }),
    (layer) => layer.forward(queries, { isCausal: true }),
  ],
  decoderLayer: [
    (engine) => engine.decoderLayer(layerConfig, { seed: 4 }),
    (layer) =>
      layer.forward(queries, memory, {
        memoryKeyPaddingMask: [
          [1, 1, 1, 0],
          [1, 1, 1, 1],
        ],
      }),
  ],
  gru: [
    (engine) => engine.gru({ inputSize: 12, hiddenSize: 7 }, { seed: 6 }),
    (layer) => layer.forward(queries, { lengths: [5, 2] }),
  ],
  patchEmbedding: [
    (engine) => engine.patchEmbedding({ patchSize: 2, channels: 3, dModel: 6 }, { seed: 7 }),
    (layer) => layer.forward(picture),
  ],
};

/** Calls a small layer until its copy nearby answers; `false` if none does. */
async function findCopy(pass, calls = 300) {
  for (let i = 0; i < calls; i++) {
    const messages = await messagesIn(pass);
    if (messages.length === 0) return true;
    await nextTask();
  }
  return false;
}

/** The calls that the instance nearby answers during `work`. */
async function answersNearbyIn(work) {
  const { answer } = Core.prototype;
  const calls = [];
  Core.prototype.answer = function record(call) {
    calls.push(call);
    return answer.call(this, call);
  };
  try {
    await work();
  } finally {
    Core.prototype.answer = answer;
  }
  return calls;
}

describe('an engine in a worker, with small calls', () => {
  const engines = [];
  const start = async (options) => {
    const engine = await createEngine({ worker: true, ...options });
    engines.push(engine);
    return engine;
  };
  afterEach(() => Promise.all(engines.splice(0).map((engine) => engine.dispose())));

  for (const threads of [1, 2]) {
    test(`a second instance answers them with the same bits; ${threads} in the worker`, async () => {
      const here = await createEngine({ worker: false });
      const engine = await start({ threads });
      assert.ok(await findNearby(engine));
      for (const block of blocks) {
        const expected = await block(here);
        await nextTask();
        const messages = await messagesIn(async () => assert.deepEqual(await block(engine), expected));
        assert.deepEqual(messages, [], `${block}`);
      }
      const outcomes = [here, engine].map((one) => one.matmul(keys, queries).catch((error) => error));
      const [error, same] = await Promise.all(outcomes);
      assert.ok(same instanceof TransformerError);
      assert.deepEqual([same.code, same.message], ['invalid_argument', error.message]);
      await here.dispose();
    });
  }

  for (const [name, [make, pass]] of Object.entries(layers)) {
    test(`a small layer (${name}) is copied, and its copy answers with the same bits`, async () => {
      const here = await createEngine({ worker: false });
      const engine = await start();
      const [expected, layer] = await Promise.all([make(here), make(engine)]);
      const numbers = await pass(expected);
      assert.deepEqual(await pass(layer), numbers);
      assert.ok(await findCopy(() => pass(layer)));
      await nextTask();
      assert.deepEqual(await messagesIn(async () => assert.deepEqual(await pass(layer), numbers)), []);
      const { memoryBytes } = engine.info;
      const calls = await answersNearbyIn(() => layer.dispose());
      assert.deepEqual(
        calls.map(({ kind }) => kind),
        ['release'],
      );
      assert.equal(engine.info.memoryBytes, memoryBytes);
      await assert.rejects(pass(layer), { code: 'disposed' });
      await here.dispose();
    });
  }

  test('a copy has the weights of the layer, whatever happened to the arrays since', async () => {
    const engine = await start();
    const own = random(3, 4);
    const x = random(2, 4);
    const layer = await engine.linear({ weight: own });
    const expected = await layer.forward(x);
    own.data.fill(0);
    assert.ok(await findCopy(() => layer.forward(x)));
    assert.deepEqual(await layer.forward(x), expected);
  });

  test('large layers, many layers, large inputs and transformers are the worker’s', async () => {
    const engine = await start({ threads: 1 });
    assert.ok(await findNearby(engine));
    const large = await engine.linear({ inFeatures: 1300, outFeatures: 1000 }, { seed: 1 });
    assert.equal(await findCopy(() => large.forward(random(1, 1300)), 20), false);
    const config = { dModel: 8, numHeads: 2, dFf: 8, numEncoderLayers: 1, numDecoderLayers: 1 };
    const transformer = await engine.transformer(config, { seed: 1 });
    assert.equal(await findCopy(() => transformer.forward(random(1, 3, 8), random(1, 3, 8)), 20), false);
    await large.dispose();
    const size = { inFeatures: 1000, outFeatures: 1000 };
    const [first, second, , fourth] = await Promise.all(
      Array.from({ length: 4 }, (_, seed) => engine.linear(size, { seed })),
    );
    const x = random(1, 1000);
    assert.ok(await findCopy(() => first.forward(x)));
    assert.equal(await findCopy(() => first.forward(random(40, 1000)), 20), false);
    assert.equal(await findCopy(() => fourth.forward(x), 20), false, 'there is room for 16 MB');
    await second.dispose();
    const fifth = await engine.linear(size, { seed: 5 });
    assert.ok(await findCopy(() => fifth.forward(x)));
  });

  test('a layer may be disposed while it is copied', async () => {
    const engine = await start();
    assert.ok(await findNearby(engine));
    for (let tasks = 0; tasks < 6; tasks++) {
      const layer = await engine.linear({ weight: random(3, 4) });
      const calls = await answersNearbyIn(async () => {
        await layer.forward(random(2, 4));
        for (let i = 0; i < tasks; i++) await (i % 2 ? nextTask() : undefined);
        await layer.dispose();
        for (let i = 0; i < 5; i++) await nextTask();
      });
      const count = (kind) => calls.filter((call) => call.kind === kind).length;
      assert.equal(count('create'), count('release'));
    }
  });

  test('large calls go to the worker, and do not start another instance', async () => {
    const engine = await start();
    const large = random(300, 300);
    const { memoryBytes } = engine.info;
    const messages = await messagesIn(async () => {
      for (let i = 0; i < 12; i++) await engine.matmul(large, large);
    });
    assert.deepEqual(messages, Array(12).fill('call'));
    assert.ok(await findNearby(engine));
    assert.ok(engine.info.memoryBytes > memoryBytes);
    assert.deepEqual(await messagesIn(() => engine.matmul(large, large)), ['call']);
  });

  test('whoever awaits one after the other does not keep timers from running', async () => {
    const engine = await start();
    assert.ok(await findNearby(engine));
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    let calls = 0;
    for (const end = performance.now() + 300; performance.now() < end; calls++) await engine.softmax(keys);
    clearInterval(timer);
    assert.ok(ticks >= 5, `${ticks} ticks in ${calls} calls`);
  });

  test('many at once all have their answers, near or far', async () => {
    const engine = await start();
    assert.ok(await findNearby(engine));
    const numbers = Array.from({ length: 3000 }, (_, i) => i);
    const answers = await Promise.all(numbers.map((i) => engine.matmul([[i]], [[2]])));
    assert.deepEqual(
      answers.map(({ data }) => data[0]),
      numbers.map((i) => 2 * i),
    );
  });

  test('memory: small calls leave nothing behind, and nothing remains after the end', async () => {
    const engine = await start();
    assert.ok(await findNearby(engine));
    for (const block of blocks) await block(engine);
    const { heapBytes, memoryBytes } = engine.info;
    for (let i = 0; i < 500; i++) for (const block of blocks) await block(engine);
    assertHeap(engine, heapBytes);
    assert.equal(engine.info.memoryBytes, memoryBytes);
    await engine.dispose();
    assert.deepEqual([engine.info.heapBytes, engine.info.memoryBytes], [0, 0]);
    await assert.rejects(engine.softmax([1]), { code: 'disposed' });
  });

  test('an engine may end while its second instance starts', async () => {
    for (let calls = 4; calls < 10; calls++) {
      const engine = await start();
      for (let i = 0; i < calls; i++) await engine.softmax([1]);
      await engine.dispose();
      await nextTask();
      assert.equal(engine.info.memoryBytes, 0);
    }
  });

  test('where the second instance cannot start, the worker goes on to answer', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'engine-'));
    cpSync(new URL('../../dist/wasm', import.meta.url), folder, { recursive: true });
    const engine = await start({ wasmUrl: folder });
    rmSync(folder, { recursive: true });
    assert.equal(await findNearby(engine, 50), false);
    assert.deepEqual((await engine.softmax([[5, 5]])).tolist(), [[0.5, 0.5]]);
  });

  for (const code of ['out_of_memory', 'internal']) {
    test(`a second instance that fails (${code}) is given up, and the worker answers`, async () => {
      const engine = await start();
      assert.ok(await findNearby(engine));
      const { memoryBytes } = engine.info;
      const { answer } = Core.prototype;
      Core.prototype.answer = () => {
        throw new TransformerError(code, 'for this test');
      };
      try {
        assert.deepEqual((await engine.softmax([[5, 5]])).tolist(), [[0.5, 0.5]]);
      } finally {
        Core.prototype.answer = answer;
      }
      assert.ok(engine.info.memoryBytes < memoryBytes);
      assert.deepEqual(await messagesIn(() => engine.softmax([[5, 5]])), ['call']);
      assert.equal(await findNearby(engine, 50), false);
    });
  }

  test('a forgotten engine takes its second instance along, and the process exits', () => {
    const folder = mkdtempSync(join(tmpdir(), 'engine-'));
    const file = join(folder, 'script.mjs');
    writeFileSync(
      file,
      `import { setImmediate as nextTask, setTimeout as wait } from 'node:timers/promises';
      import { Core } from '${new URL('../../build/modules/engine/core.js', import.meta.url)}';
      import { createEngine } from '${new URL('../../build/modules/index.js', import.meta.url)}';
      const { answer } = Core.prototype;
      let core;
      Core.prototype.answer = function (call) {
        core ??= new WeakRef(this);
        return answer.call(this, call);
      };
      await (async () => {
        const engine = await createEngine({ worker: true, threads: 2 });
        const layer = await engine.linear({ weight: [[1, 2]] });
        for (let i = 0; i < 300; i++) await nextTask(await layer.forward([[3, 4]]));
        console.log(core !== undefined);
      })();
      for (let i = 0; i < 20; i++) await wait(10, globalThis.gc());
      console.log(core.deref() === undefined);`,
    );
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', file], {
      timeout: 30_000,
    });
    rmSync(folder, { recursive: true });
    assert.deepEqual([status, `${stdout}`, `${stderr}`], [0, 'true\ntrue\n', '']);
  });
});
