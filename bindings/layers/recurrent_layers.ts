/** GRU and LSTM: layers that read a sequence step by step. */

import { type Dtype, toDtype } from '../engine/dtype.js';
import { border } from '../values/border.js';
import { fail } from '../values/errors.js';
import { integerFrom, type Reader, readFields, toBoolean } from '../values/options.js';
import { asTensor, type Tensor, type TensorLike, toIds, toTensor } from '../values/tensor.js';
import { Layer } from './layer.js';

/** Config of `engine.gru` and `engine.lstm`. Missing fields follow the weights, if there are any. */
export interface RecurrentConfig {
  /** Width of the input. */
  inputSize?: number;
  /** Width of the state of each layer and direction. */
  hiddenSize?: number;
  /** Number of layers; default 1. */
  numLayers?: number;
  /** Whether a second cell of each layer reads the sequence from its end; default false. */
  bidirectional?: boolean;
  /** Default true. */
  bias?: boolean;
  /** How to store the matrices; default 'f32'. */
  dtype?: Dtype;
}

export interface RecurrentOptions {
  /** Number of steps of each sequence, [batch]; default: all of `time`. Steps beyond it are not read. */
  lengths?: ArrayLike<number>;
  /** The state before the first step, [numLayers * directions, batch, hiddenSize]; default: zeros. */
  hidden?: TensorLike;
  /** Likewise, of an LSTM. */
  cell?: TensorLike;
}

export interface RecurrentOutput {
  /**
   * The states [batch, time, directions * hiddenSize] of the last layer, forward beside reverse; zeros beyond a
   * sequence's length.
   */
  output: Tensor;
  /** The state [numLayers * directions, batch, hiddenSize] after each sequence's last step. */
  hidden: Tensor;
  /** Likewise, of an LSTM. */
  cell?: Tensor;
}

/** PyTorch's `nn.GRU` (Cho et al. 2014) or `nn.LSTM` (Hochreiter and Schmidhuber 1997), with `batch_first`. */
export class RecurrentLayers extends Layer<'RecurrentLayers'> {
  /** @param x [batch, time, inputSize]; the batch axis is optional, here and in the states */
  async forward(x: TensorLike, options?: RecurrentOptions): Promise<RecurrentOutput> {
    const { host, handle } = this.alive();
    const fields = readFields(options, { lengths: toLengths, hidden: toTensor, cell: toTensor });
    const { output, hidden, cell } = await host.invoke(handle, 'forward', toTensor(x, 'x'), fields);
    return {
      output: asTensor(output),
      hidden: asTensor(hidden),
      ...(cell && { cell: asTensor(cell) }),
    };
  }
}

const toLengths: Reader<Int32Array> = (value, name) => {
  const { data, shape } = toIds(value, name);
  if (shape.length !== 1 || data.length === 0)
    fail('invalid_argument', `${name} must be a list with the length of each sequence`);
  return data;
};

export const readRecurrentConfig = (config: unknown) =>
  readFields(
    config,
    {
      inputSize: integerFrom(1),
      hiddenSize: integerFrom(1),
      numLayers: integerFrom(1),
      bidirectional: toBoolean,
      bias: toBoolean,
      dtype: toDtype,
    },
    'config',
  );

border(RecurrentLayers, { forward: 'x options' });
