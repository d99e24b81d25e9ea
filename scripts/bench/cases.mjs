// What is measured: each case makes, from one set of weights and inputs, a call of our engine and one of the other.

import { linearOnnx, randomNumbers, transformerOnnx, transformerWeights } from './models.mjs';

const base = { dModel: 512, numHeads: 8, dFf: 2048, numEncoderLayers: 6, numDecoderLayers: 6 };
const small = { dModel: 256, numHeads: 8, dFf: 1024, numEncoderLayers: 6, numDecoderLayers: 2 };
const textbook = { dModel: 128, numHeads: 4, dFf: 512, numEncoderLayers: 2, numDecoderLayers: 2 };

const tensor = (shape, seed) => ({
  data: randomNumbers(
    shape.reduce((a, b) => a * b, 1),
    1,
    seed,
  ),
  shape,
});

/** Multiply-adds of one layer's linear maps and attention, for `time` queries and `keys` keys. */
const attentionWork = (d, time, keys) => 2 * time * d * d + 2 * keys * d * d + 2 * time * keys * d;
const feedForwardWork = (d, dFf, time) => 2 * time * d * dFf;

function gemmCase(rows, into, out) {
  const weight = tensor([out, into], 1);
  return {
    name: `GEMM ${rows} x ${into} x ${out}`,
    flops: 2 * rows * into * out,
    inputs: { src: tensor([rows, into], 2) },
    onnx: () => linearOnnx(weight, rows),
    async ours(engine, { src }) {
      const layer = await engine.linear({ inFeatures: into, outFeatures: out, bias: false }, { weight });
      return { run: () => layer.forward(src), dispose: () => layer.dispose() };
    },
  };
}

function transformerCase(name, size, { batch = 1, srcTime, tgtTime }) {
  const config = tgtTime ? size : { ...size, numDecoderLayers: 0 };
  const { dModel: d, dFf } = config;
  const encoderWork =
    config.numEncoderLayers * (attentionWork(d, srcTime, srcTime) + feedForwardWork(d, dFf, srcTime));
  const decoderWork = tgtTime
    ? config.numDecoderLayers *
      (attentionWork(d, tgtTime, tgtTime) +
        attentionWork(d, tgtTime, srcTime) +
        feedForwardWork(d, dFf, tgtTime))
    : 0;
  const inputs = { src: tensor([batch, srcTime, d], 2) };
  if (tgtTime) inputs.tgt = tensor([batch, tgtTime, d], 3);
  const weights = () => transformerWeights(config);
  return {
    name,
    flops: 2 * batch * (encoderWork + decoderWork),
    inputs,
    onnx: () => transformerOnnx(config, weights(), { batch, srcTime, tgtTime }),
    async ours(engine, { src, tgt }) {
      const model = await engine.transformer(config, weights());
      const run = tgt ? async () => (await model.forward(src, tgt)).output : () => model.encode(src);
      return { run, dispose: () => model.dispose() };
    },
  };
}

export const cases = [
  () => gemmCase(64, 512, 512),
  () => gemmCase(64, 512, 2048),
  () => gemmCase(64, 2048, 512),
  () => gemmCase(1, 512, 2048),
  ...[16, 64, 128, 512].map(
    (time) => () => transformerCase(`base encoder, ${time} tokens`, base, { srcTime: time }),
  ),
  () => transformerCase('base encoder, 8 x 64 tokens', base, { batch: 8, srcTime: 64 }),
  ...[16, 64, 128, 512].map(
    (time) => () => transformerCase(`small encoder, ${time} tokens`, small, { srcTime: time }),
  ),
  () => transformerCase('base encoder + decoder, 64 + 64 tokens', base, { srcTime: 64, tgtTime: 64 }),
  () => transformerCase('textbook demo, 2 x 10 tokens', textbook, { batch: 2, srcTime: 10, tgtTime: 10 }),
];
