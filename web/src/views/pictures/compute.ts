/** Where the class token of the model of digits, or of another, looked. */

import { attentionRollout, type ForwardOutput, Tensor } from 'transformer-wasm';
import { words } from '../../words/words.js';

/** How many patches a picture has. */
export interface PatchGrid {
  readonly rows: number;
  readonly columns: number;
}

/** Patches along each side of the picture of a digit. */
export const grid = 7;
const layers = 4;
const heads = 4;

/** What can be looked at, by its name in the address. */
export const looks: Record<string, string> = { rollout: words.pictures.rollout };
for (let layer = 0; layer < layers; layer++) {
  looks[`${layer}`] = words.pictures.meanOfLayer(layer + 1);
  for (let head = 0; head < heads; head++)
    looks[`${layer}.${head}`] = words.pictures.headOfLayer(layer + 1, head + 1);
}

/** A look that there is, whatever the address asks for. */
export const lookOf = (asked: string) => (Object.hasOwn(looks, asked) ? asked : 'rollout');

/** A patch's place in words. */
export const placeOf = (patch: number, columns = grid) =>
  words.pictures.place(Math.floor(patch / columns) + 1, (patch % columns) + 1);

export const indexOfLargest = (values: ArrayLike<number>) =>
  Array.from(values).reduce((best, value, i) => (value > (values[best] ?? 0) ? i : best), 0);

/** What the class token takes from each of the 49 patches; what it takes from itself is left out. */
export async function attentionOf({ attentions = [] }: ForwardOutput, look: string): Promise<number[]> {
  const size = grid * grid + 1;
  if (look === 'rollout') {
    const { data } = await attentionRollout(attentions);
    return [...data.slice(1, size)];
  }
  const [layer = 0, head] = look.split('.').map(Number);
  const { data } = attentions[layer] ?? new Tensor(new Float32Array(), [0]);
  const chosen = head === undefined ? Array.from({ length: heads }, (_, i) => i) : [head];
  return Array.from(
    { length: size - 1 },
    (_, patch) =>
      chosen.reduce((sum, one) => sum + (data[one * size * size + patch + 1] ?? 0), 0) / chosen.length,
  );
}

/**
 * What the class token takes from each patch, head by head of a layer; registers are left out, as is the token itself.
 *
 * @returns `null` of a model whose tokens are not those of one picture
 */
export function headMaps({ attentions = [], patches }: ForwardOutput, layer: number): number[][] | null {
  const { data, shape } = attentions[layer] ?? new Tensor(new Float32Array(), [0]);
  const [, count = 0, queries = 0, keys = 0] = shape;
  if (!patches || count === 0) return null;
  const { prefix, rows, columns } = patches;
  return Array.from({ length: count }, (_, head) => {
    const begin = head * queries * keys + prefix;
    return [...data.subarray(begin, begin + rows * columns)];
  });
}

/** The most patches of a picture: 28 by 28 where it is a square. */
const mostPatches = 784;

/**
 * The size in which a model gets a picture: whole patches, of models that take any size in about the picture's shape and
 * never enlarged.
 */
export function sizeFor(
  { width, height }: { readonly width: number; readonly height: number },
  { model_type: family, image_size: size, patch_size: patch }: Record<string, unknown>,
): { readonly width: number; readonly height: number } {
  const side = Number(patch);
  if (!/^dinov/.test(`${family}`)) return { width: Number(size), height: Number(size) };
  const scale = Math.min(1, Math.sqrt((mostPatches * side * side) / (width * height)));
  const whole = (length: number) => side * Math.max(1, Math.floor((length * scale) / side));
  return { width: whole(width), height: whole(height) };
}

/** Channels of their own [1, 3, height, width], from the bytes of a picture. */
export function normalisedPixels(
  { data, width, height }: ImageData,
  mean: readonly number[],
  deviation: readonly number[],
): Tensor {
  const size = width * height;
  const values = Float32Array.from({ length: 3 * size }, (_, i) => {
    const channel = Math.floor(i / size);
    return ((data[(i % size) * 4 + channel] ?? 0) / 255 - (mean[channel] ?? 0)) / (deviation[channel] ?? 1);
  });
  return new Tensor(values, [1, 3, height, width]);
}
