/** Writes a checkpoint with 8-bit matrices, in the convention described in checkpoint/weights/quantization.ts. */

import type { FileHandle } from 'node:fs/promises';
import { familyOf } from '../checkpoint/families/index.js';
import { isJsonObject, type JsonObject } from '../checkpoint/json/json_object.js';
import type { Folder } from '../checkpoint/source/folder.js';
import { openFolder } from '../checkpoint/source/open_folder.js';
import { readJsonValue, requireJson } from '../checkpoint/source/read_json.js';
import { floatTypes, toFloats } from '../checkpoint/weights/floats.js';
import { openWeights } from '../checkpoint/weights/open_weights.js';
import { compressedTensors, isQuantized, scaleName } from '../checkpoint/weights/quantization.js';
import { readTensors, type TensorPiece } from '../checkpoint/weights/read_tensors.js';
import { elementBytes, elements, type StoredTensor } from '../checkpoint/weights/stored_tensor.js';
import { fileOf, shapesOf, type WeightFiles } from '../checkpoint/weights/weight_file.js';
import { fail } from '../engine/errors.js';
import { channelsOfMatrix } from './matrix_names.js';
import { OutputFolder } from './output_folder.js';
import { type Channels, findLargest, QuantizationError, quantize, scalesOf } from './quantized_matrix.js';
import { type TensorPlace, writeHeader } from './safetensors_header.js';

/** Files that are copied unchanged. */
const otherFiles = [
  'generation_config.json',
  'preprocessor_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'chat_template.jinja',
  'special_tokens_map.json',
  'added_tokens.json',
  'vocab.json',
  'vocab.txt',
  'merges.txt',
  'target_vocab.json',
  'source.spm',
  'target.spm',
  'sentencepiece.bpe.model',
  'spiece.model',
  'spm.model',
  'tokenizer.model',
];

const weightsName = 'model.safetensors';

export interface QuantizeOptions {
  /** Whether to overwrite files in the folder. */
  readonly force: boolean;
  readonly signal: AbortSignal;
  /** Called with the completed fraction, 0 to 1. */
  readonly onProgress: (done: number) => void;
}

export interface QuantizedCheckpoint {
  readonly folder: string;
  readonly family: string;
  /** Total bytes of the weight files. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** Names of the quantised matrices. */
  readonly quantized: readonly string[];
  /** Names of the tensors that are copied unchanged. */
  readonly kept: readonly string[];
  readonly keptBytes: number;
  /** Names of the tensors that the model does not use, which are not written. */
  readonly leftOut: readonly string[];
  /** The largest difference between a weight and its quantised value. */
  readonly largestError: { readonly tensor: string | null; readonly value: number };
  /** Root mean square of the differences, relative to that of the weights. */
  readonly relativeError: number;
  /** Names of all written files. */
  readonly files: readonly string[];
}

/** A tensor to write, and how. */
interface Part {
  readonly tensor: StoredTensor;
  /** `null`: unchanged. */
  readonly matrix: Matrix | null;
}

interface Matrix {
  readonly channels: Channels;
  readonly largest: Float32Array;
  readonly error: QuantizationError;
}

/**
 * Reads the weights twice, first for the maximum of each channel, and holds only one piece of them at a time.
 *
 * @param source path or URL of a folder
 * @throws TransformerError like loading; `invalid_argument` if the weights are already quantised. After an error or
 *   abort, nothing that was written remains.
 */
export async function quantizeCheckpoint(
  source: string,
  target: string,
  { force, signal, onProgress }: QuantizeOptions,
): Promise<QuantizedCheckpoint> {
  const folder = await openFolder(source);
  const config = await requireJson(folder, 'config.json', signal);
  if (isQuantized(config))
    fail('invalid_argument', `the weights of ${folder.name} are already quantised to 8 bits`);
  const weights = await openWeights(folder, { signal });
  try {
    const { modelType, ...family } = await familyOf(config);
    const plan = family.plan(shapesOf(weights));
    const used = new Set(plan.slices.map(({ from }) => from));
    const parts = weights.tensors
      .filter(({ name }) => used.has(name))
      .map((tensor): Part => {
        checkFloats(tensor, weights);
        const channels = channelsOfMatrix(tensor, plan);
        return { tensor, matrix: channels && newMatrix(channels) };
      });
    const output = await OutputFolder.create(target, { source, force });
    try {
      const work: Work = { weights, parts, signal, onProgress };
      await measure(work);
      const copied = await writeOthers(folder, output, { config, parts, signal });
      const bytesAfter = await writeWeights(work, await output.file(weightsName));
      signal.throwIfAborted();
      await output.complete();
      return {
        folder: target,
        family: String(modelType),
        bytesBefore: weights.size ?? weights.files.reduce((sum, { end }) => sum + (end ?? 0), 0),
        bytesAfter,
        leftOut: weights.tensors.filter(({ name }) => !used.has(name)).map(({ name }) => name),
        files: [...copied, weightsName],
        ...summary(parts),
      };
    } catch (error) {
      await output.discard();
      throw error;
    }
  } finally {
    await weights.close();
  }
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

const newMatrix = (channels: Channels): Matrix => ({
  channels,
  largest: new Float32Array(channels.count),
  error: new QuantizationError(),
});

interface Work extends Pick<QuantizeOptions, 'signal' | 'onProgress'> {
  readonly weights: WeightFiles;
  readonly parts: readonly Part[];
}

/** Reads the tensors of some parts; `pass` is 0 or 1, for the progress over both passes. */
async function forEachPiece(
  { weights, parts, signal, onProgress }: Work,
  pass: number,
  visit: (part: Part, piece: TensorPiece) => void | Promise<void>,
): Promise<void> {
  const byTensor = new Map(parts.map((part) => [part.tensor, part]));
  let before = 0;
  for (const file of weights.files) {
    for await (const piece of readTensors(file, (tensor) => byTensor.has(tensor))) {
      signal.throwIfAborted();
      const part = byTensor.get(piece.tensor);
      if (part) await visit(part, piece);
      if (weights.size !== null) onProgress((pass + (before + piece.position) / weights.size) / 2);
    }
    before += file.size ?? 0;
  }
}

/** Finds the largest magnitude in each channel. */
async function measure(work: Work): Promise<void> {
  const { weights, parts } = work;
  const matrices = parts.filter(({ matrix }) => matrix !== null);
  await forEachPiece({ ...work, parts: matrices }, 0, ({ tensor, matrix }, { first, bytes }) => {
    if (matrix) findLargest(matrix.largest, toFloats(bytes, tensor.dtype), first, matrix.channels);
  });
  for (const { tensor, matrix } of matrices) {
    if (matrix?.largest.every(Number.isFinite)) continue;
    fail(
      'bad_checkpoint',
      `${fileOf(weights, tensor.name)}: the tensor '${tensor.name}' holds NaN or infinity`,
    );
  }
}

/** Writes scales, unchanged tensors and integers at the offsets in the header. */
async function writeWeights(work: Work, file: FileHandle): Promise<number> {
  const { parts } = work;
  const scales = new Map(
    parts.flatMap(({ tensor, matrix }) => (matrix ? [[tensor.name, scalesOf(matrix.largest)] as const] : [])),
  );
  const kept = parts.filter(({ matrix }) => matrix === null);
  // Wide data types first, so that all are aligned; scales before everything else, so that the file can be read in one
  // pass.
  const places: TensorPlace[] = [
    ...parts.flatMap(({ tensor: { name }, matrix }) =>
      matrix ? [{ name: scaleName(name), dtype: 'F32', shape: matrix.channels.shape }] : [],
    ),
    ...kept.map(({ tensor }) => tensor).sort((a, b) => elementBytes(b) - elementBytes(a)),
    ...parts.flatMap(({ tensor: { name, shape }, matrix }) => (matrix ? [{ name, dtype: 'I8', shape }] : [])),
  ];
  const { header, begins, end } = writeHeader(places);
  const begin = (name: string) => begins.get(name) ?? fail('internal', `no place for '${name}'`);
  await writeAt(file, header, 0);
  for (const [name, values] of scales)
    await writeAt(file, new Uint8Array(values.buffer), begin(scaleName(name)));
  await forEachPiece(work, 1, async ({ tensor, matrix }, { first, bytes }) => {
    const { name, dtype } = tensor;
    const size = matrix ? 1 : elementBytes(tensor);
    await writeAt(file, matrix ? integersOf(matrix) : bytes, begin(name) + first * size);

    function integersOf({ channels, error }: Matrix): Uint8Array {
      const floats = toFloats(bytes, dtype);
      const integers = new Int8Array(floats.length);
      quantize(floats, first, channels, { scales: scales.get(name) as Float32Array, integers, error });
      return new Uint8Array(integers.buffer);
    }
  });
  return end;
}

/** The files of a sentence-transformers folder: what follows the model, each module in a folder of its own. */
async function sentenceFiles(folder: Folder, signal: AbortSignal): Promise<string[]> {
  const modules = await readJsonValue(folder, 'modules.json', signal);
  if (!Array.isArray(modules)) return [];
  const places = modules.flatMap((module) => (isJsonObject(module) ? [String(module.path)] : []));
  // Only names of folders directly inside: nothing is written elsewhere.
  const inside = places.filter((place) => /^\w[\w.-]*$/.test(place));
  return [
    'modules.json',
    'sentence_bert_config.json',
    'config_sentence_transformers.json',
    ...inside.flatMap((place) =>
      ['config.json', 'model.safetensors', 'pytorch_model.bin'].map((name) => `${place}/${name}`),
    ),
  ];
}

/** Writes all bytes: the system may accept fewer at a time. */
async function writeAt(file: FileHandle, bytes: Uint8Array, place: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, place + done);
    done += bytesWritten;
  }
}

/** Writes config.json, with its quantization_config, and the small files. Returns their names. */
async function writeOthers(
  folder: Folder,
  output: OutputFolder,
  { config, parts, signal }: { config: JsonObject; parts: readonly Part[]; signal: AbortSignal },
): Promise<string[]> {
  const isTransposed = parts.some(({ matrix }) => matrix && matrix.channels.shape.at(-1) !== 1);
  // Linear layers and embeddings that are not quantised.
  const ignore = parts
    .filter(({ tensor: { name, shape }, matrix }) => !matrix && shape.length === 2 && /\.weight$/.test(name))
    .map(({ tensor: { name } }) => name.replace(/\.weight$/, ''));
  const targets = ['Linear', 'Embedding', ...(isTransposed ? ['Conv1D'] : [])];
  const described = { ...config, quantization_config: compressedTensors(targets, ignore) };
  const configFile = await output.file('config.json');
  await configFile.write(`${JSON.stringify(described, null, 2)}\n`);
  const names = ['config.json'];
  for (const name of [...otherFiles, ...(await sentenceFiles(folder, signal))]) {
    const opened = await folder.open(name, signal);
    if ('missing' in opened) continue;
    const file = await output.file(name);
    let place = 0;
    for await (const bytes of opened.bytes()) {
      await writeAt(file, bytes, place);
      place += bytes.length;
    }
    names.push(name);
  }
  return names;
}

function summary(
  parts: readonly Part[],
): Pick<QuantizedCheckpoint, 'quantized' | 'kept' | 'keptBytes' | 'largestError' | 'relativeError'> {
  const kept = parts.filter(({ matrix }) => !matrix).map(({ tensor }) => tensor);
  let largestError: QuantizedCheckpoint['largestError'] = { tensor: null, value: 0 };
  let squares = 0;
  let ofSquares = 0;
  for (const { tensor, matrix } of parts) {
    if (!matrix) continue;
    const { error } = matrix;
    if (error.largest > largestError.value) largestError = { tensor: tensor.name, value: error.largest };
    squares += error.squares;
    ofSquares += error.ofSquares;
  }
  return {
    quantized: parts.filter(({ matrix }) => matrix).map(({ tensor }) => tensor.name),
    kept: kept.map(({ name }) => name),
    keptBytes: kept.reduce((sum, tensor) => sum + elements(tensor.shape) * elementBytes(tensor), 0),
    largestError,
    relativeError: ofSquares > 0 ? Math.sqrt(squares / ofSquares) : 0,
  };
}
