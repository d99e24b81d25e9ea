/** The first layer of a vision transformer. */

import { type Dtype, toDtype } from '../engine/dtype.js';
import type { Host } from '../engine/host.js';
import { border } from '../values/border.js';
import { fail } from '../values/errors.js';
import { integerFrom, readFields } from '../values/options.js';
import { asTensor, elements, type Tensor, type TensorLike, toTensor } from '../values/tensor.js';
import type { Shapes, Slice } from '../weights/slices.js';
import { Layer } from './layer.js';
import { type LayerWeights, makeLayer, readWeights, shapesOf } from './layer_weights.js';

export interface PatchEmbeddingConfig {
  /** Side of a patch in pixels. The sizes default to those of the weights. */
  patchSize?: number;
  /** Default: those of the weights, or else 3. */
  channels?: number;
  dModel?: number;
  /** How to store the matrix; default 'f32'. */
  dtype?: Dtype;
}

const size = integerFrom(1);
const readers = { patchSize: size, channels: size, dModel: size, dtype: toDtype };

/** The patches of an image as vectors: x_p E, with a class vector before them and positions added (eq. 1). */
export class PatchEmbedding extends Layer<'PatchEmbedding'> {
  /**
   * @param images [batch, channels, height, width]; the batch axis is optional. Rows and columns that do not fill a
   *   patch are left out, as by a convolution.
   * @returns [batch, patches, dModel], with one more vector in front if there is a class token
   */
  async forward(images: TensorLike): Promise<Tensor> {
    const { host, handle } = this.alive();
    return asTensor(await host.invoke(handle, 'forward', toTensor(images, 'images')));
  }
}

export async function makePatchEmbedding(
  host: Host,
  config: PatchEmbeddingConfig,
  given: LayerWeights,
): Promise<PatchEmbedding> {
  const { dtype = 'f32', ...wanted } = readFields(config, readers, 'config');
  const weights = readWeights(given);
  const shapes: Shapes = weights.tensors ? shapesOf(weights.tensors) : new Map();
  const shape = shapes.get('weight') ?? [];
  if (weights.tensors && (shape.length !== 4 || shape[2] !== shape[3]))
    fail(
      'invalid_argument',
      `the weight 'weight' must be [dModel, channels, patch, patch], got [${shape.join(', ')}]`,
    );
  const dModel = sizeOf('dModel', wanted.dModel, shape[0]);
  const hasClass = shapes.has('class_token');
  const positions = elements(shapes.get('pos_embedding') ?? [0]) / dModel - (hasClass ? 1 : 0);
  const patches = {
    channels: sizeOf('channels', wanted.channels, shape[1] ?? 3),
    patch: sizeOf('patchSize', wanted.patchSize, shape[2]),
    prefix: hasClass ? [{ name: 'class_token', count: 1 }] : [],
    bias: !weights.tensors || shapes.has('bias'),
    ...(shapes.has('pos_embedding') && {
      positions: {
        name: 'pos_embedding',
        rows: Math.ceil(positions),
        columns: 1,
        ofPrefix: hasClass ? 1 : 0,
        fixed: true,
      },
    }),
  };
  const made = await makeLayer(host, {
    build: (place, handed) => place.create('PatchEmbedding', { dModel, patches }, handed),
    dtype,
    weights,
    slices: slicesOf(shapes),
  });
  return new PatchEmbedding(made);
}

function sizeOf(name: string, wanted: number | undefined, stored: number | undefined): number {
  return wanted ?? stored ?? fail('invalid_argument', `${name} is missing in config`);
}

/** A convolution whose windows do not overlap is a matrix product; the vectors beside it are tables. */
function slicesOf(shapes: Shapes): Slice[] {
  return [...shapes].flatMap(([name, shape]): Slice[] => {
    const whole = { from: name, firstRow: 0, rows: null };
    const width = shape.at(-1) ?? 0;
    switch (name) {
      case 'weight':
        return [{ ...whole, name: 'patches.weight', shape: [shape[0] ?? 0, elements(shape.slice(1))] }];
      case 'bias':
        return [{ ...whole, name: 'patches.bias', shape }];
      case 'class_token':
      case 'pos_embedding':
        return [{ ...whole, name, shape: [elements(shape) / width, width], purpose: 'table' }];
      default:
        return [];
    }
  });
}

border(PatchEmbedding, { forward: 'images' });
