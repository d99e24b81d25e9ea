/** The whole transformer as a building block: encoder, decoder, embeddings and output projection. */

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
import type { EngineConfig } from './layer_config.js';
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

type Outputs = { readonly [Field in keyof TransformerOutput]: TensorData | TensorData[] };

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
export class Transformer extends Layer {
  readonly #config: EngineConfig;

  /** @internal Made by `engine.transformer`. */
  constructor(made: Made, config: EngineConfig) {
    super(made);
    this.#config = config;
  }

  /**
   * @param src embeddings [batch, time, dModel], or token ids [batch, time] where the model has embeddings
   * @param options the masks, by their short names or by those of `forward` (`srcMask`, ...)
   * @returns the memory, [batch, time, dModel]
   */
  async encode(src: TensorLike, options?: SelfMasks & SourceMasks): Promise<Tensor> {
    const fields = shortNames(readFields(options, { ...selfReaders, ...sourceReaders }), 'src');
    return asTensor(await this.run<TensorData>('encode', this.#input(src, 'src'), fields));
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
    const result = await this.run<Outputs>(
      'decode',
      this.#input(tgt, 'tgt'),
      memory === undefined ? undefined : toTensor(memory, 'memory'),
      { isCausal: true, ...shortNames(fields, 'tgt') },
    );
    return toTensors(result);
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

  async #forward(src: Input | undefined, tgt: Input | undefined, fields: object): Promise<TransformerOutput> {
    return toTensors(await this.run<Outputs>('forward', src, tgt, fields));
  }

  get #hasEncoder(): boolean {
    return Number(this.#config.numEncoderLayers) > 0;
  }

  get #hasDecoder(): boolean {
    return Number(this.#config.numDecoderLayers) > 0;
  }

  #input(value: unknown, name: string): Input {
    return this.#config.embeddings ? toIds(value, name) : toTensor(value, name);
  }
}

/** Embeddings, or token ids. */
type Input = TensorData | { readonly data: Int32Array; readonly shape: number[] };

/** `srcMask` of a call that is about nothing but the source is its `mask`. */
function shortNames(fields: Readonly<Record<string, unknown>>, side: 'src' | 'tgt'): Record<string, unknown> {
  const short = (name: string) =>
    name.replace(new RegExp(`^${side}(.)`), (_, first: string) => first.toLowerCase());
  const names = Object.keys(fields);
  const twice = names.find((name) => short(name) !== name && names.includes(short(name)));
  if (twice) fail('invalid_argument', `${twice} and ${short(twice)} are two names of one option`);
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [short(name), value]));
}

function toTensors(result: Outputs): TransformerOutput {
  return Object.fromEntries(
    Object.entries(result).map(([field, value]) => [
      field,
      Array.isArray(value) ? value.map(asTensor) : asTensor(value),
    ]),
  );
}
