/** Models with random weights, in the sizes of the paper: enough to measure with. */

import { randomFrom } from '../reading/random.js';

/** The sizes of a transformer. */
export interface Sizes {
  readonly dModel: number;
  readonly heads: number;
  readonly dFf: number;
  readonly encoderLayers: number;
  readonly decoderLayers: number;
  readonly vocabulary: number;
}

type Shape = readonly number[];

const countOf = (shape: Shape) => shape.reduce((all, size) => all * size, 1);

/** The names and shapes of PyTorch's `nn.Transformer`, an embedding, and an output projection where there is a decoder. */
function shapesOf({ dModel: d, dFf, encoderLayers, decoderLayers, vocabulary }: Sizes): Map<string, Shape> {
  const shapes = new Map<string, Shape>();
  const linear = (name: string, out: number, into: number) =>
    shapes.set(`${name}.weight`, [out, into]).set(`${name}.bias`, [out]);
  const norm = (name: string) => shapes.set(`${name}.weight`, [d]).set(`${name}.bias`, [d]);
  const stack = (name: string, layers: number, attentions: readonly string[]) => {
    for (let layer = 0; layer < layers; layer++) {
      const at = `${name}.layers.${layer}`;
      for (const attention of attentions) {
        shapes.set(`${at}.${attention}.in_proj_weight`, [3 * d, d]);
        shapes.set(`${at}.${attention}.in_proj_bias`, [3 * d]);
        linear(`${at}.${attention}.out_proj`, d, d);
      }
      linear(`${at}.linear1`, dFf, d);
      linear(`${at}.linear2`, d, dFf);
      for (let i = 1; i <= attentions.length + 1; i++) norm(`${at}.norm${i}`);
    }
    if (layers > 0) norm(`${name}.norm`);
  };
  stack('encoder', encoderLayers, ['self_attn']);
  stack('decoder', decoderLayers, ['self_attn', 'multihead_attn']);
  shapes.set('embedding.weight', [vocabulary, d]);
  if (decoderLayers > 0) linear('projection', vocabulary, d);
  return shapes;
}

/** Numbers in [-bound, bound), the same each time. */
export function randomNumbers(count: number, bound: number): Float32Array {
  const random = randomFrom(1);
  return Float32Array.from({ length: count }, () => (2 * random() - 1) * bound);
}

/** A block of these is used again and again: drawing each number anew would keep a phone busy for seconds. */
const block = 2 ** 18;

/** A .safetensors file in float32. */
function weightsFile(sizes: Sizes): Uint8Array {
  const shapes = [...shapesOf(sizes)];
  let end = 0;
  const header = Object.fromEntries(
    shapes.map(([name, shape]) => {
      const begin = end;
      end += 4 * countOf(shape);
      return [name, { dtype: 'F32', shape, data_offsets: [begin, end] }];
    }),
  );
  const json = JSON.stringify(header);
  // The numbers begin at a multiple of four.
  const text = new TextEncoder().encode(json.padEnd(Math.ceil(json.length / 8) * 8));
  const file = new Uint8Array(8 + text.length + end);
  new DataView(file.buffer).setBigUint64(0, BigInt(text.length), true);
  file.set(text, 8);
  const numbers = new Float32Array(file.buffer, 8 + text.length);
  const random = randomNumbers(block, 0.04);
  for (let at = 0; at < numbers.length; at += block) numbers.set(random.subarray(0, numbers.length - at), at);
  return file;
}

/** The files of a model, as `loadModel` takes them. */
export function filesOf(sizes: Sizes): Map<string, Uint8Array> {
  const config = {
    model_type: 'transformer',
    d_model: sizes.dModel,
    num_heads: sizes.heads,
    d_ff: sizes.dFf,
    num_encoder_layers: sizes.encoderLayers,
    num_decoder_layers: sizes.decoderLayers,
    vocab_size: sizes.vocabulary,
    positions: 'sinusoidal',
    max_length: 512,
    scale_embedding: true,
    decoder_start_token_id: 1,
  };
  return new Map([
    ['config.json', new TextEncoder().encode(JSON.stringify(config))],
    ['model.safetensors', weightsFile(sizes)],
  ]);
}
