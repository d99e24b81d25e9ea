/**
 * The translation models of Firefox, trained with Marian as students of larger ones (Kim and Rush 2016; Kim et al.
 * 2019): norms after each block, sinusoidal positions, and in the decoder usually a recurrent unit (SSRU) in place of
 * self-attention. config.json is the model file's own options under Marian's names.
 */

import type { Fields } from '../files/fields.js';
import type { Activation } from '../plans/activations.js';
import { type Family, fieldsOf } from '../plans/family.js';
import { type Stack, stackOf, withLayer } from '../plans/stack.js';
import { kinds } from '../tokenizers/kinds.js';
import type { Shapes, Slice } from '../weights/slices.js';

/** The end of a tensor's name in a layer, and its name here. */
const attention: Readonly<Record<string, string>> = {
  Wq: 'q_proj.weight',
  bq: 'q_proj.bias',
  Wk: 'k_proj.weight',
  bk: 'k_proj.bias',
  Wv: 'v_proj.weight',
  bv: 'v_proj.bias',
  Wo: 'out_proj.weight',
  bo: 'out_proj.bias',
};

const under = (block: string, names: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(names).map(([end, name]) => [end, `${block}.${name}`]));

/** By the name of a block in the file. */
const blocks: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  self: {
    ...under('self_attn', attention),
    Wo_ln_scale: 'self_attn_norm.weight',
    Wo_ln_bias: 'self_attn_norm.bias',
  },
  context: {
    ...under('cross_attn', attention),
    Wo_ln_scale: 'cross_attn_norm.weight',
    Wo_ln_bias: 'cross_attn_norm.bias',
  },
  rnn: {
    W: 'ssru.input.weight',
    Wf: 'ssru.forget_gate.weight',
    bf: 'ssru.forget_gate.bias',
    ffn_ln_scale: 'ssru_norm.weight',
    ffn_ln_bias: 'ssru_norm.bias',
  },
  ffn: {
    W1: 'feed_forward.fc1.weight',
    b1: 'feed_forward.fc1.bias',
    W2: 'feed_forward.fc2.weight',
    b2: 'feed_forward.fc2.bias',
    ffn_ln_scale: 'feed_forward_norm.weight',
    ffn_ln_bias: 'feed_forward_norm.bias',
  },
};

const outside: Readonly<Record<string, string>> = {
  Wemb: 'embedding.weight',
  encoder_Wemb: 'encoder.embedding.weight',
  decoder_Wemb: 'decoder.embedding.weight',
  decoder_ff_logit_out_b: 'projection.bias',
};

/** The engine's name of a tensor; undefined for one that the model does not use. */
function engineNameOf(name: string): string | undefined {
  const [, stack, number, block = '', end = ''] =
    /^(encoder|decoder)_l(\d+)_([a-z]+)_(\w+)$/.exec(name) ?? [];
  const found = blocks[block]?.[end];
  return found === undefined ? outside[name] : `${stack}.layers.${Number(number) - 1}.${found}`;
}

function slicesOf(shapes: Shapes): Slice[] {
  return [...shapes].flatMap(([from, shape]): Slice[] => {
    const name = engineNameOf(from);
    if (name === undefined) return [];
    const isTable = name.endsWith('embedding.weight');
    return [
      { name, from, firstRow: 0, rows: null, shape, ...(isTable && { purpose: 'embedding' as const }) },
    ];
  });
}

/** The file's name for a missing tensor. */
function storedName(wanted: string): string {
  const [, stack = '', number = '', rest = ''] =
    /^(encoder|decoder)\.layers\.(\d+)\.(.+)$/.exec(wanted) ?? [];
  for (const [block, names] of Object.entries(blocks))
    for (const [end, name] of Object.entries(names))
      if (name === rest) return `${stack}_l${Number(number) + 1}_${block}_${end}`;
  return Object.entries(outside).find(([, name]) => name === wanted)?.[0] ?? wanted;
}

/** Settings of Marian that would need other layers. */
function refuseOthers(fields: Fields): void {
  fields.only('type', 'transformer');
  fields.only('transformer-preprocess', '');
  fields.only('transformer-postprocess', 'dan');
  fields.only('transformer-postprocess-top', '');
  fields.only('transformer-ffn-depth', 2);
  fields.only('transformer-train-position-embeddings', false);
  fields.only('transformer-no-projection', false);
  fields.only('transformer-pool', false);
  fields.only('transformer-no-bias', false);
  fields.only('transformer-no-affine', false);
  fields.only('transformer-rnn-projection', false);
  fields.only('right-left', false);
  fields.only('output-omit-bias', false);
  fields.only('lemma-dim-emb', 0);
  fields.only('factors-dim-emb', 0);
  fields.only('ulr', false);
  const tiedLayers = fields.raw('transformer-tied-layers');
  if (Array.isArray(tiedLayers) && tiedLayers.length > 0) fields.only('transformer-tied-layers', []);
}

/** The layer whose cross-attention was taught to align words, counted from 0. */
function alignedLayer(fields: Fields, layers: number): number {
  const given = fields.raw('transformer-guided-alignment-layer') ?? 'last';
  if (given === 'last') return layers - 1;
  const numbered = typeof given === 'string' ? { layer: Number(given) } : { layer: given };
  const number = Math.min(layers, fieldsOf(numbered).count('layer'));
  return number - 1;
}

export const marianStudent: Family = {
  modelTypes: ['marian-student'],
  tokenizer: kinds.studentPieces,
  defaults: {
    'transformer-ffn-activation': 'swish',
    'transformer-decoder-autoreg': 'self-attention',
    'transformer-heads': 8,
    'tied-embeddings': false,
    'tied-embeddings-all': false,
    'tied-embeddings-src': false,
    eos_token_id: 0,
    unk_token_id: 1,
    pad_token_id: 0,
    decoder_start_token_id: 0,
  },
  plan(config, shapes) {
    const fields = fieldsOf(config);
    refuseOthers(fields);
    const shareEmbeddings = fields.flag('tied-embeddings-all');
    if (!shareEmbeddings) fields.only('tied-embeddings', true);
    const isRecurrent = fields.choice('transformer-decoder-autoreg', ['rnn', 'self-attention']) === 'rnn';
    if (isRecurrent) fields.only('dec-cell', 'ssru');
    const [sourceVocab = 0, targetVocab = 0] = shareEmbeddings
      ? [rowsOf(shapes, 'Wemb'), rowsOf(shapes, 'Wemb')]
      : [rowsOf(shapes, 'encoder_Wemb'), rowsOf(shapes, 'decoder_Wemb')];
    const dModel = fields.count('dim-emb');
    const dFf = fields.count('transformer-dim-ffn');
    const decoderFf = fields.count('transformer-decoder-dim-ffn', 0, 0);
    const numHeads = fields.count('transformer-heads');
    const decoderLayers = fields.count('dec-depth');
    const stack = (numLayers: number, width: number, vocab: number): Stack => ({
      ...stackOf({ numLayers, dModel, numHeads, dFf: width, activation: activationOf(fields), eps: 1e-6 }),
      positions: { sinusoidal: { maxLength: 2 ** 20, layout: 'fairseq' } },
      vocab,
    });
    const decoder = stack(decoderLayers, decoderFf || dFf, targetVocab);
    return {
      model: {
        shareEmbeddings,
        embeddingScale: Math.sqrt(dModel),
        encoder: stack(fields.count('enc-depth'), dFf, sourceVocab),
        decoder: { ...withLayer(decoder, { ssru: isRecurrent }), zeroStart: true },
        projection: { vocab: targetVocab, tied: true, bias: true },
      },
      slices: slicesOf(shapes),
      // The decoder begins with a zero vector, whatever its first token is.
      tokens: { pad: 0, unk: 1, decoderStart: 0 },
      maxPositions: null,
      aligning: { layer: alignedLayer(fields, decoderLayers), head: 0 },
      storedName,
    };
  },
};

const rowsOf = (shapes: Shapes, name: string): number => shapes.get(name)?.[0] ?? 0;

/** Marian's swish is SiLU, and its GELU x sigmoid(1.702 x). */
const activations = { relu: 'relu', swish: 'silu', gelu: 'quick_gelu' } as const;

const activationOf = (fields: Fields): Activation =>
  activations[fields.choice('transformer-ffn-activation', ['relu', 'swish', 'gelu'])];
