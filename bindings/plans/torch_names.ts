/**
 * Maps PyTorch's tensor names for attention and transformer modules to the engine's. The engine keeps queries, keys and
 * values apart and names each part of a layer by its role; PyTorch stacks the three projections (`in_proj_weight`) and
 * numbers the norms.
 */

import { fail } from '../values/errors.js';
import { elements } from '../values/tensor.js';
import type { Shapes, Slice } from '../weights/slices.js';

/** `nn.MultiheadAttention`. `prefix` (such as `'self_attn.'`) precedes the existing names, `to` the resulting ones. */
export function attentionSlices(shapes: Shapes, prefix = '', to = ''): Slice[] {
  return collect(shapes, prefix, (name, rest) => attention(shapes, name, rest, to));
}

/** `nn.Linear` has the same names as the engine. */
export function linearSlices(shapes: Shapes): Slice[] {
  return collect(shapes, '', (name) => (isParameter(name) ? [whole(shapes, name, name)] : []));
}

/** `nn.GRU` and `nn.LSTM` have the same names as the engine. */
export function recurrentSlices(shapes: Shapes): Slice[] {
  const isCell = /^(weight|bias)_[ih]h_l\d+(_reverse)?$/;
  return collect(shapes, '', (name) => (isCell.test(name) ? [whole(shapes, name, name)] : []));
}

/** `linear1` and `linear2`, as in PyTorch's layers. */
export function feedForwardSlices(shapes: Shapes): Slice[] {
  return collect(shapes, '', (name) => {
    const [, first, part] = /^linear([12])\.(weight|bias)$/.exec(name) ?? [];
    return first ? [whole(shapes, name, `fc${first}.${part}`)] : [];
  });
}

/** `nn.TransformerEncoderLayer`. */
export function encoderLayerSlices(shapes: Shapes, prefix = '', to = ''): Slice[] {
  return collect(shapes, prefix, (name, rest) => layer(shapes, name, rest, to, encoderNorms));
}

/** `nn.TransformerDecoderLayer`, also without cross-attention (a layer of a decoder alone). */
export function decoderLayerSlices(shapes: Shapes, prefix = '', to = ''): Slice[] {
  const norms = hasAny(shapes, `${prefix}multihead_attn.`) ? decoderNorms : encoderNorms;
  return collect(shapes, prefix, (name, rest) => layer(shapes, name, rest, to, norms));
}

/**
 * `nn.Transformer`, `nn.TransformerEncoder` or `nn.TransformerDecoder`, with the usual names for the embeddings,
 * learned positions and output projection around them. `only` names the stack of a single-stack model; an
 * `nn.TransformerEncoder` under a causal mask is a decoder alone.
 */
export function transformerSlices(shapes: Shapes, only?: 'encoder' | 'decoder'): Slice[] {
  const bare = only ?? (hasAny(shapes, 'multihead_attn.', true) ? 'decoder' : 'encoder');
  const stacks = only ? [only] : (['encoder', 'decoder'] as const);
  const slices: Slice[] = [];
  for (const name of shapes.keys()) {
    const rest = withoutWrapper(name);
    const around = aroundStacks[rest];
    if (around) slices.push(whole(shapes, name, around(only)));
    else if (/^position(s|_embedding|al_embedding)\.weight$/.test(rest)) {
      slices.push(
        ...stacks.map((stack) => whole(shapes, name, addedTable(`${stack}.positions.weight`)(only))),
      );
    } else slices.push(...inStack(shapes, name, rest, only, bare));
  }
  return withoutDoubles(slices);
}

/** Tables and flags that are stored although they can be computed, so ignoring them loses nothing. */
export function isKnownBuffer(name: string): boolean {
  return knownBuffers.some((pattern) => pattern.test(name));
}

const knownBuffers = [
  /(^|\.)(positional_encoding\.(pos_embedding|pe)|pos_encoder\.pe|pe|position_ids|(src|tgt)_mask)$/,
  // GPT-2's masks, BART's version numbers, rotary frequencies, default token types, sinusoids.
  /(^|\.)attn\.(bias|masked_bias)$/,
  /(^|\.)(encoder|decoder)\.version$/,
  /(^|\.)rotary_emb\.inv_freq$/,
  /(^|\.)embeddings\.token_type_ids$/,
  /(^|\.)(encoder|decoder)\.embed_positions\.(weights?|_float_tensor)$/,
  // T5's relative bias of cross-attention, which is unused.
  /EncDecAttention\.relative_attention_bias\.weight$/,
];

/** PyTorch's name for an engine tensor, for messages about missing tensors. */
export function storedName(name: string): string {
  const isDecoder = name.startsWith('decoder.');
  return name
    .replace(/\.[qkv]_proj\.(weight|bias)$/, '.in_proj_$1')
    .replace('.self_attn_norm.', '.norm1.')
    .replace('.cross_attn_norm.', '.norm2.')
    .replace('.feed_forward_norm.', isDecoder ? '.norm3.' : '.norm2.')
    .replace('.cross_attn.', '.multihead_attn.')
    .replace('.feed_forward.fc', '.linear')
    .replace(/^(encoder|decoder)\.(?=embedding|positions)/, isDecoder ? 'tgt_' : 'src_');
}

/** The name without the prefix of a wrapping module. */
function withoutWrapper(name: string): string {
  return name.replace(/^((transformer|model|module)\.)+/, '');
}

type Norms = Readonly<Record<string, string>>;
const encoderNorms: Norms = { norm1: 'self_attn_norm', norm2: 'feed_forward_norm' };
const decoderNorms: Norms = { norm1: 'self_attn_norm', norm2: 'cross_attn_norm', norm3: 'feed_forward_norm' };
const attentions: Norms = { self_attn: 'self_attn', multihead_attn: 'cross_attn' };
const linears: Norms = { linear1: 'feed_forward.fc1', linear2: 'feed_forward.fc2' };

type Only = 'encoder' | 'decoder' | undefined;
type Around = (only: Only) => Pick<Slice, 'name' | 'purpose'>;
const sourceTable: Around = () => ({ name: 'encoder.embedding.weight', purpose: 'embedding' });
const targetTable: Around = () => ({ name: 'decoder.embedding.weight', purpose: 'embedding' });
/** A table shared by both stacks, or the table of the only stack. */
const sharedTable: Around = (only) => ({
  name: only ? `${only}.embedding.weight` : 'embedding.weight',
  purpose: 'embedding',
});
const addedTable =
  (name: string): Around =>
  () => ({ name, purpose: 'table' });
const projection =
  (part: string): Around =>
  () => ({ name: `projection.${part}` });

const aroundStacks: Readonly<Record<string, Around>> = {
  'embedding.weight': sharedTable,
  'shared_embedding.weight': sharedTable,
  'token_embedding.weight': sharedTable,
  'src_embedding.weight': sourceTable,
  'src_tok_emb.weight': sourceTable,
  'src_tok_emb.embedding.weight': sourceTable,
  'encoder.embedding.weight': sourceTable,
  'tgt_embedding.weight': targetTable,
  'tgt_tok_emb.weight': targetTable,
  'tgt_tok_emb.embedding.weight': targetTable,
  'decoder.embedding.weight': targetTable,
  'src_positions.weight': addedTable('encoder.positions.weight'),
  'encoder.positions.weight': addedTable('encoder.positions.weight'),
  'tgt_positions.weight': addedTable('decoder.positions.weight'),
  'decoder.positions.weight': addedTable('decoder.positions.weight'),
  'encoder.relative_bias.weight': addedTable('encoder.relative_bias.weight'),
  'decoder.relative_bias.weight': addedTable('decoder.relative_bias.weight'),
  'projection.weight': projection('weight'),
  'projection.bias': projection('bias'),
  'generator.weight': projection('weight'),
  'generator.bias': projection('bias'),
};

/** `encoder.layers.0.norm1.weight`, or `layers.0.norm1.weight` in a single-stack model. */
function inStack(
  shapes: Shapes,
  name: string,
  rest: string,
  only: Only,
  bare: 'encoder' | 'decoder',
): Slice[] {
  const found = /^(?:(?:transformer_)?(encoder|decoder)\.)?(layers\.\d+|norm)\.(.+)$/.exec(rest);
  if (!found) return [];
  const [, stored, part = '', inside = ''] = found;
  const stack = only ?? stored ?? bare;
  if (part === 'norm') return [whole(shapes, name, `${stack}.norm.${inside}`)];
  const prefix = name.slice(0, name.length - inside.length);
  const norms = hasAny(shapes, `${prefix}multihead_attn.`) ? decoderNorms : encoderNorms;
  return layer(shapes, name, inside, `${stack}.${part}.`, norms);
}

function layer(shapes: Shapes, name: string, rest: string, to: string, norms: Norms): Slice[] {
  const dot = rest.indexOf('.');
  const part = rest.slice(0, dot);
  const inside = rest.slice(dot + 1);
  const toAttention = attentions[part];
  if (toAttention) return attention(shapes, name, inside, `${to}${toAttention}.`);
  const target = linears[part] ?? norms[part];
  return target && isParameter(inside) ? [whole(shapes, name, `${to}${target}.${inside}`)] : [];
}

function attention(shapes: Shapes, name: string, rest: string, to: string): Slice[] {
  if (rest === 'in_proj_weight') return thirds(shapes, name, to, 'weight');
  if (rest === 'in_proj_bias') return thirds(shapes, name, to, 'bias');
  if (rest === 'bias_k' || rest === 'bias_v') {
    return [{ ...whole(shapes, name, to + rest), shape: [elements(shapeOf(shapes, name))] }];
  }
  const separate = /^([qkv]_proj)[_.](weight|bias)$/.exec(rest) ?? /^(out_proj)\.(weight|bias)$/.exec(rest);
  return separate ? [whole(shapes, name, `${to}${separate[1]}.${separate[2]}`)] : [];
}

/** Queries, keys and values are stacked in one tensor with three times as many rows. */
function thirds(shapes: Shapes, name: string, to: string, part: string): Slice[] {
  const shape = shapeOf(shapes, name);
  const rows = (shape[0] ?? 0) / 3;
  if (!Number.isInteger(rows) || rows === 0) {
    fail('bad_checkpoint', `'${name}' [${shape}] cannot be split into queries, keys and values`);
  }
  return ['q_proj', 'k_proj', 'v_proj'].map((projected, third) => ({
    name: `${to}${projected}.${part}`,
    from: name,
    firstRow: third * rows,
    rows,
    shape: [rows, ...shape.slice(1)],
  }));
}

function whole(shapes: Shapes, name: string, target: string | Pick<Slice, 'name' | 'purpose'>): Slice {
  const named = typeof target === 'string' ? { name: target } : target;
  return { ...named, from: name, firstRow: 0, rows: null, shape: shapeOf(shapes, name) };
}

function collect(shapes: Shapes, prefix: string, make: (name: string, rest: string) => Slice[]): Slice[] {
  const names = [...shapes.keys()].filter((name) => name.startsWith(prefix));
  return withoutDoubles(names.flatMap((name) => make(name, name.slice(prefix.length))));
}

function withoutDoubles(slices: Slice[]): Slice[] {
  const sources = new Map<string, string>();
  for (const { name, from } of slices) {
    const other = sources.get(name);
    if (other !== undefined) fail('bad_checkpoint', `'${other}' and '${from}' both map to '${name}'`);
    sources.set(name, from);
  }
  return slices;
}

function hasAny(shapes: Shapes, part: string, inside = false): boolean {
  for (const name of shapes.keys()) if (inside ? name.includes(part) : name.startsWith(part)) return true;
  return false;
}

function shapeOf(shapes: Shapes, name: string): readonly number[] {
  return shapes.get(name) ?? fail('internal', `'${name}' is not among the tensors`);
}

const isParameter = (name: string) => name === 'weight' || name === 'bias';
