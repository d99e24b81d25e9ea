/** The way of one token through a stack: its vector after each step, as the engine's trace has it. */

import type { Model, Tensor } from 'transformer-wasm';
import { largest, softmaxOf } from '../../reading/largest.js';
import { passOf } from '../../reading/pass.js';
import type { Reading } from '../../reading/reading.js';
import { tokenOf } from '../../reading/tokens.js';
import { words } from '../../words/words.js';

export type Stack = 'encoder' | 'decoder';

export interface Step {
  readonly name: string;
  readonly vector: Float32Array;
  /** Its length, and how far it moved in this step. */
  readonly length: number;
  readonly moved: number;
}

/** A word that the decoder would say, were this its last layer. */
export interface Saying {
  readonly label: string;
  readonly probability: number;
}

export interface LayerWay {
  /** 0: the embedding, before the first layer. */
  readonly layer: number;
  readonly steps: readonly Step[];
  readonly says: readonly Saying[];
}

const start = words.tour.embeddingAndPosition;

const steps: Record<Stack, Readonly<Record<string, string>>> = {
  encoder: {
    'self_attn.residual': words.tour.selfAttention,
    'feed_forward.residual': words.tour.feedForward,
  },
  decoder: {
    'self_attn.residual': words.tour.selfAttention,
    'cross_attn.residual': words.tour.crossAttention,
    'feed_forward.residual': words.tour.feedForward,
  },
};

/** The names of a stack's steps, by their places in the trace. */
const stepsOf = ({ maps }: Pick<Reading, 'maps'>, stack: Stack) =>
  Object.entries(steps[stack]).filter(([step]) => maps.cross || step !== 'cross_attn.residual');

/** The same boxes, with nothing in them yet. */
export function expectedWay(reading: Reading, stack: Stack): LayerWay[] {
  const step = (name: string) => ({ name, vector: new Float32Array(), length: 0, moved: 0 });
  const layers = reading.maps[stack]?.layers ?? 0;
  return Array.from({ length: layers + 1 }, (_, layer) => ({
    layer,
    steps: (layer === 0 ? [start] : stepsOf(reading, stack).map(([, name]) => name)).map(step),
    says: [],
  }));
}

/** @param token the index of the token in its stack */
export async function wayOf(
  model: Model,
  reading: Reading,
  stack: Stack,
  token: number,
): Promise<LayerWay[]> {
  const layers = reading.maps[stack]?.layers ?? 0;
  const names = stepsOf(reading, stack);
  const paths = [`${stack}.embeddings`, ...names.map(([step]) => `${stack}.layers.*.${step}`)];
  const isDecoder = stack === 'decoder';
  const trace =
    (await passOf(model, reading, { trace: isDecoder ? [...paths, 'decoder.layers.*.logits'] : paths }))
      .trace ?? {};
  let before: Float32Array | null = null;
  const step = (name: string, path: string): Step => {
    const vector = rowOf(trace[path], token);
    const moved = before ? distance(vector, before) : 0;
    before = vector;
    return { name, vector, length: distance(vector), moved };
  };
  return [
    { layer: 0, steps: [step(start, `${stack}.embeddings`)], says: [] },
    ...Array.from({ length: layers }, (_, i) => ({
      layer: i + 1,
      steps: names.map(([path, name]) => step(name, `${stack}.layers.${i}.${path}`)),
      says: isDecoder ? sayings(model, rowOf(trace[`decoder.layers.${i}.logits`], token)) : [],
    })),
  ];
}

/** Row `token` of [1, time, width]. */
function rowOf(tensor: Tensor | undefined, token: number): Float32Array {
  const width = tensor?.shape.at(-1) ?? 0;
  return tensor?.data.subarray(token * width, (token + 1) * width) ?? new Float32Array();
}

function distance(vector: Float32Array, from?: Float32Array): number {
  let sum = 0;
  for (const [i, value] of vector.entries()) sum += (value - (from?.[i] ?? 0)) ** 2;
  return Math.sqrt(sum);
}

/** The cosine of two vectors: 1, they point the same way. */
export function likenessOf(vector: Float32Array, other: Float32Array): number {
  const lengths = distance(vector) * distance(other);
  const product = vector.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0);
  return lengths > 0 ? product / lengths : 0;
}

function sayings(model: Model, logits: Float32Array): Saying[] {
  const probabilityOf = softmaxOf(logits);
  return largest(logits, 3).map((id) => ({
    label: tokenOf(model.tokenizer?.tokenOf(id) ?? `${id}`, 'fr').label,
    probability: probabilityOf(id),
  }));
}
