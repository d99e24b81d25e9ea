/** What BERT, RoBERTa and DistilBERT have in common: an encoder, and what is put on top of it. */

import type { HeadConfig, TransformerConfig } from '../../engine/embind.js';
import type { Fields } from '../json/fields.js';
import type { Slice } from '../weights/slices.js';
import type { Activation } from './activations.js';
import type { StoredName } from './renaming.js';
import { type Stack, type StackSizes, stackOf } from './stack.js';

/** An encoder with learned positions, and a norm of the embeddings. */
export function bertEncoder(fields: Fields, sizes: StackSizes, maxLength: number): Stack {
  return {
    ...stackOf(sizes),
    vocab: fields.count('vocab_size'),
    embeddingNorm: true,
    positions: { learned: { maxLength } },
  };
}

/** The number of labels of a classifier: two where nothing is said. */
export function countLabels(fields: Fields): number {
  const labels = fields.raw('id2label');
  const named = typeof labels === 'object' && labels !== null ? Object.keys(labels).length : 0;
  return named > 0 ? named : fields.count('num_labels', 2);
}

/** The heads that all three have, by the ends of their classes' names. */
export const commonHeads = ['ForMaskedLM', 'ForSequenceClassification', 'ForTokenClassification'] as const;
export type CommonHead = (typeof commonHeads)[number];

/** What the steps of a common head are followed by, which is where the families differ. */
interface HeadActivations {
  readonly words: Activation;
  readonly text: Activation;
}

export function commonHead(
  head: CommonHead,
  fields: Fields,
  sizes: StackSizes,
  { words, text }: HeadActivations,
): Partial<TransformerConfig> {
  switch (head) {
    case 'ForMaskedLM':
      return maskedWords(fields, sizes, words);
    case 'ForSequenceClassification':
      return { head: textClassifier(sizes, countLabels(fields), text) };
    case 'ForTokenClassification':
      return { head: tokenClassifier(countLabels(fields)) };
  }
}

/** A classifier of whole texts: a dense layer on the first state, then one output a label. */
function textClassifier({ dModel }: StackSizes, labels: number, activation: Activation): Partial<HeadConfig> {
  return {
    firstOnly: true,
    steps: [
      { name: 'dense', outFeatures: dModel, activation },
      { name: 'classifier', outFeatures: labels },
    ],
  };
}

/** A classifier of each token. */
export function tokenClassifier(labels: number): Partial<HeadConfig> {
  return { steps: [{ name: 'classifier', outFeatures: labels }] };
}

/** What turns states into guesses at masked words, before the output projection, which is the embedding. */
export function maskedWords(
  fields: Fields,
  { dModel, eps }: StackSizes,
  activation: Activation,
): Pick<TransformerConfig, 'head' | 'projection'> {
  fields.only('tie_word_embeddings', true);
  const norm = eps === undefined ? {} : { eps };
  return {
    head: {
      steps: [
        { name: 'dense', outFeatures: dModel, activation },
        { name: 'norm', norm },
      ],
    },
    projection: { vocab: fields.count('vocab_size'), bias: true, tied: true },
  };
}

/** The output projection, where it is stored: its matrix is the embedding's once more. */
export const outputMatrix = ({ name, shape, part }: StoredName): Slice[] => {
  const target = part === 'weight' ? 'encoder.embedding.weight' : 'projection.bias';
  return [{ name: target, from: name, firstRow: 0, rows: null, shape }];
};
