/** What the page says of a model. */

import type { Model } from 'transformer-wasm';
import type { Reading } from '../../reading/reading.js';
import { decimals, grouped } from '../../words/numbers.js';
import { words } from '../../words/words.js';

const megabytes = (bytes: number) => words.page.megabytes(decimals((bytes / 1e6).toFixed(1)));

export const progressOf = (loaded: number, total: number | null) =>
  total
    ? words.yourModel.loadingOf(megabytes(loaded), megabytes(total))
    : words.yourModel.loading(megabytes(loaded));

export function factsOf({ info }: Pick<Model, 'info'>): [string, string][] {
  return [
    [words.yourModel.family, info.family],
    [words.yourModel.parameters, grouped(info.parameters)],
    [words.yourModel.files, megabytes(info.bytes)],
    [words.yourModel.inMemory, megabytes(info.weightBytes) + words.marks.comma + info.dtype],
    [words.yourModel.loadedIn, `${Math.round(info.loadMilliseconds)} ms`],
  ];
}

/** The heads of all its attentions. */
export const headCount = ({ maps }: Pick<Reading, 'maps'>) =>
  Object.values(maps).reduce((sum, map) => sum + map.layers * map.heads, 0);
