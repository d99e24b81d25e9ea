/** EuroBERT (Boizard et al. 2025): Llama's layers as an encoder. */

import type { Fields } from '../files/fields.js';
import type { HeadConfig, TransformerConfig } from '../modules/embind.js';
import { readActivation } from '../plans/activations.js';
import { type Family, fieldsOf, headOf } from '../plans/family.js';
import { maxLengthOf } from '../plans/positions.js';
import type { NameTable } from '../plans/renaming.js';
import { preNorm } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import { fail } from '../values/errors.js';
import { countLabels, tokenClassifier } from './bert_like.js';
import { asEncoder, planDecoder } from './decoder_like.js';
import { llamaDefaults, llamaStack, llamaTable } from './llama_like.js';

const heads = ['ForMaskedLM', 'ForSequenceClassification', 'ForTokenClassification'] as const;

const table: NameTable = {
  ...llamaTable,
  names: { ...llamaTable.names, dense: 'head.dense', classifier: 'head.classifier' },
};

/** What a classifier of texts reads, by `classifier_pooling`; `late`, the mean of the logits, is not supported. */
const readsOf: Readonly<Record<string, HeadConfig['reads']>> = { bos: 'first', mean: 'mean' };

function headFor(head: (typeof heads)[number] | 'Model', fields: Fields): Partial<TransformerConfig> {
  if (head === 'Model') return {};
  if (head === 'ForMaskedLM')
    return {
      projection: { vocab: fields.count('vocab_size'), tied: fields.flag('tie_word_embeddings') },
    };
  const classifier = tokenClassifier(countLabels(fields));
  if (head === 'ForTokenClassification') return { head: classifier };
  const pooling = fields.text('classifier_pooling', fields.text('clf_pooling', 'late'));
  const reads = Object.hasOwn(readsOf, pooling) ? readsOf[pooling] : undefined;
  if (!reads) fail('unsupported', `config.json: classifier_pooling '${pooling}' is not supported`);
  const activation = readActivation(fields, 'classifier_activation');
  const dense = { name: 'dense', outFeatures: fields.count('hidden_size'), activation };
  return { head: { reads, steps: [dense, ...(classifier.steps ?? [])] } };
}

export const eurobert: Family = {
  modelTypes: ['eurobert'],
  tokenizer: kinds.onlyJson,
  defaults: {
    ...llamaDefaults,
    vocab_size: 128256,
    hidden_size: 768,
    intermediate_size: 3072,
    num_hidden_layers: 12,
    num_attention_heads: 12,
    max_position_embeddings: 8192,
    rms_norm_eps: 1e-5,
    rope_theta: 250000,
    classifier_activation: 'gelu',
    bos_token_id: 128000,
    eos_token_id: 128001,
    pad_token_id: 128001,
  },
  plan(config, shapes) {
    const head = headOf(config, 'EuroBert', heads);
    const fields = fieldsOf(config);
    const decoder = llamaStack(fields, { bias: fields.flag('attention_bias') });
    const model = { decoder: preNorm(decoder), ...headFor(head, fields) };
    const maxPositions = maxLengthOf(decoder.positions);
    return asEncoder(planDecoder(fields, shapes, { model, table, maxPositions }));
  },
};
