/** Masks that one knows by name, and the cells that the visitor turned over. */

import type { Engine } from 'transformer-wasm';
import { words } from '../../words/words.js';

export const presetNames = {
  none: words.masks.presets.none,
  causal: words.masks.presets.causal,
  padding: words.masks.presets.padding,
  window: words.masks.presets.window,
} as const;

export type PresetName = keyof typeof presetNames;

export const isPreset = (name: string): name is PresetName => Object.hasOwn(presetNames, name);

export interface MaskSettings {
  readonly preset: PresetName;
  /** Number of padding tokens, or how far a window reaches. */
  readonly size: number;
  /** Cells that differ from the preset, row by row. */
  readonly turned: ReadonlySet<number>;
}

/** 1 where a query may see a key, [queries, keys]. */
export async function maskOf(
  engine: Engine,
  { queries, keys }: { queries: number; keys: number },
  { preset, size, turned }: MaskSettings,
): Promise<number[][]> {
  const causal = preset === 'causal' ? (await engine.causalMask(Math.max(queries, keys))).data : null;
  const padding =
    preset === 'padding' ? (await engine.paddingMask([Math.max(0, keys - size)], keys)).data : null;
  const side = Math.max(queries, keys);
  const isSeen = (query: number, key: number) => {
    if (causal) return causal[query * side + key] === 1;
    if (padding) return padding[key] === 1;
    return preset !== 'window' || Math.abs(query - key) <= size;
  };
  return Array.from({ length: queries }, (_, query) =>
    Array.from({ length: keys }, (_, key) => Number(isSeen(query, key) !== turned.has(query * keys + key))),
  );
}

/** `3.17.18` */
export const parseTurned = (text: string): Set<number> =>
  new Set(text.split('.').flatMap((part) => (/^\d{1,5}$/.test(part) ? Number(part) : [])));

export const formatTurned = (turned: ReadonlySet<number>) => [...turned].sort((a, b) => a - b).join('.');
