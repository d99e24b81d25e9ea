/** What the page says of a model. */

import type { Model } from 'transformer-wasm';
import type { Reading } from '../../reading/reading.js';

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

export const progressOf = (loaded: number, total: number | null) =>
  `Loading: ${megabytes(loaded)}${total ? ` of ${megabytes(total)}` : ''}`;

export function factsOf({ info }: Pick<Model, 'info'>): [string, string][] {
  return [
    ['Family', info.family],
    ['Parameters', info.parameters.toLocaleString('en')],
    ['Files', megabytes(info.bytes)],
    ['In memory', `${megabytes(info.weightBytes)}, ${info.dtype}`],
    ['Loaded in', `${Math.round(info.loadMilliseconds)} ms`],
  ];
}

/** The heads of all its attentions. */
export const headCount = ({ maps }: Pick<Reading, 'maps'>) =>
  Object.values(maps).reduce((sum, map) => sum + map.layers * map.heads, 0);
