/** The names of attention heads: short ones for the address and the page, and the engine's paths. */

import { words } from '../words/words.js';

/** Which attention: the encoder's own, the decoder's own, or from the decoder to the encoder. */
export type Kind = 'encoder' | 'decoder' | 'cross';

/** One attention head. Layers and heads are counted from 0. */
export interface Head {
  readonly kind: Kind;
  readonly layer: number;
  readonly head: number;
}

const kindNames: Record<Kind, string> = words.heads.kinds;

export const kinds = Object.keys(kindNames) as Kind[];

/** `cross.1.3`, as in the page's address. */
export const headName = ({ kind, layer, head }: Head) => `${kind}.${layer}.${head}`;

/** Reads `cross.1.3`; `null` for anything else. */
export function parseHead(name: string): Head | null {
  const [, kind, layer, head] = /^(encoder|decoder|cross)\.(\d{1,3})\.(\d{1,3})$/.exec(name) ?? [];
  return kind ? { kind: kind as Kind, layer: Number(layer), head: Number(head) } : null;
}

/** The engine's path, as in the option `heads`: `decoder.layers.1.cross.3`. */
export function headPath({ kind, layer, head }: Head): string {
  return `${attentionPath(kind, layer)}.${head}`;
}

/** The engine's path of a whole attention, as in the option `trace`: `decoder.layers.1.cross`. */
export function attentionPath(kind: Kind, layer: number): string {
  return `${kind === 'encoder' ? kind : 'decoder'}.layers.${layer}.${kind === 'cross' ? kind : 'self'}`;
}

/** Factors that switch these heads off, for the engine. */
export const headsOff = (names: readonly string[]): Record<string, number> =>
  Object.fromEntries(names.flatMap((name) => parseHead(name) ?? []).map((head) => [headPath(head), 0]));

/** The heads of one kind among these names, as [layer, head]. */
export const offIn = (kind: Kind, names: readonly string[]): [layer: number, head: number][] =>
  names
    .flatMap((name) => parseHead(name) ?? [])
    .flatMap((one) => (one.kind === kind ? [[one.layer, one.head] as [number, number]] : []));

/** "Cross 2": a layer's name on the page, where layers are counted from 1. */
export const layerLabel = (kind: Kind, layer: number) => `${kindNames[kind]} ${layer + 1}`;

/** "Cross 2, head 4" */
export const headLabel = ({ kind, layer, head }: Head) =>
  words.heads.headOf(layerLabel(kind, layer), head + 1);
