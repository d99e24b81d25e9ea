// Results are bitwise identical for any number of threads, and any batch size, padded or not.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createEngine, Tensor } from '../../dist/index.js';
import { randomNumbers } from '../lib/random.mjs';
import { assertSameBits } from '../lib/reference.mjs';
import { repeatWithRelaxedSimd, variants } from '../lib/variants.mjs';

const { simd } = variants.at(-1);
let engines;

before(async () => {
  engines = await Promise.all([1, 2, 4].map((threads) => createEngine({ threads, simd })));
});
after(() => Promise.all(engines.map((engine) => engine.dispose())));

function tensorMaker(seed) {
  const random = randomNumbers(seed);
  return {
    ...random,
    between: (from, to) => from + random.below(to - from + 1),
    tensor: (...shape) => {
      const size = shape.reduce((product, length) => product * length, 1);
      return new Tensor(Float32Array.from({ length: size }, random.normal), shape);
    },
  };
}

/** Row `i` of the first axis, its first `length` positions, as a batch of one. */
function rowOf({ data, shape: [, time, ...inner] }, i, length) {
  const width = inner.reduce((product, size) => product * size, 1);
  const from = i * time * width;
  return new Tensor(data.slice(from, from + length * width), [1, length, ...inner]);
}

/** The results of one engine; all others must match them bitwise. */
async function onAll(what, compute) {
  const [alone, ...others] = await Promise.all(engines.map(compute));
  for (const [i, result] of others.entries()) {
    assertSameBits(result, alone, `${what}, ${engines[i + 1].info.threads} threads`);
  }
  return alone;
}

test('matmul of random shapes: any number of threads', async () => {
  const random = tensorMaker(1);
  for (let round = 0; round < 12; round++) {
    const [m, k, n] = [random.between(1, 130), random.between(1, 200), random.between(1, 130)];
    const [a, b] = [random.tensor(m, k), random.tensor(k, n)];
    const product = await onAll(`${m} x ${k} x ${n}`, (engine) => engine.matmul(a, b));
    const row = random.below(m);
    const single = await engines[0].matmul(new Tensor(a.data.slice(row * k, (row + 1) * k), [1, k]), b);
    const expected = new Tensor(product.data.slice(row * n, (row + 1) * n), [1, n]);
    assertSameBits(single, expected, `row ${row} of ${m} x ${k} x ${n} alone`);
  }
});

test('multi-head attention of random shapes: any number of threads and batch size, padded or not', async () => {
  const random = tensorMaker(2);
  for (let round = 0; round < 8; round++) {
    const numHeads = random.between(1, 4);
    const dModel = numHeads * random.between(1, 20);
    const [batch, time] = [random.between(2, 4), random.between(2, 40)];
    const lengths = Array.from({ length: batch }, () => random.between(1, time));
    const x = random.tensor(batch, time, dModel);
    const isCausal = round % 2 === 1;
    const layers = await Promise.all(
      engines.map((engine) => engine.multiHeadAttention({ dModel, numHeads }, { seed: round })),
    );
    const keyPaddingMask = await engines[0].paddingMask(lengths, time);
    const what = `${batch} x ${time} x ${dModel}, ${numHeads} heads`;
    const whole = await onAll(what, async (engine) => {
      const layer = layers[engines.indexOf(engine)];
      return (await layer.forward(x, x, x, { keyPaddingMask, isCausal })).output;
    });
    for (const [i, length] of lengths.entries()) {
      const alone = rowOf(x, i, length);
      const { output } = await layers[0].forward(alone, alone, alone, { isCausal });
      assertSameBits(output, rowOf(whole, i, length), `${what}: sequence ${i} of length ${length} alone`);
    }
    await Promise.all(layers.map((layer) => layer.dispose()));
  }
});

for (const dtype of ['f32', 'int8']) {
  test(`a transformer in ${dtype}: any number of threads and batch size, padded or not, in a worker`, () =>
    testTransformer(dtype));
}

async function testTransformer(dtype) {
  const random = tensorMaker(3);
  const config = {
    dtype,
    dModel: 48,
    numHeads: 4,
    dFf: 96,
    numEncoderLayers: 2,
    numDecoderLayers: 2,
    vocabSize: 50,
  };
  const models = await Promise.all(engines.map((engine) => engine.transformer(config, { seed: 7 })));
  const [batch, source, target] = [3, 19, 13];
  const ids = (time) =>
    Array.from({ length: batch }, () => Array.from({ length: time }, () => random.below(50)));
  const [src, tgt] = [ids(source), ids(target)];
  const [srcLengths, tgtLengths] = [
    [19, 7, 1],
    [5, 13, 2],
  ];
  const srcMask = await engines[0].paddingMask(srcLengths, source);
  const options = {
    srcKeyPaddingMask: srcMask,
    memoryKeyPaddingMask: srcMask,
    tgtKeyPaddingMask: await engines[0].paddingMask(tgtLengths, target),
  };
  const whole = await onAll('logits', async (engine) => {
    return (await models[engines.indexOf(engine)].forward(src, tgt, options)).logits;
  });
  for (let i = 0; i < batch; i++) {
    const { logits } = await models[0].forward(
      [src[i].slice(0, srcLengths[i])],
      [tgt[i].slice(0, tgtLengths[i])],
    );
    assertSameBits(logits, rowOf(whole, i, tgtLengths[i]), `sequence ${i} alone`);
  }

  const elsewhere = await createEngine({ threads: 2, simd, worker: true });
  assert.equal(elsewhere.info.worker, true);
  const model = await elsewhere.transformer(config, { seed: 7 });
  assertSameBits((await model.forward(src, tgt, options)).logits, whole, 'in a worker');
  await elsewhere.dispose();
}

repeatWithRelaxedSimd(import.meta.url);
