/** The model with another base of its rotation, other weights, or weights that are rounded. */

import { type CheckpointSource, type Engine, loadModel, type Model } from 'transformer-wasm';
import { smallModel } from '../../reading/files.js';
import { tensorsIn } from '../../reading/stored_weights.js';

/** A weight in its matrix. */
export interface Place {
  readonly name: string;
  readonly row: number;
  readonly column: number;
}

export interface Change extends Place {
  readonly value: number;
}

export interface Changes {
  readonly base: number;
  readonly bits: Bits;
  readonly weights: readonly Change[];
}

/** As the engine calls them. */
export type Bits = 'f32' | 'int8' | 'int4';

export interface Weight {
  /** [rows, columns]; of a vector one row. */
  readonly rows: number;
  readonly columns: number;
  readonly data: Float32Array<ArrayBuffer>;
}

export type Weights = ReadonlyMap<string, Weight>;

/** As it was trained. */
export interface Trained {
  readonly config: Readonly<Record<string, unknown>>;
  readonly weights: Weights;
}

/** A model, and the weights that it has. */
export interface Variant {
  readonly model: Model;
  readonly weights: Weights;
}

let trained: Promise<Trained> | undefined;

/** Read once. */
export function openTrained(): Promise<Trained> {
  trained ??= read();
  trained.catch(() => {
    trained = undefined;
  });
  return trained;
}

async function read(): Promise<Trained> {
  const files = (await smallModel('adder')) as ReadonlyMap<string, Blob>;
  const [config, file] = [files.get('config.json'), files.get('model.safetensors')];
  if (!config || !file) throw new Error('the model that adds is not complete');
  return { config: JSON.parse(await config.text()), weights: weightsIn(await file.arrayBuffer()) };
}

function weightsIn(bytes: ArrayBuffer): Weights {
  const { names, tensor } = tensorsIn(bytes);
  return new Map(
    names.map((name) => {
      const { values, shape } = tensor(name);
      const columns = shape.at(-1) ?? 1;
      return [name, { rows: values.length / columns, columns, data: Float32Array.from(values) }];
    }),
  );
}

/** The model with these changes. Whoever asks for it disposes of it. */
export async function openVariant(engine: Engine, { base, bits, weights }: Changes): Promise<Variant> {
  const { config, weights: own } = await openTrained();
  const changed = new Map([...own].map(([name, weight]) => [name, withChanges(name, weight, weights)]));
  const json = JSON.stringify({ ...config, rope_theta: base });
  const files = new Map([
    ['config.json', new Blob([json])],
    ['model.safetensors', fileOf(changed)],
  ]);
  const model = await loadModel(files as CheckpointSource, { engine, dtype: bits });
  return { model, weights: changed };
}

function withChanges(name: string, weight: Weight, changes: readonly Change[]): Weight {
  const data = weight.data.slice();
  for (const change of changes)
    if (change.name === name && change.row < weight.rows && change.column < weight.columns)
      data[change.row * weight.columns + change.column] = change.value;
  return { ...weight, data };
}

function fileOf(weights: Weights): Blob {
  let end = 0;
  const header = Object.fromEntries(
    [...weights].map(([name, { rows, columns, data }]) => {
      const begin = end;
      end += data.byteLength;
      const shape = rows === 1 && /norm\.weight$/.test(name) ? [columns] : [rows, columns];
      return [name, { dtype: 'F32', shape, data_offsets: [begin, end] }];
    }),
  );
  const json = new TextEncoder().encode(JSON.stringify(header));
  const length = new BigUint64Array([BigInt(json.length)]);
  return new Blob([length, json, ...[...weights.values()].map(({ data }) => data)]);
}
