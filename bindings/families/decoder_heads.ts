/** What follows the last hidden state of a decoder: the output projection, a classifier, or nothing. */

import type { Fields } from '../files/fields.js';
import type { JsonObject } from '../files/json_object.js';
import type { TransformerConfig } from '../modules/embind.js';
import { headOf } from '../plans/family.js';
import type { NameTable } from '../plans/renaming.js';
import { countLabels, tokenClassifier } from './bert_like.js';

/** The heads that these families have, named by the suffix of their class. */
const decoderHeads = ['ForCausalLM', 'ForSequenceClassification', 'ForTokenClassification'] as const;
type DecoderHead = (typeof decoderHeads)[number] | 'Model';

/**
 * The class that config.json names, without the family's prefix; a language model if it names none.
 *
 * @throws TransformerError `unsupported` for other classes
 */
export const decoderHeadOf = (config: JsonObject, family: string): DecoderHead =>
  Array.isArray(config.architectures) && config.architectures.length > 0
    ? headOf(config, family, decoderHeads)
    : 'ForCausalLM';

/** A model with the head in place of the output projection. */
export function withHead(
  head: DecoderHead,
  fields: Fields,
  model: Partial<TransformerConfig>,
): Partial<TransformerConfig> {
  if (head === 'ForCausalLM') return model;
  const { projection: _, ...rest } = model;
  if (head === 'Model') return rest;
  const labels = countLabels(fields);
  if (head === 'ForTokenClassification') return { ...rest, head: tokenClassifier(labels) };
  // Of the last token that is not padding, by its id.
  const id = fields.id('pad_token_id') ?? -1;
  const steps = [{ name: 'classifier', outFeatures: labels, bias: false }];
  return { ...rest, head: { steps, reads: 'last_is_not', id } };
}

/** The names of a model with that head. */
export function namesWith(head: DecoderHead, table: NameTable): NameTable {
  if (head === 'ForCausalLM') return table;
  const { lm_head: _, ...names } = table.names;
  return { ...table, names: head === 'Model' ? names : { ...names, score: 'head.classifier' } };
}
