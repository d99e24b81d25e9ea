/** The buckets of T5 (Raffel et al. 2020, section 2.1), read off the engine's own attention. */

import { type Engine, Tensor } from 'transformer-wasm';

const buckets = 32;

/**
 * An encoder layer adds an entry of its table to each score, by the bucket of the distance. With the bucket's own number
 * as entry and queries of zero, nothing else is in the scores; a weight is then exp(bucket) over the row's sum, and the
 * bucket of distance 0 is 0.
 *
 * @returns [queries, keys]: the bucket of each pair of positions
 */
export async function relativeBuckets(engine: Engine, length: number): Promise<Tensor> {
  const sizes = { dModel: 1, numHeads: 1, dFf: 1, numEncoderLayers: 1, numDecoderLayers: 0 };
  const zeros = (...shape: number[]) =>
    new Tensor(new Float32Array(shape.reduce((all, size) => all * size)), shape);
  const layer = await engine.transformer(
    { ...sizes, positions: 'relative', bias: false, finalNorm: false, embeddings: false },
    {
      'encoder.relative_bias.weight': Tensor.from(Array.from({ length: buckets }, (_, i) => [i])),
      'encoder.layers.0.self_attn.in_proj_weight': zeros(3, 1),
      'encoder.layers.0.self_attn.out_proj.weight': zeros(1, 1),
      'encoder.layers.0.linear1.weight': zeros(1, 1),
      'encoder.layers.0.linear2.weight': zeros(1, 1),
      'encoder.layers.0.norm1.weight': zeros(1),
      'encoder.layers.0.norm2.weight': zeros(1),
    },
  );
  try {
    const { encoderAttentions } = await layer.forward(zeros(1, length, 1), undefined, {
      outputAttentions: true,
    });
    const weights = encoderAttentions?.[0]?.data ?? new Float32Array();
    const atZero = (i: number) => weights[Math.floor(i / length) * (length + 1)] ?? 1;
    return new Tensor(
      weights.map((weight, i) => Math.round(Math.log(weight / atZero(i)))),
      [length, length],
    );
  } finally {
    layer.dispose();
  }
}
