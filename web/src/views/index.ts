/** The views below the stage: those of the story, in its order, and those of the workbench. Their code is loaded when they come near. */

import type { Note } from '../page/notes.js';
import type { Part, View } from '../page/view.js';
import { shippedModels } from '../reading/readings.js';
import { canTrain } from '../reading/training.js';
import { words } from '../words/words.js';

const attentions: readonly Part[] = ['encoder-attention', 'decoder-attention', 'cross-attention'];
const feedForwards: readonly Part[] = ['encoder-feed-forward', 'decoder-feed-forward'];

const arXiv = (id: string) => `https://arxiv.org/abs/${id}`;

/** What the decoder reads in training, and what it is to write in the same place. */
const teacherForcing: Note = {
  ...words.notes.forcing,
  rows: [
    { name: words.notes.forcing.reads, cells: [words.tokens.start, 'L’', 'animal', 'n’', 'a'] },
    { name: words.notes.forcing.writes, cells: ['L’', 'animal', 'n’', 'a', 'pas'] },
  ],
};

/** Needs the model that was trained without a look back. */
const bottleneck: View = {
  id: 'bottleneck',
  chapter: {
    question: words.chapters.bottleneck.question,
    name: words.chapters.bottleneck.name,
    source: '2014',
    paper: arXiv('1409.3215'),
    attempt: words.chapters.bottleneck.attempt,
    sheet: words.chapters.bottleneck.sheet,
    parts: [],
    isLarge: true,
  },
  claim: words.chapters.bottleneck.claim,
  text: words.chapters.bottleneck.text,
  load: async () => (await import('./bottleneck/bottleneck.js')).Bottleneck,
};

export const story: readonly View[] = [
  ...(shippedModels.includes('en-fr-bottleneck') ? [bottleneck] : []),
  {
    id: 'look-back',
    chapter: {
      question: words.chapters.lookBack.question,
      name: words.chapters.lookBack.name,
      source: words.chapters.lookBack.source,
      paper: arXiv('1409.0473'),
      attempt: words.chapters.lookBack.attempt,
      sheet: words.chapters.lookBack.sheet,
      parts: ['cross-attention'],
      isLarge: true,
    },
    claim: words.chapters.lookBack.claim,
    text: words.chapters.lookBack.text,
    isOfSentence: true,
    load: async () => (await import('./look_back/look_back.js')).LookBack,
  },
  {
    id: 'self-attention',
    chapter: {
      question: words.chapters.selfAttention.question,
      name: words.chapters.selfAttention.name,
      source: words.chapters.selfAttention.source,
      paper: arXiv('1706.03762'),
      attempt: words.chapters.selfAttention.attempt,
      sheet: words.chapters.selfAttention.sheet,
      parts: ['encoder-attention'],
      isLarge: true,
    },
    claim: words.chapters.selfAttention.claim,
    text: words.chapters.selfAttention.text,
    isOfSentence: true,
    isOfTransformer: true,
    load: async () => (await import('./self_attention/self_attention.js')).SelfAttention,
  },
  {
    id: 'attention',
    chapter: {
      question: words.chapters.attention.question,
      name: words.chapters.attention.name,
      source: 'softmax(QKᵀ / √d) V',
      attempt: words.chapters.attention.attempt,
      sheet: words.chapters.attention.sheet,
      parts: attentions,
    },
    claim: words.chapters.attention.claim,
    text: words.chapters.attention.text,
    isOfSentence: true,
    isOfTransformer: true,
    load: async () => (await import('./attention/attention.js')).Attention,
  },
  {
    id: 'split',
    chapter: {
      question: words.chapters.split.question,
      name: words.chapters.split.name,
      source: words.chapters.split.source,
      paper: arXiv('1706.03762'),
      attempt: words.chapters.split.attempt,
      sheet: words.chapters.split.sheet,
      parts: ['cross-attention'],
      isLarge: true,
    },
    claim: words.chapters.split.claim,
    text: words.chapters.split.text,
    isOfSentence: true,
    isOfTransformer: true,
    load: async () => (await import('./split/split.js')).Split,
  },
  {
    id: 'masks',
    chapter: {
      question: words.chapters.masks.question,
      name: words.chapters.masks.name,
      source: '',
      attempt: words.chapters.masks.attempt,
      sheet: words.chapters.masks.sheet,
      parts: ['decoder-attention'],
    },
    claim: words.chapters.masks.claim,
    text: words.chapters.masks.text,
    isOfSentence: true,
    isOfTransformer: true,
    load: async () => (await import('./masks/masks.js')).Masks,
  },
  {
    id: 'layers',
    chapter: {
      question: words.chapters.layers.question,
      name: words.chapters.layers.name,
      source: '',
      attempt: words.chapters.layers.attempt,
      sheet: words.chapters.layers.sheet,
      parts: feedForwards,
    },
    claim: words.chapters.layers.claim,
    text: words.chapters.layers.text,
    isOfSentence: true,
    isOfTransformer: true,
    load: async () => (await import('./layers/layers.js')).Layers,
  },
];

/** Needs the part of the package that trains. */
const learn: View = {
  id: 'learn',
  card: {
    name: words.chapters.learn.name,
    source: '',
    attempt: words.chapters.learn.attempt,
    parts: [],
  },
  claim: words.chapters.learn.claim,
  text: words.chapters.learn.text,
  load: async () => (await import('./learn/learn.js')).Learn,
};

/** Two sentences and one state at a time. */
const causes: View = {
  id: 'causes',
  card: {
    name: words.chapters.causes.name,
    source: '',
    attempt: words.chapters.causes.attempt,
    parts: attentions,
  },
  claim: words.chapters.causes.claim,
  text: words.chapters.causes.text,
  isOfSentence: true,
  isOfTransformer: true,
  load: async () => (await import('./causes/causes.js')).Causes,
};

/** What the workbench has, card by card: a view that opens one, and those that belong to it. */
export const workbench: readonly View[] = [
  {
    id: 'ten-years',
    card: {
      name: words.chapters.tenYears.name,
      source: words.chapters.tenYears.source,
      paper: arXiv('1508.04025'),
      attempt: words.chapters.tenYears.attempt,
      parts: ['cross-attention'],
    },
    claim: words.chapters.tenYears.claim,
    text: words.chapters.tenYears.text,
    notes: [
      {
        ...words.notes.feeding,
        formula: 'h̃ₜ = tanh(W [cₜ; sₜ])    p(yₜ) = softmax(V h̃ₜ)    sₜ₊₁ = RNN(sₜ, [yₜ; h̃ₜ])',
      },
    ],
    load: async () => (await import('./ten_years/ten_years.js')).TenYears,
  },
  {
    id: 'examples',
    claim: words.chapters.examples.claim,
    text: words.chapters.examples.text,
    load: async () => (await import('./examples/examples.js')).Examples,
  },
  {
    id: 'today',
    claim: words.chapters.today.claim,
    text: words.chapters.today.text,
    load: async () => (await import('./today/today.js')).Today,
  },
  {
    id: 'positions',
    card: {
      name: words.chapters.positions.name,
      source: '',
      attempt: words.chapters.positions.attempt,
      parts: ['positions'],
    },
    claim: words.chapters.positions.claim,
    text: words.chapters.positions.text,
    load: async () => (await import('./positions/positions.js')).Positions,
  },
  {
    id: 'whole',
    card: {
      name: words.chapters.whole.name,
      source: '',
      attempt: words.chapters.whole.attempt,
      parts: ['words', 'positions', ...attentions, ...feedForwards, 'softmax'],
    },
    claim: words.chapters.whole.claim,
    text: words.chapters.whole.text,
    notes: [words.notes.weights, teacherForcing, words.notes.embeddings],
    isOfSentence: true,
    isOfTransformer: true,
    load: async () => (await import('./whole/whole.js')).Whole,
  },
  {
    id: 'heads',
    claim: words.chapters.heads.claim,
    text: words.chapters.heads.text,
    isOfSentence: true,
    load: async () => (await import('./heads/heads.js')).Heads,
  },
  causes,
  {
    id: 'halves',
    card: {
      name: words.chapters.halves.name,
      source: '2018',
      paper: arXiv('1810.04805'),
      attempt: words.chapters.halves.attempt,
      parts: [
        'words',
        'positions',
        'encoder-attention',
        'encoder-feed-forward',
        'decoder-attention',
        'decoder-feed-forward',
        'softmax',
      ],
    },
    claim: words.chapters.halves.claim,
    text: words.chapters.halves.text,
    isOfSentence: true,
    isOfTransformer: true,
    load: async () => (await import('./halves/halves.js')).Halves,
  },
  {
    id: 'flash',
    card: {
      name: words.chapters.flash.name,
      source: words.chapters.flash.source,
      paper: arXiv('2205.14135'),
      attempt: words.chapters.flash.attempt,
      parts: attentions,
    },
    claim: words.chapters.flash.claim,
    text: words.chapters.flash.text,
    isOfSentence: true,
    isOfTransformer: true,
    load: async () => (await import('./flash/flash.js')).Flash,
  },
  {
    id: 'beams',
    card: {
      name: words.chapters.beams.name,
      source: '',
      attempt: words.chapters.beams.attempt,
      parts: ['softmax'],
    },
    claim: words.chapters.beams.claim,
    text: words.chapters.beams.text,
    notes: [words.notes.sampling],
    isOfSentence: true,
    load: async () => (await import('./beams/beams.js')).Beams,
  },
  {
    id: 'adder',
    card: {
      name: words.chapters.adder.name,
      source: '',
      attempt: words.chapters.adder.attempt,
      parts: [],
    },
    claim: words.chapters.adder.claim,
    text: words.chapters.adder.text,
    load: async () => (await import('./adder/adder.js')).Adder,
  },
  ...(canTrain ? [learn] : []),
  {
    id: 'cost',
    card: { name: words.chapters.cost.name, source: '', attempt: words.chapters.cost.attempt, parts: [] },
    claim: words.chapters.cost.claim,
    text: words.chapters.cost.text,
    load: async () => (await import('./cost/cost.js')).Cost,
  },
  {
    id: 'pictures',
    card: {
      name: words.chapters.pictures.name,
      source: '',
      attempt: words.chapters.pictures.attempt,
      parts: [],
    },
    claim: words.chapters.pictures.claim,
    text: words.chapters.pictures.text,
    load: async () => (await import('./pictures/pictures.js')).Pictures,
  },
  {
    id: 'your-model',
    card: {
      name: words.chapters.yourModel.name,
      source: '',
      attempt: words.chapters.yourModel.attempt,
      parts: [],
    },
    claim: words.chapters.yourModel.claim,
    text: words.chapters.yourModel.text,
    load: async () => (await import('./your_model/your_model.js')).YourModel,
  },
];

export const views: readonly View[] = [...story, ...workbench];
