/** The first layer of a vision transformer. */

import { type Dtype, toDtype } from '../engine/dtype.js';
import type { Host } from '../engine/host.js';
import { Found } from '../plans/torch_model.js';
import { border } from '../values/border.js';
import { fail } from '../values/errors.js';
import { integerFrom, readFields } from '../values/options.js';
import {
  asTensor,
  elements,
  type Tensor,
  type TensorData,
  type TensorLike,
  toTensor,
} from '../values/tensor.js';
import type { Shapes, Slice } from '../weights/slices.js';
import { Layer, type Made } from './layer.js';
import { type LayerWeights, makeLayer, type ReadWeights, readWeights, shapesOf } from './layer_weights.js';
import { patchesOf, withFirst } from './patches.js';

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

interface Sizes {
  readonly channels: number;
  readonly patch: number;
  readonly dModel: number;
}

/** The vectors before the patches, and those added to all. */
interface Vectors {
  readonly first: Float32Array | null;
  /** [tokens, dModel] */
  readonly positions: Float32Array | null;
}

/** The patches of an image as vectors: x_p E, with a class vector before them and positions added (eq. 1). */
export class PatchEmbedding extends Layer<'Linear'> {
  readonly #sizes: Sizes;
  readonly #vectors: Vectors;

  /** @internal Created by an engine. */
  constructor(made: Made<'Linear'>, sizes: Sizes, vectors: Vectors) {
    const { first, positions } = vectors;
    const others = (first?.length ?? 0) + (positions?.length ?? 0);
    super({ ...made, parameterCount: made.parameterCount + others });
    this.#sizes = sizes;
    this.#vectors = vectors;
  }

  /**
   * @param images [batch, channels, height, width]; the batch axis is optional. Rows and columns that do not fill a
   *   patch are left out, as by a convolution.
   * @returns [batch, patches, dModel], with one more vector in front if there is a class token
   */
  async forward(images: TensorLike): Promise<Tensor> {
    const { host, handle } = this.alive();
    const { patch, channels, dModel } = this.#sizes;
    const { first, positions } = this.#vectors;
    const { data, shape } = toTensor(images, 'images');
    const [height = 0, width = 0] = shape.slice(-2);
    const isBatch = shape.length === 4;
    if (
      (!isBatch && shape.length !== 3) ||
      shape.at(-3) !== channels ||
      Math.min(height, width) < patch ||
      data.length === 0
    )
      fail(
        'invalid_argument',
        `images must be [batch, ${channels}, height, width] with sides of at least ${patch}, got [${shape.join(', ')}]`,
      );
    const batch = isBatch ? (shape[0] ?? 0) : 1;
    const patches = patchesOf(data, batch, { channels, height, width, patch });
    const embedded = await host.invoke(handle, 'forward', patches);
    const states = first ? withFirst(embedded, first) : embedded;
    const tokens = states.shape[1] ?? 0;
    if (positions) {
      if (positions.length !== tokens * dModel)
        fail(
          'invalid_argument',
          `pos_embedding has ${positions.length / dModel} positions, but the images have ${tokens}`,
        );
      for (const [i, number] of states.data.entries())
        states.data[i] = number + (positions[i % positions.length] ?? 0);
    }
    return asTensor({ data: states.data, shape: isBatch ? states.shape : [tokens, dModel] });
  }
}

export async function makePatchEmbedding(
  host: Host,
  config: PatchEmbeddingConfig,
  given: LayerWeights,
): Promise<PatchEmbedding> {
  const { dtype = 'f32', ...wanted } = readFields(config, readers, 'config');
  const { weights, vectors } = apart(readWeights(given));
  const slices = weights.tensors && convolutionSlices(shapesOf(weights.tensors));
  const found = new Found(slices);
  const shape = weights.tensors?.get('weight')?.shape ?? [];
  if (weights.tensors && (shape.length !== 4 || shape[2] !== shape[3]))
    fail(
      'invalid_argument',
      `the weight 'weight' must be [dModel, channels, patch, patch], got [${shape.join(', ')}]`,
    );
  const sizes = {
    dModel: sizeOf('dModel', wanted.dModel, shape[0]),
    channels: sizeOf('channels', wanted.channels, shape[1] ?? 3),
    patch: sizeOf('patchSize', wanted.patchSize, shape[2]),
  };
  checkVectors(vectors, sizes);
  const linear = {
    inFeatures: sizes.channels * sizes.patch ** 2,
    outFeatures: sizes.dModel,
    bias: found.random || found.has(/^bias$/),
  };
  const made = await makeLayer(host, {
    build: (place, handed) => place.create('Linear', linear, handed),
    dtype,
    weights,
    slices: slices ?? [],
  });
  const first = vectors.get('class_token')?.data ?? null;
  return new PatchEmbedding(made, sizes, { first, positions: vectors.get('pos_embedding')?.data ?? null });
}

function sizeOf(name: string, wanted: number | undefined, stored: number | undefined): number {
  return wanted ?? stored ?? fail('invalid_argument', `${name} is missing in config`);
}

/** The weights of the convolution, and the vectors beside it. */
function apart(read: ReadWeights): { weights: ReadWeights; vectors: Map<string, TensorData> } {
  if (!read.tensors) return { weights: read, vectors: new Map() };
  const isVector = ([name]: readonly [string, TensorData]) => /^(class_token|pos_embedding)$/.test(name);
  return {
    weights: { tensors: new Map([...read.tensors].filter((entry) => !isVector(entry))) },
    vectors: new Map([...read.tensors].filter(isVector)),
  };
}

function checkVectors(vectors: ReadonlyMap<string, TensorData>, { dModel }: Sizes): void {
  for (const [name, { data, shape }] of vectors) {
    const isWhole = name === 'class_token' ? data.length === dModel : data.length > 0;
    if (shape.at(-1) !== dModel || !isWhole || !data.every(Number.isFinite))
      fail(
        'invalid_argument',
        `the weight '${name}' must be finite numbers [..., ${dModel}], got [${shape.join(', ')}]`,
      );
  }
}

/** A convolution whose windows do not overlap is a matrix product. */
function convolutionSlices(shapes: Shapes): Slice[] {
  return [...shapes]
    .filter(([name]) => name === 'weight' || name === 'bias')
    .map(([name, [rows = 0, ...window]]) => ({
      name,
      from: name,
      firstRow: 0,
      rows: null,
      shape: name === 'bias' ? [rows] : [rows, elements(window)],
    }));
}

border(PatchEmbedding, { forward: 'images' });
