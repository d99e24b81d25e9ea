/** The boxes of the map, in the order of computation, and what stands in each. */

import type { Part } from '../page/view.js';
import { type Anatomy, grouped } from '../reading/anatomy.js';

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

const heads = (anatomy: Anatomy | null) => (anatomy ? `${anatomy.heads} heads` : 'several heads');

const wide = (anatomy: Anatomy | null) =>
  anatomy?.dModel && anatomy.dFf
    ? `${anatomy.dModel} → ${anatomy.dFf} → ${anatomy.dModel}`
    : 'each word for itself';

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
        title: 'words',
        note: (anatomy) =>
          anatomy?.dModel ? `${anatomy.read} → ${anatomy.read} × ${anatomy.dModel}` : 'a vector each',
      },
      { part: 'positions', title: '+ positions', note: () => 'who stands where' },
    ],
  },
  {
    title: (anatomy) => times('encoder', anatomy?.encoderLayers),
    boxes: [
      { part: 'encoder-attention', title: 'self-attention', note: heads },
      { part: 'encoder-feed-forward', title: 'feed-forward', note: wide },
    ],
  },
  {
    title: (anatomy) => times('decoder', anatomy?.decoderLayers),
    boxes: [
      { part: 'decoder-attention', title: 'masked self-attention', note: () => 'what is written so far' },
      { part: 'cross-attention', title: 'cross-attention', note: () => 'looks at what was read' },
      { part: 'decoder-feed-forward', title: 'feed-forward', note: wide },
    ],
  },
  {
    title: () => '',
    boxes: [
      {
        part: 'softmax',
        title: 'softmax',
        note: (anatomy) =>
          anatomy?.vocabulary ? `${grouped(anatomy.vocabulary)} words` : 'a share for each word',
      },
    ],
  },
];
