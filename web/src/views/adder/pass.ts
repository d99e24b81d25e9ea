/** One step of the model with all its numbers, and how many sums it gets right. What is computed is the engine's. */

import type { Engine, Model, Tensor } from 'transformer-wasm';
import { largest } from '../../reading/largest.js';
import { added, promptLength, promptOf, type Sum, width } from './sums.js';
import type { Variant, Weight } from './variant.js';

const layer = 'model.layers.0';

/** The names of the weights, in the order in which they are used. */
export const names = {
  embedding: 'model.embed_tokens.weight',
  inputNorm: `${layer}.input_layernorm.weight`,
  query: `${layer}.self_attn.q_proj.weight`,
  key: `${layer}.self_attn.k_proj.weight`,
  value: `${layer}.self_attn.v_proj.weight`,
  queryNorm: `${layer}.self_attn.q_norm.weight`,
  keyNorm: `${layer}.self_attn.k_norm.weight`,
  output: `${layer}.self_attn.o_proj.weight`,
  feedForwardNorm: `${layer}.post_attention_layernorm.weight`,
  gate: `${layer}.mlp.gate_proj.weight`,
  up: `${layer}.mlp.up_proj.weight`,
  down: `${layer}.mlp.down_proj.weight`,
  finalNorm: 'model.norm.weight',
} as const;

/** The numbers of one step, from its token to the next one. */
export interface Step {
  /** The token that is read, by its id. */
  readonly token: number;
  readonly embedded: Float32Array;
  readonly normed: Float32Array;
  /** One vector for each head, turned by its place. */
  readonly queries: readonly Float32Array[];
  /** Of all tokens so far: keys, turned by their places, and values. */
  readonly keys: readonly Float32Array[];
  readonly values: readonly Float32Array[];
  /** Attention weights, by head and token. */
  readonly looks: readonly Float32Array[];
  /** The mixed values, head after head. */
  readonly mixed: Float32Array;
  readonly attended: Float32Array;
  readonly attendedNormed: Float32Array;
  /** `null` in 8 and 4 bits, where the products are of rounded numbers and are not to be seen. */
  readonly inner: {
    readonly gate: Float32Array;
    readonly up: Float32Array;
    readonly hidden: Float32Array;
  } | null;
  readonly output: Float32Array;
  readonly outputNormed: Float32Array;
  readonly logits: Float32Array;
}

/** What the model writes, and the numbers of all steps. */
export interface Written {
  /** The tokens that it has read: the prompt and what it has written. */
  readonly ids: readonly number[];
  /** What it writes, the lowest digit first. */
  readonly digits: readonly number[];
  readonly tensors: Readonly<Record<string, Tensor>>;
  readonly logits: Tensor;
}

const traced = [
  'decoder.embeddings',
  'decoder.layers.0.self_attn.*',
  'decoder.layers.0.feed_forward.residual',
  'decoder.output',
];

/** Writes the sum, the likeliest token each time, and looks inside. */
export async function write(model: Model, sum: Sum): Promise<Written> {
  const prompt = promptOf(sum);
  const { sequences } = await model.generate(prompt, { maxNewTokens: width, doSample: false });
  const ids = [...(sequences[0]?.ids ?? [])].slice(0, promptLength + width - 1);
  const digits = [...(sequences[0]?.ids ?? [])].slice(promptLength);
  return { ids, digits, ...(await look(model, ids)) };
}

/** The numbers of a pass over these tokens. */
export async function look(
  model: Model,
  ids: readonly number[],
): Promise<Pick<Written, 'tensors' | 'logits'>> {
  const { trace, logits } = await model.forward({ inputIds: [[...ids]] }, { trace: traced });
  if (!logits || !trace) throw new Error('the pass has not all the tensors that were asked for');
  return { tensors: trace, logits };
}

/** The vector of a token in a tensor [1, tokens, width], or of a head in [1, heads, queries, keys]. */
function rowOf(tensor: Tensor | undefined, row: number): Float32Array {
  if (!tensor) throw new Error('the pass has not all the tensors that were asked for');
  const size = tensor.shape.at(-1) ?? 0;
  return (tensor.data as Float32Array).slice(row * size, (row + 1) * size);
}

/** @param place of the sum, from 0 for the lowest digit */
export async function stepOf(
  engine: Engine,
  { weights, model }: Variant,
  { ids, tensors, logits }: Pick<Written, 'ids' | 'tensors' | 'logits'>,
  place: number,
): Promise<Step> {
  const at = promptLength - 1 + place;
  const of = (name: string, row = at) => rowOf(tensors[`decoder.${name}`], row);
  const attention = (name: string, row = at) => of(`layers.0.self_attn.${name}`, row);
  const epsilon = Number(model.config.rms_norm_eps);
  const norm = async (x: Float32Array, name: string) =>
    (await engine.rmsNorm([x], { weight: numbersOf(weights.get(name)), eps: epsilon })).data as Float32Array;
  const [, heads = 1, tokens = 0] = tensors['decoder.layers.0.self_attn.weights']?.shape ?? [];
  const all = Array.from({ length: at + 1 }, (_, token) => token);
  const looks = Array.from({ length: heads }, (_, head) =>
    attention('weights', head * tokens + at).slice(0, at + 1),
  );
  const values = all.map((token) => attention('values', token));
  const mixed = await engine.matmul(looks, values);
  const attended = attention('residual');
  const attendedNormed = await norm(attended, names.feedForwardNorm);
  const isExact = model.info.dtype === 'f32';
  return {
    token: ids[at] ?? 0,
    embedded: of('embeddings'),
    normed: await norm(of('embeddings'), names.inputNorm),
    queries: parts(attention('queries'), heads),
    keys: all.map((token) => attention('keys', token)),
    values,
    looks,
    mixed: mixed.data as Float32Array,
    attended,
    attendedNormed,
    inner: isExact ? await innerOf(engine, weights, attendedNormed) : null,
    output: of('layers.0.feed_forward.residual'),
    outputNormed: of('output'),
    logits: rowOf(logits, at),
  };
}

const numbersOf = (weight: Weight | undefined): Float32Array => weight?.data ?? new Float32Array();

const parts = (vector: Float32Array, count: number): Float32Array[] =>
  Array.from({ length: count }, (_, i) =>
    vector.slice((i * vector.length) / count, ((i + 1) * vector.length) / count),
  );

async function innerOf(engine: Engine, weights: Variant['weights'], x: Float32Array): Promise<Step['inner']> {
  const product = async (name: string) => {
    const { rows = 1, data = new Float32Array() } = weights.get(name) ?? {};
    const column = Array.from(x, (number) => [number]);
    return (await engine.matmul(parts(data, rows), column)).data as Float32Array;
  };
  const [gate, up] = [await product(names.gate), await product(names.up)];
  // SiLU(x) = x / (1 + exp(-x))
  const hidden = gate.map((number, i) => (number / (1 + Math.exp(-number))) * (up[i] ?? 0));
  return { gate, up, hidden };
}

/** Of how many of the sums all digits are right, in one pass: each digit is right after the right ones before it. */
export async function countRight(model: Model, sums: readonly Sum[]): Promise<number> {
  const right = sums.map((sum) => added(sum).digits);
  const inputIds = sums.map((sum, i) => [...promptOf(sum), ...(right[i]?.slice(0, -1) ?? [])]);
  const { logits } = await model.forward({ inputIds });
  const [, tokens = 0, vocabulary = 0] = logits?.shape ?? [];
  const data = logits?.data as Float32Array;
  const isRight = (row: number, place: number, digit: number) => {
    const begin = (row * tokens + promptLength - 1 + place) * vocabulary;
    return largest(data.subarray(begin, begin + vocabulary), 1)[0] === digit;
  };
  return right.filter((digits, row) => digits.every((digit, place) => isRight(row, place, digit))).length;
}
