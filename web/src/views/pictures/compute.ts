/** Where the class token of the model of digits looked. */

import { attentionRollout, type ForwardOutput, Tensor } from 'transformer-wasm';
import { words } from '../../words/words.js';

/** Patches along each side of the picture. */
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
export const placeOf = (patch: number) =>
  words.pictures.place(Math.floor(patch / grid) + 1, (patch % grid) + 1);

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
