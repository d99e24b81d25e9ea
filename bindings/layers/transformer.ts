/** The whole transformer as a building block: encoder, decoder, embeddings and output projection. */

import type { PassOptions, PassOutput, TransformerConfig } from '../engine/embind.js';
import { fail } from '../engine/errors.js';
import { type MaskLike, toMask } from '../engine/masks.js';
import { readFields, toBoolean } from '../engine/options.js';
import {
  asTensor,
  type Tensor,
  type TensorData,
  type TensorLike,
  toIds,
  toTensor,
} from '../engine/tensor.js';
import { Layer, type Made } from './layer.js';
import { type MemoryMasks, memoryReaders, type SelfMasks, selfReaders } from './layers.js';

export interface SourceMasks {
  /** 1 = may attend; broadcasts to [batch, heads, source time, source time]. */
  srcMask?: MaskLike;
  /** Added to the scores; broadcasts alike. */
  srcBias?: TensorLike;
  /** 1 = a real position: [batch, source time]. */
  srcKeyPaddingMask?: MaskLike;
}

export interface TargetMasks {
  /** The same of the decoder's own positions. */
  tgtMask?: MaskLike;
  tgtBias?: TensorLike;
  tgtKeyPaddingMask?: MaskLike;
}

export interface TransformerForwardOptions extends SourceMasks, TargetMasks, MemoryMasks {
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
   * @param options the masks, by their short names or by those of `forward` (`srcMask`, ...)
   * @returns the memory, [batch, time, dModel]
   */
  async encode(src: TensorLike, options?: SelfMasks & SourceMasks): Promise<Tensor> {
    const fields = shortNames(readFields(options, { ...selfReaders, ...sourceReaders }), 'src');
    const { host, handle } = this.alive();
    return asTensor(await host.invoke(handle, 'encode', this.#input(src, 'src'), fields));
  }

  /**
   * @param tgt embeddings [batch, time, dModel], or token ids [batch, time] where the model has embeddings
   * @param memory what `encode` returned; a decoder alone has none
   * @param options as of a decoder layer, or by the names of `forward` (`tgtMask`, ...). `isCausal` is true unless it is
   *   set to false.
   * @returns logits [batch, time, vocabulary] where the model has an output projection, else output [batch, time, dModel]
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
   * One pass with the target given (teacher-forced).
   * @param src what goes into the encoder: embeddings [batch, time, dModel], or token ids [batch, time] where the model
   *   has embeddings
   * @param tgt what goes into the decoder. A model of one stack has one input: `forward(x, undefined, options)`.
   */
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
        `this model has only ${this.#hasEncoder ? 'an encoder' : 'a decoder'}, and so one input`,
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

/** `srcMask` of a call that is about nothing but the source is its `mask`. */
function shortNames<T extends object>(fields: T, side: 'src' | 'tgt'): ShortNames<T> {
  const short = (name: string) =>
    name.replace(new RegExp(`^${side}(.)`), (_, first: string) => first.toLowerCase());
  const names = Object.keys(fields);
  const twice = names.find((name) => short(name) !== name && names.includes(short(name)));
  if (twice) fail('invalid_argument', `${twice} and ${short(twice)} are two names of one option`);
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [short(name), value]),
  ) as ShortNames<T>;
}

/** The same fields under the names without their side. */
type ShortNames<T> = {
  [Name in keyof T as Name extends `${'src' | 'tgt'}${infer Rest}` ? Uncapitalize<Rest> : Name]: T[Name];
};

/** What a pass of the engine gives; what was not asked for is empty there and missing here. */
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
