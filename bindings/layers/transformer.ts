/** The whole transformer as a building block: encoder, decoder, embeddings and output projection. */

import type { PassOptions, PassOutput, TransformerConfig } from '../modules/embind.js';
import { border } from '../values/border.js';
import { fail } from '../values/errors.js';
import type { Given } from '../values/given.js';
import { type MaskLike, toMask } from '../values/masks.js';
import { readFields, toBoolean } from '../values/options.js';
import {
  asTensor,
  type Tensor,
  type TensorData,
  type TensorLike,
  toIds,
  toTensor,
} from '../values/tensor.js';
import { Layer, type Made } from './layer.js';
import { type MemoryMasks, memoryReaders, type SelfMasks, selfReaders } from './layers.js';

export interface SourceMasks {
  /** Boolean or 0/1, where 1 = may attend; broadcasts to [batch, heads, source time, source time]. */
  srcMask?: MaskLike;
  /** Added to the scores; broadcasts to [batch, heads, source time, source time]. `-Infinity` masks a key out. */
  srcBias?: TensorLike;
  /** 1 = real position, 0 = padding: [batch, source time]. */
  srcKeyPaddingMask?: MaskLike;
}

export interface TargetMasks {
  /** Likewise for the decoder's self-attention: [batch, heads, time, time]. */
  tgtMask?: MaskLike;
  tgtBias?: TensorLike;
  tgtKeyPaddingMask?: MaskLike;
}

export interface TransformerForwardOptions extends SourceMasks, TargetMasks, MemoryMasks {
  /** Whether the decoder is causal; default true. For an encoder alone: whether it is; default false. */
  isCausal?: boolean;
  outputAttentions?: boolean;
  outputHiddenStates?: boolean;
}

export interface TransformerOutput {
  /** [batch, time, dModel], if the model has no output projection. */
  output?: Tensor;
  /** [batch, time, vocabulary], if the model has an output projection. */
  logits?: Tensor;
  /** The memory, [batch, source time, dModel], if the model has both stacks. */
  encoderOutput?: Tensor;
  /** With `outputAttentions`, [batch, heads, queries, keys] per layer. */
  encoderAttentions?: Tensor[];
  decoderAttentions?: Tensor[];
  crossAttentions?: Tensor[];
  /**
   * With `outputHiddenStates`, [batch, time, dModel] each: the input of the first layer, then the output of every
   * layer, the last one after the final norm.
   */
  encoderHiddenStates?: Tensor[];
  decoderHiddenStates?: Tensor[];
}

const sourceReaders = { srcMask: toMask, srcBias: toTensor, srcKeyPaddingMask: toMask };
const targetReaders = { tgtMask: toMask, tgtBias: toTensor, tgtKeyPaddingMask: toMask };
const forwardReaders = {
  ...sourceReaders,
  ...targetReaders,
  ...memoryReaders,
  isCausal: toBoolean,
  outputAttentions: toBoolean,
  outputHiddenStates: toBoolean,
};

/** "Attention is all you need" (Vaswani et al. 2017, figure 1). */
export class Transformer extends Layer<'Transformer'> {
  readonly #hasEncoder: boolean;
  readonly #hasDecoder: boolean;
  readonly #takesIds: boolean;

  /** @internal Made by `engine.transformer`. */
  constructor(made: Made<'Transformer'>, { encoder, decoder }: Partial<TransformerConfig>) {
    super(made);
    this.#hasEncoder = (encoder?.numLayers ?? 0) > 0;
    this.#hasDecoder = (decoder?.numLayers ?? 0) > 0;
    this.#takesIds = (encoder?.vocab ?? 0) > 0 || (decoder?.vocab ?? 0) > 0;
  }

  /**
   * @param src embeddings [batch, time, dModel], or token ids [batch, time] where the model has embeddings
   * @param options masks, under their short names or those of `forward` (`srcMask`, ...)
   * @returns the memory, [batch, time, dModel]
   */
  async encode(src: TensorLike, options?: SelfMasks & SourceMasks): Promise<Tensor> {
    const fields = shortNames(readFields(options, { ...selfReaders, ...sourceReaders }), 'src');
    const { host, handle } = this.alive();
    return asTensor(await host.invoke(handle, 'encode', this.#input(src, 'src'), fields));
  }

  /**
   * @param tgt embeddings [batch, time, dModel], or token ids [batch, time] where the model has embeddings
   * @param memory output of `encode`; omitted for a decoder alone
   * @param options as for a decoder layer, or under the names of `forward` (`tgtMask`, ...); `isCausal` defaults to
   *   true
   * @returns logits [batch, time, vocabulary] if the model has an output projection, else output [batch, time, dModel]
   */
  async decode(
    tgt: TensorLike,
    memory?: TensorLike,
    options?: SelfMasks & TargetMasks & MemoryMasks,
  ): Promise<Pick<TransformerOutput, 'output' | 'logits'>> {
    const fields = readFields(options, { ...selfReaders, ...targetReaders, ...memoryReaders });
    const { host, handle } = this.alive();
    const given = memory === undefined ? undefined : toTensor(memory, 'memory');
    const { output, logits } = await host.invoke(handle, 'decode', this.#input(tgt, 'tgt'), given, {
      isCausal: true,
      ...shortNames(fields, 'tgt'),
    });
    return { ...(output && { output: asTensor(output) }), ...(logits && { logits: asTensor(logits) }) };
  }

  /**
   * One pass with a given target (teacher forcing).
   * @param src input of the encoder: embeddings [batch, time, dModel], or token ids [batch, time] if the model has
   *   embeddings
   * @param tgt likewise for the decoder. A single-stack model has one input: `forward(x, undefined, options)`.
   */
  forward(
    src: TensorLike,
    tgt: TensorLike,
    options: TransformerForwardOptions & { outputAttentions: true },
  ): Promise<Given<TransformerOutput, 'encoderAttentions' | 'decoderAttentions' | 'crossAttentions'>>;
  forward(
    src: TensorLike | undefined,
    tgt?: TensorLike,
    options?: TransformerForwardOptions,
  ): Promise<TransformerOutput>;
  async forward(
    src: TensorLike | undefined,
    tgt?: TensorLike,
    options?: TransformerForwardOptions,
  ): Promise<TransformerOutput> {
    const fields = { isCausal: this.#hasDecoder, ...readFields(options, forwardReaders) };
    if (this.#hasEncoder && this.#hasDecoder)
      return this.#forward(this.#input(src, 'src'), this.#input(tgt, 'tgt'), fields);
    if (src !== undefined && tgt !== undefined)
      fail(
        'invalid_argument',
        `this model has only ${this.#hasEncoder ? 'an encoder' : 'a decoder'}, so it takes one input`,
      );
    const only = this.#input(src ?? tgt, this.#hasEncoder ? 'src' : 'tgt');
    return this.#hasEncoder ? this.#forward(only, undefined, fields) : this.#forward(undefined, only, fields);
  }

  async #forward(
    src: Input | undefined,
    tgt: Input | undefined,
    options: Partial<PassOptions>,
  ): Promise<TransformerOutput> {
    const { host, handle } = this.alive();
    return toTensors(await host.invoke(handle, 'forward', src, tgt, options));
  }

  #input(value: unknown, name: string): Input {
    return this.#takesIds ? toIds(value, name) : toTensor(value, name);
  }
}

/** Embeddings, or token ids. */
type Input = TensorData | { readonly data: Int32Array; readonly shape: number[] };

/** In a call that concerns only the source, `srcMask` and `mask` are the same option. */
function shortNames<T extends object>(fields: T, side: 'src' | 'tgt'): ShortNames<T> {
  const short = (name: string) =>
    name.replace(new RegExp(`^${side}(.)`), (_, first: string) => first.toLowerCase());
  const names = Object.keys(fields);
  const twice = names.find((name) => short(name) !== name && names.includes(short(name)));
  if (twice) fail('invalid_argument', `${twice} and ${short(twice)} are two names for the same option`);
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [short(name), value]),
  ) as ShortNames<T>;
}

/** The same fields, without the prefix of their side. */
type ShortNames<T> = {
  [Name in keyof T as Name extends `${'src' | 'tgt'}${infer Rest}` ? Uncapitalize<Rest> : Name]: T[Name];
};

/** The results of a pass as Tensors; results that were not requested, which the engine leaves empty, are omitted. */
function toTensors(output: PassOutput): TransformerOutput {
  const one = (tensor: TensorData | undefined) => tensor && asTensor(tensor);
  const list = (tensors: TensorData[]) => (tensors.length > 0 ? tensors.map(asTensor) : undefined);
  const result = {
    output: one(output.output),
    logits: one(output.logits),
    encoderOutput: one(output.encoderOutput),
    encoderAttentions: list(output.encoderAttentions),
    decoderAttentions: list(output.decoderAttentions),
    crossAttentions: list(output.crossAttentions),
    encoderHiddenStates: list(output.encoderHiddenStates),
    decoderHiddenStates: list(output.decoderHiddenStates),
  };
  return Object.fromEntries(Object.entries(result).filter(([, value]) => value !== undefined));
}

border(Transformer, { encode: 'src options', decode: 'tgt memory options', forward: 'src tgt options' });
