/** The whole transformer as a building block: encoder, decoder, embeddings and output projection. */

import { type Slice, transformerSlices } from '../checkpoint/torch_names.js';
import { fail } from './errors.js';
import type { Host } from './host.js';
import { Layer, type Made, make } from './layer.js';
import { completeTransformer, type EngineConfig, Found, readTransformerConfig } from './layer_config.js';
import { type ReadWeights, readWeights, rowsOf, shapesOf } from './layer_weights.js';
import { type MemoryMasks, memoryReaders, type SelfMasks, selfReaders } from './layers.js';
import { type MaskLike, toMask } from './masks.js';
import { readFields, toBoolean } from './options.js';
import {
  asTensor,
  readArray,
  type Tensor,
  type TensorData,
  type TensorLike,
  toIds,
  toTensor,
} from './tensor.js';

export interface TransformerForwardOptions extends MemoryMasks {
  /** 1 = may attend; broadcasts to [batch, heads, source time, source time]. */
  srcMask?: MaskLike;
  srcBias?: TensorLike;
  /** 1 = a real position: [batch, source time]. */
  srcKeyPaddingMask?: MaskLike;
  tgtMask?: MaskLike;
  tgtBias?: TensorLike;
  tgtKeyPaddingMask?: MaskLike;
  /** Of the decoder; default true. Of an encoder alone; default false. */
  isCausal?: boolean;
  outputAttentions?: boolean;
  outputHiddenStates?: boolean;
}

export interface TransformerOutput {
  /** [batch, time, dModel]; where the model has no output projection. */
  output?: Tensor;
  /** [batch, time, vocabulary]; where it has one. */
  logits?: Tensor;
  /** The memory, [batch, source time, dModel]; where there are both stacks. */
  encoderOutput?: Tensor;
  /** [batch, heads, queries, keys] for each layer. */
  encoderAttentions?: Tensor[];
  decoderAttentions?: Tensor[];
  crossAttentions?: Tensor[];
  /** The input of the first layer, then each layer's output, the last one after the final norm. */
  encoderHiddenStates?: Tensor[];
  decoderHiddenStates?: Tensor[];
}

type Outputs = { readonly [Field in keyof TransformerOutput]: TensorData | TensorData[] };

const forwardReaders = {
  srcMask: toMask,
  srcBias: toTensor,
  srcKeyPaddingMask: toMask,
  tgtMask: toMask,
  tgtBias: toTensor,
  tgtKeyPaddingMask: toMask,
  ...memoryReaders,
  isCausal: toBoolean,
  outputAttentions: toBoolean,
  outputHiddenStates: toBoolean,
};

/** "Attention is all you need" (Vaswani et al. 2017, figure 1). */
export class Transformer extends Layer {
  readonly #config: EngineConfig;

  /** @internal Made by `engine.transformer`. */
  constructor(made: Made, config: EngineConfig) {
    super(made);
    this.#config = config;
  }

  /**
   * @param src embeddings [batch, time, dModel], or token ids [batch, time] where the model has embeddings
   * @returns the memory, [batch, time, dModel]
   */
  async encode(src: TensorLike, options?: SelfMasks): Promise<Tensor> {
    const fields = readFields(options, selfReaders);
    return asTensor(await this.run<TensorData>('encode', this.#input(src, 'src'), fields));
  }

  /**
   * @param tgt embeddings [batch, time, dModel], or token ids [batch, time] where the model has embeddings
   * @param memory what `encode` returned
   * @param options as of a decoder layer, but `isCausal` is true unless it is set to false
   * @returns logits [batch, time, vocabulary] where the model has an output projection, else output [batch, time, dModel]
   */
  async decode(
    tgt: TensorLike,
    memory?: TensorLike,
    options?: SelfMasks & MemoryMasks,
  ): Promise<Pick<TransformerOutput, 'output' | 'logits'>> {
    const fields = readFields(options, { ...selfReaders, ...memoryReaders });
    const result = await this.run<Outputs>(
      'decode',
      this.#input(tgt, 'tgt'),
      memory === undefined ? undefined : toTensor(memory, 'memory'),
      { isCausal: true, ...fields },
    );
    return toTensors(result);
  }

  /**
   * One pass with the target given (teacher-forced).
   * @param src what goes into the encoder: embeddings [batch, time, dModel], or token ids [batch, time] where the model
   *   has embeddings. A model of one stack takes its input here.
   * @param tgt what goes into the decoder
   */
  async forward(
    src: TensorLike | undefined,
    tgt?: TensorLike,
    options?: TransformerForwardOptions,
  ): Promise<TransformerOutput> {
    const hasEncoder = Number(this.#config.numEncoderLayers) > 0;
    const hasDecoder = Number(this.#config.numDecoderLayers) > 0;
    const decoderInput = hasEncoder ? tgt : (tgt ?? src);
    const fields = { isCausal: hasDecoder, ...readFields(options, forwardReaders) };
    const result = await this.run<Outputs>(
      'forward',
      hasEncoder ? this.#input(src, 'src') : undefined,
      hasDecoder ? this.#input(decoderInput, 'tgt') : undefined,
      fields,
    );
    return toTensors(result);
  }

  #input(value: unknown, name: string): TensorData | { data: Int32Array; shape: number[] } {
    return this.#config.embeddings ? toIds(readArray(value, name), name) : toTensor(value, name);
  }
}

function toTensors(result: Outputs): TransformerOutput {
  return Object.fromEntries(
    Object.entries(result).map(([field, value]) => [
      field,
      Array.isArray(value) ? value.map(asTensor) : asTensor(value),
    ]),
  );
}

export async function makeTransformer(host: Host, config: unknown, given: unknown): Promise<Transformer> {
  const read = readTransformerConfig(config);
  const weights = readWeights(given);
  const slices = weights.tensors ? slicesOf(read, weights) : undefined;
  const complete = completeTransformer(read, new Found(slices));
  if (complete.numEncoderLayers === 0 && complete.numDecoderLayers === 0)
    fail('invalid_argument', 'neither config nor weights have a layer of an encoder or decoder');
  const recipe = { method: 'transformer', config: complete, weights, slices: slices ?? [] };
  return new Transformer(await make(host, recipe), complete);
}

/** Which stacks there are decides what some names mean; where the config is silent, the names themselves tell. */
function slicesOf(config: Readonly<Record<string, unknown>>, weights: ReadWeights): Slice[] {
  const shapes = shapesOf(weights.tensors ?? new Map());
  const found = new Found(
    transformerSlices(shapes, onlyStack(config.numEncoderLayers, config.numDecoderLayers)),
  );
  const only = onlyStack(
    config.numEncoderLayers ?? found.layers('encoder'),
    config.numDecoderLayers ?? found.layers('decoder'),
  );
  const slices = transformerSlices(shapes, only);
  return config.tieEmbeddings ? withoutTied(slices, weights) : slices;
}

function onlyStack(encoders: unknown, decoders: unknown): 'encoder' | 'decoder' | undefined {
  if (decoders === 0 && encoders !== 0) return 'encoder';
  return encoders === 0 && decoders !== 0 ? 'decoder' : undefined;
}

/** A state dict stores a tied projection a second time, under its own name. */
function withoutTied(slices: Slice[], { tensors }: ReadWeights): Slice[] {
  const projection = slices.find(({ name }) => name === 'projection.weight');
  const names = ['decoder.embedding.weight', 'embedding.weight', 'encoder.embedding.weight'];
  const table = names.flatMap((name) => slices.find((slice) => slice.name === name) ?? [])[0];
  if (!projection || !table || !tensors) return slices;
  const [a, b] = [rowsOf(projection, tensors), rowsOf(table, tensors)];
  if (a.length !== b.length || a.some((value, i) => value !== b[i]))
    fail(
      'invalid_argument',
      `tieEmbeddings says that '${projection.from}' and '${table.from}' are one, but their numbers differ`,
    );
  return slices.filter((slice) => slice !== projection);
}
