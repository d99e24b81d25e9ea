/** The whole model as boxes, with the shape of what goes through each and the parameters that it has. */

import type { Anatomy } from '../../reading/anatomy.js';
import { grouped } from '../../words/numbers.js';
import { words } from '../../words/words.js';

export interface Box {
  readonly title: string;
  readonly formula: string;
  /** What goes in and what comes out: `15 × 128 → 15 × 128`; '' where it is not known. */
  readonly shape: string;
  /** Of all layers together; `null` where they are not counted. */
  readonly parameters: number | null;
  /** The view that tells of it. */
  readonly chapter: string;
  /** Whether it is in each layer of its stack. */
  readonly isRepeated: boolean;
  readonly isAttention: boolean;
}

export interface Column {
  readonly title: string;
  readonly layers: number;
  readonly boxes: readonly Box[];
}

type Name = 'words' | 'positions' | 'self' | 'masked' | 'cross' | 'feedForward' | 'norms' | 'softmax';

const told: Readonly<Record<Name, readonly [title: string, formula: string, chapter: string]>> = {
  words: [words.tour.words, 'x = √d · E[id]', 'self-attention'],
  positions: [words.tour.positions, words.whole.formulas.positions, 'positions'],
  self: [words.tour.selfAttention, words.whole.formulas.self, 'self-attention'],
  masked: [words.tour.maskedSelfAttention, words.whole.formulas.masked, 'masks'],
  cross: [words.tour.crossAttention, words.whole.formulas.cross, 'look-back'],
  feedForward: [words.tour.feedForward, 'max(0, x W₁ + b₁) W₂ + b₂', 'layers'],
  norms: [words.tour.norms, words.whole.formulas.norms, 'layers'],
  softmax: [words.tour.softmax, words.whole.formulas.softmax, 'beams'],
};

export function columnsOf(anatomy: Anatomy): Column[] {
  const { encoderLayers, decoderLayers } = anatomy;
  const columns: Column[] = [];
  if (encoderLayers > 0)
    columns.push({ title: words.tour.encoderTitle, layers: encoderLayers, boxes: encoderBoxes(anatomy) });
  if (decoderLayers > 0)
    columns.push({ title: words.tour.decoderTitle, layers: decoderLayers, boxes: decoderBoxes(anatomy) });
  return columns;
}

function encoderBoxes(anatomy: Anatomy): Box[] {
  const { encoderLayers: layers, read, parameters } = anatomy;
  const box = maker(anatomy, read);
  return [
    box('words', parameters?.embedding ?? null),
    box('positions', parameters && 0),
    box('self', parameters && layers * parameters.attention),
    box('feedForward', parameters && layers * parameters.feedForward),
    box('norms', parameters && (2 * layers + 1) * parameters.norm),
  ];
}

function decoderBoxes(anatomy: Anatomy): Box[] {
  const { decoderLayers: layers, encoderLayers, written, parameters } = anatomy;
  const box = maker(anatomy, written);
  const hasCross = encoderLayers > 0;
  return [
    // The same matrix as the encoder's, which is counted once.
    box('words', parameters && (hasCross ? 0 : parameters.embedding)),
    box('positions', parameters && 0),
    box('masked', parameters && layers * parameters.attention),
    ...(hasCross ? [box('cross', parameters && layers * parameters.attention)] : []),
    box('feedForward', parameters && layers * parameters.feedForward),
    box('norms', parameters && ((hasCross ? 3 : 2) * layers + 1) * parameters.norm),
    box('softmax', parameters && 0),
  ];
}

const maker =
  (anatomy: Anatomy, tokens: number) =>
  (name: Name, parameters: number | null): Box => {
    const [title, formula, chapter] = told[name];
    return {
      title,
      formula,
      chapter,
      parameters,
      shape: shapeOf(name, anatomy, tokens),
      isRepeated: !['words', 'positions', 'softmax'].includes(name),
      isAttention: ['self', 'masked', 'cross'].includes(name),
    };
  };

function shapeOf(name: Name, { dModel, dFf, vocabulary, heads, read }: Anatomy, tokens: number): string {
  if (!dModel) return '';
  const rows = `${tokens} × ${dModel}`;
  if (name === 'words') return `${tokens} → ${rows}`;
  if (name === 'softmax') return vocabulary ? `${rows} → ${tokens} × ${grouped(vocabulary)}` : '';
  if (name === 'feedForward') return dFf ? `${rows} → ${tokens} × ${dFf} → ${rows}` : rows;
  if (name === 'cross') return words.whole.headsOf(heads, tokens, read);
  if (name === 'self' || name === 'masked') return words.whole.headsOf(heads, tokens, tokens);
  return rows;
}

/** `1,679,872 parameters: 45 % are the words, 24 % attention, 31 % feed-forward.` */
export function totalOf(columns: readonly Column[]): { title: string; parameters: number }[] {
  const sums = new Map<string, number>();
  for (const { boxes } of columns)
    for (const { title, isAttention, parameters } of boxes) {
      const name = isAttention ? words.whole.attention : title;
      if (parameters) sums.set(name, (sums.get(name) ?? 0) + parameters);
    }
  return [...sums]
    .map(([title, parameters]) => ({ title, parameters }))
    .sort((a, b) => b.parameters - a.parameters);
}
