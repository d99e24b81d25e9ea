/** What BERT and its relatives share: an encoder, and the heads on top of it. */

import type { Fields } from '../files/fields.js';
import type { HeadConfig, TransformerConfig } from '../modules/embind.js';
import type { Activation } from '../plans/activations.js';
import { type Plan, readTokens, type TransformerPlan } from '../plans/family.js';
import { type NameTable, nameBefore, renamed, type StoredName } from '../plans/renaming.js';
import { type Stack, type StackSizes, stackOf } from '../plans/stack.js';
import type { Shapes, Slice } from '../weights/slices.js';

/** An encoder with learned positions and a norm after the embeddings. */
export function bertEncoder(fields: Fields, sizes: StackSizes, maxLength: number): Stack {
  return {
    ...stackOf(sizes),
    vocab: fields.count('vocab_size'),
    embeddingNorm: true,
    positions: { learned: { maxLength } },
  };
}

/** The number of labels of a classifier; 2 if config.json does not say. */
export function countLabels(fields: Fields): number {
  const labels = fields.raw('id2label');
  const named = typeof labels === 'object' && labels !== null ? Object.keys(labels).length : 0;
  return named > 0 ? named : fields.count('num_labels', 2);
}

/** The heads that most of these families have, named by the suffix of their class. */
export const commonHeads = [
  'ForMaskedLM',
  'ForSequenceClassification',
  'ForTokenClassification',
  'ForQuestionAnswering',
] as const;
export type CommonOutputHead = (typeof commonHeads)[number];

/** The activations inside of the common heads, in which the families differ. */
interface HeadActivations {
  readonly words: Activation;
  readonly text: Activation;
}

export function commonHead(
  head: CommonOutputHead,
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
    case 'ForQuestionAnswering':
      // One score for the begin of the answer and one for its end.
      return { head: tokenClassifier(2) };
  }
}

/** The names of the heads that nearly all of these families store alike. */
export const commonNames = {
  ForTokenClassification: { classifier: 'head.classifier' },
  ForQuestionAnswering: { qa_outputs: 'head.classifier' },
} as const;

/** How the logits of a head are returned. */
const logitsOf = (head: string): Pick<Plan, 'logits'> =>
  head === 'ForQuestionAnswering' ? { logits: 'spans' } : {};

/** Plans an encoder with a head, whose tensors have other names. */
export function planEncoder(
  fields: Fields,
  shapes: Shapes,
  {
    head,
    table,
    ...plan
  }: Pick<TransformerPlan, 'model' | 'maxPositions'> & { readonly head: string; readonly table: NameTable },
): TransformerPlan {
  return {
    ...plan,
    slices: renamed(shapes, table),
    tokens: readTokens(fields, false),
    ...logitsOf(head),
    storedName: (name) => nameBefore(name, table),
  };
}

/** Sequence classifier: a dense layer on the first hidden state, then one output per label. */
function textClassifier({ dModel }: StackSizes, labels: number, activation: Activation): Partial<HeadConfig> {
  return {
    reads: 'first',
    steps: [
      { name: 'dense', outFeatures: dModel, activation },
      { name: 'classifier', outFeatures: labels },
    ],
  };
}

/** Token classifier: one output per label for each token. */
export function tokenClassifier(labels: number): Partial<HeadConfig> {
  return { steps: [{ name: 'classifier', outFeatures: labels }] };
}

/** Masked-language-model head: transforms the hidden states before the tied output projection. */
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
        { name: 'dense', outFeatures: fields.count('embedding_size', dModel), activation },
        { name: 'norm', norm },
      ],
    },
    projection: { vocab: fields.count('vocab_size'), bias: true, tied: true },
  };
}

/** The output projection, if stored; its matrix duplicates the embedding. */
export const outputMatrix = ({ name, shape, part }: StoredName): Slice[] => {
  const target = part === 'weight' ? 'encoder.embedding.weight' : 'projection.bias';
  return [{ name: target, from: name, firstRow: 0, rows: null, shape, purpose: 'embedding' }];
};
