/** T5Gemma (Zhang et al. 2025): an encoder and a decoder of Gemma 2's layers. */

import { Fields } from '../files/fields.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { type Family, fieldsOf, headOf, readTokens } from '../plans/family.js';
import { maxLengthOf } from '../plans/positions.js';
import { asEmbedding, type NameTable, nameBefore, renamed, type Target, tied } from '../plans/renaming.js';
import { preNorm, type StackName, withLayer } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import { fail } from '../values/errors.js';
import { gemma2Stack, logitsCap, plusOne, withActivation } from './gemma_like.js';
import { gemma2Defaults } from './gemma2.js';
import { slidingLayers, windowsOf } from './layer_types.js';

const inBoth: Readonly<Record<string, string>> = {
  pre_self_attn_layernorm: 'self_attn_norm',
  post_self_attn_layernorm: 'self_attn_post_norm',
  pre_cross_attn_layernorm: 'cross_attn_norm',
  post_cross_attn_layernorm: 'cross_attn_post_norm',
  pre_feedforward_layernorm: 'feed_forward_norm',
  post_feedforward_layernorm: 'feed_forward_post_norm',
  'mlp.gate_proj': 'feed_forward.fc1',
  'mlp.up_proj': 'feed_forward.gate',
  'mlp.down_proj': 'feed_forward.fc2',
  ...attentionNames('self_attn'),
  ...attentionNames('cross_attn'),
};

function attentionNames(name: string): Record<string, string> {
  const inputs = ['q_proj', 'k_proj', 'v_proj'].map((one) => [`${name}.${one}`, `${name}.${one}`]);
  return { ...Object.fromEntries(inputs), [`${name}.o_proj`]: `${name}.out_proj` };
}

const namesIn = (stack: StackName): Record<string, Target> => ({
  [`${stack}.embed_tokens`]: asEmbedding(`${stack}.embedding`),
  ...Object.fromEntries(
    Object.entries(inBoth).map(([stored, target]) => [
      `${stack}.layers.#.${stored}`,
      `${stack}.layers.#.${target}`,
    ]),
  ),
  [`${stack}.norm`]: `${stack}.norm`,
});

const table: NameTable = {
  prefixes: ['model.'],
  names: { ...namesIn('encoder'), ...namesIn('decoder'), 'lm_head.out_proj': 'projection' },
};

/** The fields of a stack. */
function fieldsIn(config: JsonObject, name: StackName): Fields {
  const own = config[name];
  if (!isJsonObject(own)) fail('bad_checkpoint', `config.json has no ${name}`);
  return new Fields(withActivation({ ...gemma2Defaults, ...own }), `config.json: ${name}`);
}

function stackIn(fields: Fields) {
  const stack = gemma2Stack(fields);
  const sliding = slidingLayers(fields, stack.numLayers, (layer) => layer % 2 === 0);
  const windows = windowsOf(fields.count('sliding_window'), sliding);
  return { ...withLayer(preNorm(stack), { normPlace: 'sandwich' }), ...windows };
}

export const t5gemma: Family = {
  modelTypes: ['t5gemma'],
  tokenizer: kinds.onlyJson,
  defaults: { pad_token_id: 0, bos_token_id: 2, eos_token_id: 1, tie_word_embeddings: true },
  plan(config, shapes) {
    headOf(config, 'T5Gemma', ['ForConditionalGeneration']);
    const fields = fieldsOf(config);
    const inDecoder = fieldsIn(config, 'decoder');
    const decoder = stackIn(inDecoder);
    const encoder = stackIn(fieldsIn(config, 'encoder'));
    const widths = [fieldsIn(config, 'encoder'), inDecoder].map((one) => one.count('hidden_size'));
    // The embeddings of both stacks have one scale.
    if (widths[0] !== widths[1])
      fail(
        'unsupported',
        `T5Gemma with an encoder of width ${widths[0]} and a decoder of width ${widths[1]} is not supported`,
      );
    const isTied = fields.flag('tie_word_embeddings');
    const vocab = inDecoder.count('vocab_size');
    return {
      model: {
        encoder,
        decoder,
        embeddingScale: Math.sqrt(inDecoder.count('hidden_size')),
        projection: { vocab, tied: isTied, ...logitsCap(inDecoder) },
      },
      slices: plusOne(tied(renamed(shapes, table), isTied && 'decoder.embedding.weight')),
      tokens: readTokens(fields),
      maxPositions: Math.min(...[encoder, decoder].map((one) => maxLengthOf(one.positions) ?? Infinity)),
      storedName: (name) => nameBefore(name, table),
    };
  },
};
