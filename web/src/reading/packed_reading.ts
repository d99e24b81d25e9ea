/**
 * Readings of the first sentences, made when the page is built, so that the page is complete before the engine has arrived.
 * An attention weight takes one byte: its square root in steps of 1/255. What a decoder cannot see yet takes none.
 */

import type { Kind } from '../selection/heads.js';
import { words } from '../words/words.js';
import { AttentionMap } from './attention_map.js';
import type { Candidate, Reading, SourceToken, WrittenToken } from './reading.js';
import type { Token } from './tokens.js';

/** What is stored: a reading whose maps are [layers, heads, queries, keys] in base64. */
export type PackedReading = Omit<Reading, 'maps' | 'isBuiltIn' | 'source' | 'written' | 'read'> & {
  readonly source: readonly [label: string, id: number, span: SourceToken['span']][];
  readonly written: readonly {
    readonly label: string;
    readonly id: number;
    readonly probability: number;
    readonly candidates: readonly [label: string, id: number, probability: number][];
  }[];
  readonly maps: readonly [kind: Kind, layers: number, heads: number, weights: string][];
};

const digits = (number: number) => Number(number.toPrecision(3));

const isStored = (kind: Kind, query: number, key: number) => kind !== 'decoder' || key <= query;

export function pack(reading: Reading): PackedReading {
  const { maps, isBuiltIn: _, read: __, source, written, needs, ...rest } = reading;
  return {
    ...rest,
    ...(needs && { needs: needs.map((row) => row.map((loss) => Number(loss.toFixed(3)))) }),
    source: source.map(({ label, id, span }) => [label, id, span]),
    written: written.map(({ label, id, probability, candidates }) => ({
      label,
      id,
      probability: digits(probability),
      candidates: candidates.map((one) => [one.label, one.id, digits(one.probability)]),
    })),
    maps: Object.entries(maps).map(([kind, map]) => {
      const bytes = [];
      for (let layer = 0; layer < map.layers; layer++) {
        for (let head = 0; head < map.heads; head++) {
          const columns = map.keys.length;
          for (const [i, weight] of map.of(layer, head).entries()) {
            if (!isStored(kind as Kind, Math.floor(i / columns), i % columns)) continue;
            bytes.push(Math.round(Math.sqrt(weight) * 255));
          }
        }
      }
      return [kind as Kind, map.layers, map.heads, btoa(String.fromCharCode(...bytes))];
    }),
  };
}

export function unpack(packed: PackedReading): Reading {
  const source = packed.source.map(([label, id, span]): SourceToken => ({ ...token(label, 'en'), id, span }));
  const candidate = ([label, id, probability]: readonly [string, number, number]): Candidate => ({
    ...token(label, 'fr'),
    id,
    probability,
  });
  const written = packed.written.map(
    ({ label, id, probability, candidates }): WrittenToken => ({
      ...candidate([label, id, probability]),
      candidates: candidates.map(candidate),
    }),
  );
  const start: Token = { label: words.tokens.start, isSpecial: true, isUnknown: false, language: 'fr' };
  const read = [start, ...written.slice(0, -1)];
  const axes: Record<Kind, [readonly Token[], readonly Token[]]> = {
    encoder: [source, source],
    decoder: [written, read],
    cross: [written, source],
  };
  const maps = packed.maps.map(([kind, layers, heads, weights]) => {
    const [queries, keys] = axes[kind];
    const bytes = Uint8Array.from(atob(weights), (character) => character.charCodeAt(0));
    const size = queries.length * keys.length;
    let at = 0;
    const weight = (i: number) =>
      isStored(kind, Math.floor(i / keys.length), i % keys.length) ? ((bytes[at++] ?? 0) / 255) ** 2 : 0;
    const nextLayer = () => ({
      data: Float32Array.from({ length: heads * size }, (_, i) => weight(i % size)),
      shape: [1, heads, queries.length, keys.length],
    });
    return [kind, new AttentionMap(queries, keys, Array.from({ length: layers }, nextLayer))];
  });
  return { ...packed, source, written, read, maps: Object.fromEntries(maps), isBuiltIn: true };
}

/** Built in English: the names of what is no word become those of the reader's language. */
const token = (label: string, language: Token['language']): Token => {
  const isSpecial = label === 'start' || label === 'end';
  return { label: isSpecial ? words.tokens[label] : label, isSpecial, isUnknown: false, language };
};
