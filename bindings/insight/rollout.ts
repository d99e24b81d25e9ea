/** The rollout of attention weights, layer by layer. */

import { fail } from '../values/errors.js';
import { describe, Tensor, type TensorData, type TensorLike, toTensor } from '../values/tensor.js';

export function rollout(attentions: readonly TensorLike[]): Tensor {
  const [first, ...more] = readLayers(attentions);
  const through = new Mixing(first);
  for (const layer of more) through.mix(layer);
  return new Tensor(through.rows, [first.batch, first.time, first.time]);
}

interface Layer {
  /** [batch, heads, time, time] */
  readonly data: Float32Array;
  readonly batch: number;
  readonly heads: number;
  readonly time: number;
}

function readLayers(attentions: unknown): [Layer, ...Layer[]] {
  if (!Array.isArray(attentions))
    fail(
      'invalid_argument',
      `attentions must be an array of tensors, one per layer, got ${describe(attentions)}`,
    );
  const layers = attentions.map((given, i) => readLayer(toTensor(given, `attentions[${i}]`), i));
  const [first, ...more] = layers;
  if (!first) fail('invalid_argument', 'attentions is empty: there must be at least one layer');
  for (const [i, { batch, time }] of layers.entries())
    if (batch !== first.batch || time !== first.time)
      fail(
        'invalid_argument',
        `attentions[${i}] has ${batch} sequences of ${time} positions, attentions[0] has ${first.batch} of ${first.time}`,
      );
  return [first, ...more];
}

function readLayer({ data, shape }: TensorData, i: number): Layer {
  const [batch = 0, heads = 0, queries = 0, keys = 0] = shape.length === 3 ? [1, ...shape] : shape;
  if (shape.length < 3 || shape.length > 4 || queries !== keys || data.length === 0)
    fail(
      'invalid_argument',
      `attentions[${i}] must have the shape [batch, heads, time, time], got [${shape.join(', ')}]`,
    );
  const wrong = data.findIndex((weight) => !(weight >= 0 && weight < Number.POSITIVE_INFINITY));
  if (wrong >= 0)
    fail(
      'invalid_argument',
      `attentions[${i}] must hold attention weights, numbers >= 0, but element ${wrong} is ${data[wrong]}`,
    );
  return { data, batch, heads, time: queries };
}

/** The rollout after some layers: [batch, time, time], accumulated in float64. */
class Mixing {
  rows: Float64Array;

  constructor(first: Layer) {
    this.rows = withResidual(first);
  }

  /** Multiplies the rollout by another layer. */
  mix(layer: Layer): void {
    const { batch, time } = layer;
    const mixing = withResidual(layer);
    const mixed = new Float64Array(this.rows.length);
    for (let row = 0; row < batch * time; row++) {
      const sequence = Math.floor(row / time) * time;
      const sums = mixed.subarray(row * time, (row + 1) * time);
      for (let k = 0; k < time; k++) {
        const weight = mixing[row * time + k] ?? 0;
        const from = (sequence + k) * time;
        for (let column = 0; column < time; column++)
          sums[column] = (sums[column] ?? 0) + weight * (this.rows[from + column] ?? 0);
      }
    }
    this.rows = mixed;
  }
}

/** Mean over the heads plus the identity, with rows normalised to sum to one: [batch, time, time]. */
function withResidual({ data, batch, heads, time }: Layer): Float64Array {
  const mean = new Float64Array(batch * time * time);
  const square = time * time;
  for (let i = 0; i < data.length; i++) {
    const sequence = Math.floor(i / (heads * square));
    const to = sequence * square + (i % square);
    mean[to] = (mean[to] ?? 0) + (data[i] ?? 0) / heads;
  }
  for (let row = 0; row < batch * time; row++) {
    const weights = mean.subarray(row * time, (row + 1) * time);
    weights[row % time] = (weights[row % time] ?? 0) + 1;
    const sum = weights.reduce((total, weight) => total + weight, 0);
    for (let column = 0; column < time; column++) weights[column] = (weights[column] ?? 0) / sum;
  }
  return mean;
}
