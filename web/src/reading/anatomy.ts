/** The model's parts in numbers: what goes through them, and how many parameters each has. */

import type { Model } from 'transformer-wasm';
import type { Reading } from './reading.js';

export interface Anatomy {
  /** Layers of each stack; 0 where there is none. */
  readonly encoderLayers: number;
  readonly decoderLayers: number;
  readonly heads: number;
  /** Numbers in the vector of a word; 0 where the model's config does not say. */
  readonly dModel: number;
  readonly dFf: number;
  readonly vocabulary: number;
  /** Tokens read, and tokens written. */
  readonly read: number;
  readonly written: number;
  /** Parameters of one part of one layer; `null` where their sum is not the whole model. */
  readonly parameters: Parameters | null;
}

export interface Parameters {
  readonly embedding: number;
  readonly attention: number;
  readonly feedForward: number;
  /** One norm: a gain and a bias for each number. */
  readonly norm: number;
}

/** The names that checkpoints use for the same thing. */
const spellings = {
  dModel: ['d_model', 'hidden_size', 'n_embd', 'dim'],
  dFf: ['d_ff', 'intermediate_size', 'encoder_ffn_dim', 'n_inner', 'hidden_dim'],
  vocabulary: ['vocab_size'],
} as const;

export function anatomyOf({ config, info }: Pick<Model, 'config' | 'info'>, reading: Reading): Anatomy {
  const { encoder, decoder, cross } = reading.maps;
  const size = (name: keyof typeof spellings) => {
    const found = spellings[name].map((key) => config[key]).find((value) => typeof value === 'number');
    return typeof found === 'number' ? found : 0;
  };
  const plain = {
    encoderLayers: encoder?.layers ?? 0,
    decoderLayers: decoder?.layers ?? 0,
    heads: (cross ?? decoder ?? encoder)?.heads ?? 0,
    dModel: size('dModel'),
    dFf: size('dFf'),
    vocabulary: size('vocabulary'),
    read: reading.source.length,
    written: reading.read.length,
  };
  const parameters = partsOf(plain);
  return { ...plain, parameters: sumOf(plain, parameters) === info.parameters ? parameters : null };
}

/** Of the paper's layers: a bias on each product, one matrix for the words at both ends. */
function partsOf({ dModel, dFf, vocabulary }: Pick<Anatomy, 'dModel' | 'dFf' | 'vocabulary'>): Parameters {
  return {
    embedding: vocabulary * dModel,
    attention: 4 * (dModel * dModel + dModel),
    feedForward: 2 * dModel * dFf + dFf + dModel,
    norm: 2 * dModel,
  };
}

/** All parts of all layers, and a norm at the end of each stack. */
function sumOf(
  { encoderLayers, decoderLayers }: Pick<Anatomy, 'encoderLayers' | 'decoderLayers'>,
  { embedding, attention, feedForward, norm }: Parameters,
): number {
  const encoderLayer = attention + feedForward + 2 * norm;
  const decoderLayer = 2 * attention + feedForward + 3 * norm;
  const stacks = Math.sign(encoderLayers) + Math.sign(decoderLayers);
  return embedding + encoderLayers * encoderLayer + decoderLayers * decoderLayer + stacks * norm;
}
