/** What the controls of one attention ask for, as numbers. */

import { decimals } from '../../words/numbers.js';

/** The settings of the view, as the address has them. */
export interface Asked {
  /** The power of the scale: 0.5 is the paper's 1 / √d. */
  readonly power: number;
  /** The softmax's temperature, 1 for none. */
  readonly temperature: number;
  readonly isTiled: boolean;
  /** Keys that the visitor has hidden. */
  readonly hidden: ReadonlySet<number>;
}

export interface Tiles {
  readonly count: number;
  /** How many tiles have been read. */
  readonly read: number;
  /** How many keys these have. */
  readonly keys: number;
}

/** Keys in a tile: few, so that a short sentence has several. */
const tileOf = (keys: number) => (keys > 8 ? 4 : 2);

/** @param wanted how many tiles are to be read; `null` and what makes no sense: all */
export function tilesOf(keys: number, wanted: number | null): Tiles {
  const tile = tileOf(keys);
  const count = Math.ceil(keys / tile);
  const read = Math.min(count, Math.max(1, wanted || count));
  return { count, read, keys: Math.min(keys, read * tile) };
}

/** The query that is asked for, where there is one of this number. */
export const chosenQuery = (asked: number, count: number, otherwise: number) =>
  Number.isInteger(asked) && asked >= 0 && asked < count ? asked : otherwise;

/** What the dot products are multiplied by. */
export const factorOf = (width: number, { power, temperature }: Asked) => scaleOf(width, power) / temperature;

/** `3.17`, as in the address */
export const parseHidden = (text: string): Set<number> =>
  new Set(text.split('.').filter(Boolean).map(Number));

/** The hidden keys after a click on one, as in the address. */
export function toggled(hidden: ReadonlySet<number>, key: number): string {
  const next = new Set(hidden);
  if (!next.delete(key)) next.add(key);
  return [...next].sort((a, b) => a - b).join('.');
}

/** The scale d^(-power): 0.5 is the paper's 1 / √d. */
const scaleOf = (width: number, power: number) => width ** -power;

/** The factor in words: `÷ √32`. */
export function factorText(width: number, { power, temperature }: Asked): string {
  const scale =
    power === 0.5 ? `÷ √${width}` : power === 0 ? '× 1' : `× ${decimals(scaleOf(width, power).toFixed(3))}`;
  return temperature === 1 ? scale : `${scale} ÷ ${decimals(temperature.toFixed(2))}`;
}
