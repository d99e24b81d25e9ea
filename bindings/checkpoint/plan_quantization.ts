/** Which tensors of a checkpoint are written as integers, each in which layout of weights/integer_layouts.ts. */

import type { QuantizedDtype } from '../engine/dtype.js';
import type { Host } from '../engine/host.js';
import type { JsonObject } from '../files/json_object.js';
import type { QuantizationError } from '../modules/embind.js';
import type { Plan } from '../plans/family.js';
import { fail } from '../values/errors.js';
import { floatTypes } from '../weights/floats.js';
import { compressedTensors, integerLayouts, LaidOutMatrix } from '../weights/integer_layouts.js';
import { type MatrixPurpose, purposeOf, type Slice } from '../weights/slices.js';
import type { StoredTensor } from '../weights/stored_tensor.js';
import { fileOf, type WeightFiles } from '../weights/weight_file.js';

/** A tensor to write, and how. */
export interface QuantizedPart {
  readonly tensor: StoredTensor;
  /** `null`: unchanged. */
  readonly matrix: MatrixToQuantize | null;
}

/** A matrix that becomes integers; its error grows as they are written. */
export interface MatrixToQuantize {
  readonly purpose: MatrixPurpose;
  /** Whether it is stored as [in, out]. */
  readonly isTransposed: boolean;
  readonly laidOut: LaidOutMatrix;
  error: QuantizationError;
}

/** The parts of a checkpoint that a model uses, and what describes them in config.json. */
export interface Quantization {
  readonly dtype: QuantizedDtype;
  readonly parts: readonly QuantizedPart[];
  readonly config: JsonObject;
}

/** @throws TransformerError `bad_checkpoint` for weights that are not floating-point numbers. */
export async function planQuantization(
  weights: WeightFiles,
  plan: Plan,
  { host, dtype }: { host: Host; dtype: QuantizedDtype },
): Promise<Quantization> {
  const slices = new Map<string, Slice[]>();
  for (const slice of plan.slices) slices.set(slice.from, [...(slices.get(slice.from) ?? []), slice]);
  const keptAs = new Map<MatrixPurpose, QuantizedDtype>();
  for (const purpose of ['factor', 'embedding'] as const)
    keptAs.set(purpose, (await host.call('dtypeOf', dtype, purpose)) as QuantizedDtype);
  const parts = weights.tensors.flatMap((tensor) => {
    const own = slices.get(tensor.name);
    if (!own) return [];
    checkFloats(tensor, weights);
    const kept = keptAs.get(purposeOfAll(own));
    return [{ tensor, matrix: kept === undefined ? null : matrixOf(tensor, own, kept) }];
  });
  return { dtype, parts, config: configOf(parts, keptAs) };
}

function checkFloats(tensor: StoredTensor, weights: WeightFiles): void {
  const { name, dtype } = tensor;
  if (floatTypes.includes(dtype)) return;
  const file = fileOf(weights, name);
  fail(
    'bad_checkpoint',
    `${file}: the tensor '${name}' is stored as ${dtype}; weights are ${floatTypes.join(', ')}`,
  );
}

/** An embedding is one wherever else it is used. */
const purposeOfAll = (slices: readonly Slice[]): MatrixPurpose =>
  slices.map(purposeOf).find((purpose) => purpose !== 'factor') ?? 'factor';

/** `null` for a tensor that is not a matrix as a whole, or does not fill the words of its layout. */
function matrixOf(
  { name, shape }: StoredTensor,
  slices: readonly Slice[],
  dtype: QuantizedDtype,
): MatrixToQuantize | null {
  if (shape.length !== 2 || slices.some((slice) => slice.shape.length !== 2)) return null;
  const isTransposed = slices.every(areRowsColumns);
  const laidOut = new LaidOutMatrix(integerLayouts[dtype], name, shape, isTransposed ? 1 : 0);
  if (!laidOut.fits) return null;
  const error = { largest: 0, squares: 0, ofSquares: 0 };
  return { purpose: purposeOfAll(slices), isTransposed, laidOut, error };
}

/** Whether the engine's rows, which are its outputs, are columns in the file. */
function areRowsColumns({ view }: Slice): boolean {
  return view !== undefined && view.strides.at(-1) !== 1;
}

/** The quantization_config of config.json. */
function configOf(
  parts: readonly QuantizedPart[],
  keptAs: ReadonlyMap<MatrixPurpose, QuantizedDtype>,
): JsonObject {
  const hasTransposed = parts.some(({ matrix }) => matrix?.isTransposed);
  const classes = {
    factor: ['Linear', ...(hasTransposed ? ['Conv1D'] : [])],
    embedding: ['Embedding'],
    table: [],
  };
  const targets = new Map<QuantizedDtype, string[]>();
  for (const [purpose, dtype] of keptAs)
    targets.set(dtype, [...(targets.get(dtype) ?? []), ...classes[purpose]]);
  // Linear layers and embeddings that are not quantised.
  const ignore = parts
    .filter(({ tensor: { name, shape }, matrix }) => !matrix && shape.length === 2 && /\.weight$/.test(name))
    .map(({ tensor: { name } }) => name.replace(/\.weight$/, ''));
  return compressedTensors(targets, ignore);
}
