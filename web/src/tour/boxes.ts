/** The boxes of the map, in the order of computation, and what stands in each. */

import type { Part } from '../page/view.js';
import type { Anatomy } from '../reading/anatomy.js';
import { grouped } from '../words/numbers.js';
import { words } from '../words/words.js';

export interface Box {
  readonly part: Part;
  readonly title: string;
  /** Its shapes, where they are known. */
  readonly note: (anatomy: Anatomy | null) => string;
}

export interface Stack {
  /** `encoder × 2`; '' for what is in no stack. */
  readonly title: (anatomy: Anatomy | null) => string;
  readonly boxes: readonly Box[];
}

const heads = (anatomy: Anatomy | null) =>
  anatomy ? words.tour.heads(anatomy.heads) : words.tour.severalHeads;

const wide = (anatomy: Anatomy | null) =>
  anatomy?.dModel && anatomy.dFf
    ? `${anatomy.dModel} → ${anatomy.dFf} → ${anatomy.dModel}`
    : words.tour.eachForItself;

const times = (name: string, layers: number | undefined) => (layers ? `${name} × ${layers}` : name);

/** Whether the model has a part: one with a single stack has neither the other nor a look from one to the other. */
export function hasPart(part: Part, { encoderLayers, decoderLayers }: Anatomy): boolean {
  if (part.startsWith('encoder')) return encoderLayers > 0;
  if (part.startsWith('decoder')) return decoderLayers > 0;
  return part !== 'cross-attention' || (encoderLayers > 0 && decoderLayers > 0);
}

export const stacks: readonly Stack[] = [
  {
    title: () => '',
    boxes: [
      {
        part: 'words',
        title: words.tour.words,
        note: (anatomy) =>
          anatomy?.dModel ? `${anatomy.read} → ${anatomy.read} × ${anatomy.dModel}` : words.tour.vectorEach,
      },
      { part: 'positions', title: words.tour.positions, note: () => words.tour.whoWhere },
    ],
  },
  {
    title: (anatomy) => times(words.tour.encoder, anatomy?.encoderLayers),
    boxes: [
      { part: 'encoder-attention', title: words.tour.selfAttention, note: heads },
      { part: 'encoder-feed-forward', title: words.tour.feedForward, note: wide },
    ],
  },
  {
    title: (anatomy) => times(words.tour.decoder, anatomy?.decoderLayers),
    boxes: [
      {
        part: 'decoder-attention',
        title: words.tour.maskedSelfAttention,
        note: () => words.tour.whatIsWritten,
      },
      { part: 'cross-attention', title: words.tour.crossAttention, note: () => words.tour.looksAtRead },
      { part: 'decoder-feed-forward', title: words.tour.feedForward, note: wide },
    ],
  },
  {
    title: () => '',
    boxes: [
      {
        part: 'softmax',
        title: words.tour.softmax,
        note: (anatomy) =>
          anatomy?.vocabulary ? words.tour.vocabulary(grouped(anatomy.vocabulary)) : words.tour.shareEach,
      },
    ],
  },
];
