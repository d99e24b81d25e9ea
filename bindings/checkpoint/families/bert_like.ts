/** What BERT, RoBERTa and DistilBERT have in common: an encoder, and what is put on top of it. */

import type { EngineActivation, EngineConfig, EngineHead } from '../../engine/engine_config.js';
import { defaultEngineConfig } from '../../engine/engine_config.js';
import type { Fields } from '../json/fields.js';
import type { Slice } from '../weights/slices.js';
import type { StoredName } from './renaming.js';

/** The names of the sizes, which DistilBERT calls differently. */
export interface EncoderSizes {
  readonly dModel: number;
  readonly numHeads: number;
  readonly dFf: number;
  readonly numEncoderLayers: number;
  readonly activation: EngineActivation;
  readonly eps: number;
}

/** An encoder with learned positions, norms after each block and one of the embeddings. */
export function bertEngine(fields: Fields, sizes: EncoderSizes): EngineConfig {
  const vocabulary = fields.count('vocab_size');
  return {
    ...defaultEngineConfig,
    ...sizes,
    numKvHeads: sizes.numHeads,
    kDim: sizes.dModel,
    vDim: sizes.dModel,
    numDecoderLayers: 0,
    bias: true,
    norm: 'post',
    embeddingNorm: true,
    encoderNorm: false,
    decoderNorm: false,
    srcVocabSize: vocabulary,
    tgtVocabSize: vocabulary,
    shareEmbeddings: false,
    projection: false,
    projectionBias: false,
    tieEmbeddings: false,
    positions: 'learned',
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
  readonly words: EngineActivation;
  readonly text: EngineActivation;
}

export function commonHead(
  head: CommonHead,
  fields: Fields,
  sizes: EncoderSizes,
  { words, text }: HeadActivations,
): Partial<EngineConfig> {
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
function textClassifier(sizes: EncoderSizes, labels: number, activation: EngineActivation): EngineHead {
  return {
    firstOnly: true,
    steps: [
      { name: 'dense', outFeatures: sizes.dModel, bias: true, activation },
      { name: 'classifier', outFeatures: labels, bias: true, activation: 'none' },
    ],
  };
}

/** A classifier of each token. */
export function tokenClassifier(labels: number): EngineHead {
  return {
    firstOnly: false,
    steps: [{ name: 'classifier', outFeatures: labels, bias: true, activation: 'none' }],
  };
}

/** What turns states into guesses at masked words, before the output projection, which is the embedding. */
export function maskedWords(
  fields: Fields,
  { dModel, eps }: EncoderSizes,
  activation: EngineActivation,
): Pick<EngineConfig, 'head' | 'projection' | 'projectionBias' | 'tieEmbeddings'> {
  fields.only('tie_word_embeddings', true);
  const steps = [
    { name: 'dense', outFeatures: dModel, bias: true, activation },
    { name: 'norm', eps },
  ];
  return { head: { firstOnly: false, steps }, projection: true, projectionBias: true, tieEmbeddings: true };
}

/** The output projection, where it is stored: its matrix is the embedding's once more. */
export const outputMatrix = ({ name, shape, part }: StoredName): Slice[] => {
  const target = part === 'weight' ? 'encoder.embedding.weight' : 'projection.bias';
  return [{ name: target, from: name, firstRow: 0, rows: null, shape }];
};
