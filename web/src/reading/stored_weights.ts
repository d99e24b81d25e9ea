/** Matrices as our model's file stores them: what the engine computes with, and does not show. */

import { readBytes } from './files.js';

/** [rows, columns]: a row for each number that comes out. */
export interface StoredMatrix {
  readonly data: Float32Array;
  readonly rows: number;
  readonly columns: number;
}

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [begin: number, end: number];
}

let file: Promise<ArrayBuffer> | undefined;

/** A matrix of the English-French model, and its bias. @param name as in `decoder.layers.1.multihead_attn.out_proj` */
export async function storedMatrix(name: string): Promise<{ weight: StoredMatrix; bias: Float32Array }> {
  file ??= readBytes('models/en-fr/model.safetensors');
  // What could not be loaded is asked for again.
  file.catch(() => {
    file = undefined;
  });
  return matrixIn(await file, name);
}

/** The same of a file in memory: floats, or bytes with a scale for each row. */
export function matrixIn(bytes: ArrayBuffer, name: string): { weight: StoredMatrix; bias: Float32Array } {
  const { tensor } = tensorsIn(bytes);
  const { values, shape } = tensor(`${name}.weight`);
  const [rows = 0, columns = 0] = shape;
  const scales = values instanceof Int8Array ? tensor(`${name}.weight_scale`).values : null;
  const data = Float32Array.from(values, (value, i) => value * (scales?.[Math.floor(i / columns)] ?? 1));
  return { weight: { data, rows, columns }, bias: Float32Array.from(tensor(`${name}.bias`).values) };
}

interface StoredTensor {
  readonly values: Int8Array | Float32Array<ArrayBuffer>;
  readonly shape: readonly number[];
}

/** The tensors of a safetensors file: their names, and each by its name. */
export function tensorsIn(bytes: ArrayBuffer): { names: string[]; tensor(name: string): StoredTensor } {
  const length = Number(new DataView(bytes).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, length))) as Record<
    string,
    Entry
  >;
  return {
    names: Object.keys(header).filter((name) => name !== '__metadata__'),
    tensor(name) {
      const entry = header[name];
      if (!entry) throw new Error(`the model has no ${name}`);
      const [begin, end] = entry.data_offsets;
      // A copy: what is in the file need not be aligned.
      const part = bytes.slice(8 + length + begin, 8 + length + end);
      if (entry.dtype === 'I8') return { values: new Int8Array(part), shape: entry.shape };
      if (entry.dtype === 'F32') return { values: new Float32Array(part), shape: entry.shape };
      throw new Error(`${name} is stored as ${entry.dtype}`);
    },
  };
}
