/** The keys of a GGUF file as the config.json of the Python library. */

import { Fields } from '../../files/fields.js';
import type { JsonObject } from '../../files/json_object.js';
import { fail } from '../../values/errors.js';
import type { GgufHeader, Metadata } from '../../weights/gguf_header.js';
import { type Architecture, shapesOf } from './architecture.js';
import { architectures } from './architectures.js';

/** The keys of a file, which messages name in full. */
export interface GgufKeys {
  readonly architecture: Architecture;
  /** Those of its architecture, without its name. */
  readonly fields: Fields;
}

/** @throws TransformerError `unsupported` for another architecture, or what others have but it has not */
export function keysOf({ metadata }: GgufHeader, file: string): GgufKeys {
  const name = metadata.get('general.architecture');
  if (typeof name !== 'string') fail('bad_checkpoint', `${file} has no general.architecture`);
  const architecture = architectures.get(name);
  if (!architecture) {
    const supported = [...architectures.keys()].join(', ');
    fail('unsupported', `${file}: the architecture '${name}' is not supported; supported are ${supported}`);
  }
  const fields = new Fields(fieldsBelow(metadata, `${name}.`), `${file}: ${name}`);
  const parts = metadata.get('split.count') ?? 1;
  if (parts !== 1)
    fail(
      'unsupported',
      `${file} is one of ${parts} parts: join them, with 'llama-gguf-split --merge' for instance`,
    );
  if (fields.count('expert_count', 0, 0) > 0)
    fail('unsupported', `${file}: a mixture of experts (${name}.expert_count) is not supported`);
  return { architecture, fields };
}

const fieldsBelow = (metadata: Metadata, prefix: string): JsonObject =>
  Object.fromEntries(
    [...metadata].flatMap(([key, value]) =>
      key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [],
    ),
  );

/**
 * @param frequencyFactors the numbers of `rope_freqs.weight`, if the file has it
 * @throws TransformerError `bad_checkpoint`, `unsupported`
 */
export function configOf(
  { metadata, tensors }: GgufHeader,
  { architecture, fields }: GgufKeys,
  frequencyFactors: Float32Array | null,
): JsonObject {
  const { modelType, className } = architecture;
  const shapeOf = shapesOf(tensors);
  const hidden = fields.count('embedding_length');
  const heads = fields.count('attention.head_count');
  const dHead = fields.count('attention.key_length', Math.floor(hidden / heads));
  fields.only('attention.value_length', dHead);
  fields.only('rope.dimension_count', dHead);
  return {
    model_type: modelType,
    architectures: [className],
    vocab_size: shapeOf('token_embd.weight')?.[0] ?? fields.count('vocab_size'),
    hidden_size: hidden,
    intermediate_size: fields.count('feed_forward_length'),
    num_hidden_layers: fields.count('block_count'),
    num_attention_heads: heads,
    num_key_value_heads: fields.count('attention.head_count_kv', heads),
    head_dim: dHead,
    ...epsilonOf(fields),
    max_position_embeddings: fields.count('context_length'),
    rope_theta: fields.number('rope.freq_base', 10000),
    rope_scaling: scalingOf(fields, frequencyFactors),
    attention_bias: shapeOf('blk.0.attn_q.bias') !== undefined,
    tie_word_embeddings: shapeOf('output.weight') === undefined,
    ...architecture.config?.(fields, shapeOf),
    ...tokenIds(metadata),
  };
}

/** Of layer norms or RMS norms; families read it under different names. */
function epsilonOf(fields: Fields): JsonObject {
  const isLayerNorm = fields.has('attention.layer_norm_epsilon');
  const epsilon = fields.number(`attention.layer_norm_${isLayerNorm ? '' : 'rms_'}epsilon`);
  return { rms_norm_eps: epsilon, layer_norm_eps: epsilon, norm_eps: epsilon };
}

function scalingOf(fields: Fields, frequencyFactors: Float32Array | null): JsonObject | null {
  if (frequencyFactors) return { rope_type: 'divided', factors: [...frequencyFactors] };
  const type = fields.text('rope.scaling.type', 'none');
  if (type === 'none') return null;
  const factor = fields.number('rope.scaling.factor', 1);
  const length = 'rope.scaling.original_context_length';
  if (type === 'linear') return { rope_type: type, factor };
  if (type === 'yarn')
    return {
      rope_type: type,
      factor,
      original_max_position_embeddings: fields.count(length, fields.count('context_length')),
    };
  return fail(
    'unsupported',
    `rope.scaling.type '${type}' is not supported; supported are none, linear, yarn`,
  );
}

/** The special tokens of the model. */
function tokenIds(metadata: Metadata): JsonObject {
  const ids: Record<string, unknown> = {};
  for (const [field, key] of [
    ['bos_token_id', 'bos_token_id'],
    ['eos_token_id', 'eos_token_id'],
    ['pad_token_id', 'padding_token_id'],
    ['unk_token_id', 'unknown_token_id'],
  ] as const)
    ids[field] = metadata.get(`tokenizer.ggml.${key}`) ?? null;
  return ids;
}

/** Texts that end a turn, as llama.cpp knows them. */
const turnEnds = [
  '<|eot_id|>',
  '<|im_end|>',
  '<|end|>',
  '<end_of_turn>',
  '<|endoftext|>',
  '<|eom_id|>',
  '<EOT>',
];

/** The generation_config.json: what ends a text. A chat's turns may end in another token than a text. */
export function generationOf(metadata: Metadata): JsonObject {
  const ends = new Set<unknown>();
  for (const key of ['eos', 'eot', 'eom']) ends.add(metadata.get(`tokenizer.ggml.${key}_token_id`));
  const [tokens, types] = ['tokens', 'token_type'].map((key) => metadata.get(`tokenizer.ggml.${key}`));
  if (Array.isArray(tokens) && Array.isArray(types) && metadata.has('tokenizer.chat_template'))
    for (const end of turnEnds) {
      const id = tokens.indexOf(end);
      if (types[id] === 3) ends.add(id);
    }
  ends.delete(undefined);
  return { eos_token_id: [...ends] };
}
