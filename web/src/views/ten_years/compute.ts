/** Where each design looks: as one matrix with its names, and in words. */

import type { MapData } from '../../drawing/heat_map.js';
import { mapOf } from '../../reading/looks.js';
import { chosenWord, type Reading, strongest } from '../../reading/reading.js';
import { percent } from '../../reading/tokens.js';
import type { Selection } from '../../selection/selection.js';
import { Problem } from '../../words/problem.js';
import { words } from '../../words/words.js';

/** What one card shows. */
export interface Alignment {
  readonly data: MapData;
  /** The row that is marked. */
  readonly row: number;
  readonly translation: string;
  /** Of local attention: its window. */
  readonly window?: string;
}

export type Titled = Alignment & { readonly title: string };

export function ofArticle({
  data,
  shape: [rows = 0, columns = 0],
}: {
  data: Float32Array;
  shape: number[];
}): Alignment {
  const names = (letter: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${letter}${String.fromCharCode(0x2081 + i)}`);
  const axes = { rows, columns, rowNames: names('s', rows), columnNames: names('h', columns) };
  return { data: { values: data, ...axes }, row: 0, translation: '' };
}

/** A recurrent model has one attention; of the transformer's, the heads of the page's look. */
export function ofReading(reading: Reading, { look, word }: Selection): Alignment {
  const map = reading.maps.cross;
  if (!map) throw new Problem(words.messages.noSource);
  const names = (tokens: readonly { label: string }[]) => tokens.map(({ label }) => label);
  return {
    data: {
      values: mapOf(reading, 'cross', look),
      rows: map.queries.length,
      columns: map.keys.length,
      rowNames: names(map.queries),
      columnNames: names(map.keys),
    },
    row: chosenWord(reading, word),
    translation: reading.translation,
  };
}

export const rowOf = ({ values, columns }: MapData, row: number) =>
  Array.from({ length: columns }, (_, column) => values[row * columns + column] ?? 0);

/** Translations differ from model to model: unlike an article's states, their words must be named. */
export function largestOf(data: MapData, row: number, isState: boolean): string {
  const weights = rowOf(data, row);
  const key = strongest(weights);
  const looked = `${data.columnNames[key] ?? ''} ${percent(weights[key] ?? 0)}`;
  return isState ? looked : `${data.rowNames[row]} → ${looked}`;
}

export function sameTranslations(alignments: readonly Alignment[]): string {
  const texts = new Set(alignments.map(({ translation }) => translation));
  const count = alignments.length;
  return texts.size === 1 ? words.tenYears.same(count) : words.tenYears.different(count, texts.size);
}

/** The heading: that a product is enough is said where the models that score with one write what the network's writes. */
export function claimOf(alignments: readonly Titled[], onArticle: boolean): string {
  const textOf = (name: RegExp) => alignments.find(({ title }) => name.test(title))?.translation;
  const network = textOf(/Bahdanau/);
  const products = [textOf(/dot$/), textOf(/general/)].filter((text) => text !== undefined);
  if (onArticle || network === undefined || products.includes(network)) return words.chapters.tenYears.claim;
  return words.tenYears.claimOther;
}
