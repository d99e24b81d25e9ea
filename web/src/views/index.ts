/** The views below the stage, in the order in which a reader meets them. Their code is loaded when they come near. */

import type { View } from '../page/view.js';

export const views: readonly View[] = [
  {
    id: 'positions',
    link: 'Positions',
    claim: 'Without positions, a sentence is a bag of words',
    text: 'Attention does not know what comes first. Something must be added to the words, or to the scores. Six schemes, from the paper’s sines to T5’s buckets.',
    load: async () => (await import('./positions/positions.js')).Positions,
  },
  {
    id: 'attention',
    link: 'Attention',
    claim: 'One attention is six lines of arithmetic',
    text: 'The query is compared with every key; the scores become weights; the weights mix the values. Change the scale or the temperature, hide a key, or bring your own numbers.',
    isOfSentence: true,
    isOfTransformer: true,
    load: async () => (await import('./attention/attention.js')).Attention,
  },
  {
    id: 'masks',
    link: 'Masks',
    claim: 'A mask decides who may see whom',
    text: 'A hidden cell is −∞ before the softmax and zero after it. Click cells, or choose a mask that has a name. The rest of the row shares what was hidden.',
    isOfSentence: true,
    isOfTransformer: true,
    load: async () => (await import('./masks/masks.js')).Masks,
  },
  {
    id: 'heads',
    link: 'Heads',
    claim: 'Every head looks in its own way',
    text: 'Each layer looks several times at once, each time with other weights. Choose a head to see it large; the mean of all heads hides what each of them does.',
    isOfSentence: true,
    load: async () => (await import('./heads/heads.js')).Heads,
  },
  {
    id: 'layers',
    link: 'Layers',
    claim: 'Each layer adds to what a word means',
    text: 'A word is a vector. Attention adds what it found elsewhere, the feed-forward step what it makes of that; after each layer one can ask what the decoder would say.',
    isOfSentence: true,
    isOfTransformer: true,
    load: async () => (await import('./layers/layers.js')).Layers,
  },
  {
    id: 'ten-years',
    link: 'Ten years',
    claim: 'Ten years of attention differ in one line: the score',
    text: 'A recurrent decoder scored each word it had read, with a small network or a product. The transformer kept the product, scaled it, and dropped the recurrence.',
    load: async () => (await import('./ten_years/ten_years.js')).TenYears,
  },
  {
    id: 'pictures',
    link: 'Pictures',
    claim: 'A picture is a sentence of patches',
    text: 'A transformer reads images too: 49 patches instead of words, and a class token that looks at them. Draw a digit and see what it looks at.',
    load: async () => (await import('./pictures/pictures.js')).Pictures,
  },
  {
    id: 'your-model',
    link: 'Your model',
    claim: 'Look into a model of your own',
    text: 'Drop the folder of a checkpoint: encoder and decoder, or one of them alone. It is read in this tab and sent nowhere; the views above then show it.',
    load: async () => (await import('./your_model/your_model.js')).YourModel,
  },
  {
    id: 'cost',
    link: 'Cost',
    claim: 'Most of the time goes into plain products',
    text: 'Attention grows with the square of the length, but in a short sentence the products with weights take the time. Measured here, on your machine.',
    load: async () => (await import('./cost/cost.js')).Cost,
  },
];
