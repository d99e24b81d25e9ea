/** Pictures as vectors: their patches, learned vectors in front, and positions that fit the picture's size. */

import { patchesOf } from '../layers/patches.js';
import { type GridPositions, type PatchesConfig, prefixOf } from '../plans/front_end_config.js';
import { fail } from '../values/errors.js';
import { type MaskLike, toMask } from '../values/masks.js';
import { resizedGrid } from '../values/resized_grid.js';
import { type TensorData, type TensorLike, toIds, toTensor } from '../values/tensor.js';
import type { EncodedInput, FrontInputs, RunLayer } from './encoded_input.js';

interface PatchesFront {
  readonly config: PatchesConfig;
  readonly tables: ReadonlyMap<string, TensorData>;
  readonly run: RunLayer;
}

/** Rows and columns of patches. */
type Grid = readonly [rows: number, columns: number];

/** @throws TransformerError `invalid_argument`, `unsupported` */
export async function encodePatches(
  front: PatchesFront,
  given: TensorLike,
  others: FrontInputs,
): Promise<EncodedInput> {
  const { config } = front;
  if (others.attentionMask !== undefined) fail('unsupported', 'pixelValues cannot be masked');
  if (config.sizes === 'patches') return encodeGiven(front, given, others);
  for (const name of ['spatialShapes', 'pixelAttentionMask'] as const)
    if (others[name] !== undefined) fail('unsupported', `this model does not take ${name}`);
  const { data, shape } = pictures(given, config);
  const [batch = 0, , height = 0, width = 0] = shape;
  const grid = [Math.floor(height / config.patch), Math.floor(width / config.patch)] as const;
  const patches = patchesOf(data, batch, { channels: config.channels, height, width, patch: config.patch });
  const states = await front.run('patches', patches);
  const positions = config.positions && positionsFor(front, config.positions, grid);
  if (positions) for (let row = 0; row < batch; row++) addRows(states, row * grid[0] * grid[1], positions);
  return { vectors: withPrefix(states, prefixRows(front)), columns: grid[1] };
}

/** Patches that the caller cut, of pictures with grids of their own. */
async function encodeGiven(
  front: PatchesFront,
  given: TensorLike,
  { spatialShapes, pixelAttentionMask }: FrontInputs,
): Promise<EncodedInput> {
  const { channels, patch, positions } = front.config;
  const { data, shape } = toTensor(given, 'pixelValues');
  const width = channels * patch ** 2;
  const isBatch = shape.length === 3;
  if ((!isBatch && shape.length !== 2) || shape.at(-1) !== width || data.length === 0)
    fail(
      'invalid_argument',
      `pixelValues must be patches [batch, patches, ${width}], got the shape [${shape.join(', ')}]`,
    );
  const [batch = 0, most = 0] = isBatch ? shape : [1, ...shape];
  const grids = gridsOf(spatialShapes, batch, most);
  const mask = readMask(pixelAttentionMask, grids, most);
  const states = await front.run('patches', { data, shape: [batch, most, width] });
  for (const [row, grid] of grids.entries()) {
    const added = positions && positionsFor(front, positions, grid);
    if (!added) continue;
    const own = grid[0] * grid[1];
    addRows(states, row * most, added);
    // Padding has the position of the first patch, whatever that is worth.
    const first = { data: added.data.subarray(0, added.shape[1]), shape: [1, added.shape[1] ?? 0] };
    for (let place = own; place < most; place++) addRows(states, row * most + place, first);
  }
  const columns = new Set(grids.map(String)).size === 1 ? grids[0]?.[1] : 0;
  return { vectors: states, columns: columns ?? 0, ...(mask && { mask }) };
}

function gridsOf(given: TensorLike | undefined, batch: number, most: number): Grid[] {
  if (given === undefined)
    fail('invalid_argument', 'spatialShapes is missing: the rows and columns of patches of each picture');
  const { data, shape } = toIds(given, 'spatialShapes');
  const grids = Array.from(
    { length: data.length / 2 },
    (_, i): Grid => [data[2 * i] ?? 0, data[2 * i + 1] ?? 0],
  );
  const areGrids = grids.every(([rows, columns]) => rows > 0 && columns > 0 && rows * columns <= most);
  if (shape.at(-1) !== 2 || grids.length !== batch || !areGrids)
    fail(
      'invalid_argument',
      `spatialShapes must be [rows, columns] of at most ${most} patches for each of ${batch} pictures`,
    );
  return grids;
}

/** As the caller says, or by the grids; `undefined`: all patches are real. */
function readMask(given: MaskLike | undefined, grids: readonly Grid[], most: number): TensorData | undefined {
  const shape = [grids.length, most];
  if (given === undefined) {
    const sizes = grids.map(([rows, columns]) => rows * columns);
    if (sizes.every((size) => size === most)) return undefined;
    const real = Float32Array.from({ length: grids.length * most }, (_, i) =>
      i % most < (sizes[Math.floor(i / most)] ?? 0) ? 1 : 0,
    );
    return { data: real, shape };
  }
  const mask = toMask(given, 'pixelAttentionMask');
  if (mask.data.length !== grids.length * most)
    fail(
      'invalid_argument',
      `pixelAttentionMask must be [${shape.join(', ')}], got [${mask.shape.join(', ')}]`,
    );
  return { data: mask.data, shape };
}

/** Checked pictures [batch, channels, height, width]. */
function pictures(given: TensorLike, { channels, height, width, patch, sizes }: PatchesConfig): TensorData {
  const { data, shape } = toTensor(given, 'pixelValues');
  const isBatch = shape.length === 4;
  const one = isBatch ? shape.slice(1) : shape;
  const [planes, rows = 0, columns = 0] = one;
  const isAny = sizes === 'any' && one.length === 3 && Math.min(rows, columns) >= patch;
  const fits = isAny ? planes === channels : one.join() === `${channels},${height},${width}`;
  if (!fits || data.length === 0) {
    const wanted =
      sizes === 'any'
        ? `[batch, ${channels}, height, width] with sides of at least ${patch}`
        : `[batch, channels, height, width] = [batch, ${channels}, ${height}, ${width}]`;
    fail('invalid_argument', `pixelValues must have the shape ${wanted}, got [${shape.join(', ')}]`);
  }
  return { data, shape: isBatch ? shape : [1, ...shape] };
}

const tableOf = ({ tables }: PatchesFront, name: string): TensorData =>
  tables.get(name) ?? fail('internal', `there is no front table '${name}'`);

/** The learned positions of a grid [rows * columns, dModel]. */
function positionsFor(front: PatchesFront, positions: GridPositions, [rows, columns]: Grid): TensorData {
  const { dModel } = front.config;
  const { data } = tableOf(front, 'positions');
  const own = data.subarray(positions.ofPrefix * dModel);
  const shape = [rows * columns, dModel];
  if (rows === positions.rows && columns === positions.columns) return { data: own, shape };
  const grid = { data: own, shape: [positions.rows, positions.columns, dModel] };
  return { data: resizedGrid(grid, [rows, columns], positions).data, shape };
}

/** The vectors before the patches, with their positions. */
function prefixRows(front: PatchesFront): TensorData {
  const { prefix, positions, dModel } = front.config;
  const data = new Float32Array(prefixOf(front.config) * dModel);
  let at = 0;
  for (const { name, count } of prefix) {
    data.set(tableOf(front, name).data, at);
    at += count * dModel;
  }
  const rows = { data, shape: [data.length / dModel, dModel] };
  if (positions && positions.ofPrefix > 0) {
    const own = tableOf(front, 'positions').data.subarray(0, positions.ofPrefix * dModel);
    addRows(rows, 0, { data: own, shape: [positions.ofPrefix, dModel] });
  }
  return rows;
}

/** Adds rows to those from `first` on, in place. */
function addRows({ data, shape }: TensorData, first: number, added: TensorData): void {
  const begin = first * (shape.at(-1) ?? 0);
  for (const [i, one] of added.data.entries()) data[begin + i] = (data[begin + i] ?? 0) + one;
}

/** Puts rows before each sequence [batch, time, width]. */
function withPrefix({ data, shape }: TensorData, prefix: TensorData): TensorData {
  const [batch = 0, time = 0, width = 0] = shape;
  const [count = 0] = prefix.shape;
  if (count === 0) return { data, shape };
  const joined = new Float32Array(batch * (time + count) * width);
  for (let row = 0; row < batch; row++) {
    const begin = row * (time + count) * width;
    joined.set(prefix.data, begin);
    joined.set(data.subarray(row * time * width, (row + 1) * time * width), begin + count * width);
  }
  return { data: joined, shape: [batch, time + count, width] };
}
