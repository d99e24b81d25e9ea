/** Writes a checkpoint with matrices in integers, in the layouts of weights/integer_layouts.ts. */

import type { FileHandle } from 'node:fs/promises';
import { withOwnProjection } from '../checkpoint/own_projection.js';
import { planQuantization, type QuantizedPart, writeQuantized } from '../checkpoint/quantize_weights.js';
import type { QuantizedDtype } from '../engine/dtype.js';
import type { Host } from '../engine/host.js';
import { familyOf } from '../families/index.js';
import type { Folder } from '../files/folder.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { openFolder } from '../files/open_folder.js';
import { readJsonValue, requireJson } from '../files/read_json.js';
import { fail } from '../values/errors.js';
import { elements } from '../values/tensor.js';
import { openWeights } from '../weights/open_weights.js';
import { isQuantized } from '../weights/quantization.js';
import { elementBytes } from '../weights/stored_tensor.js';
import { shapesOf } from '../weights/weight_file.js';
import { openHost } from '../worker/open_host.js';
import { OutputFolder } from './output_folder.js';

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
  /** Default: 'int8'. */
  readonly dtype?: QuantizedDtype | undefined;
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

/**
 * Reads the weights once, and holds only one piece of them at a time, or one matrix if it is stored as [in, out].
 *
 * @param source path or URL of a folder
 * @throws TransformerError like loading; `invalid_argument` if the weights are already quantised. After an error or
 *   abort, nothing that was written remains.
 */
export async function quantizeCheckpoint(
  source: string,
  target: string,
  { dtype = 'int8', force, signal, onProgress }: QuantizeOptions,
): Promise<QuantizedCheckpoint> {
  const folder = await openFolder(source);
  const config = await requireJson(folder, 'config.json', signal);
  if (isQuantized(config)) fail('invalid_argument', `the weights of ${folder.name} are already quantised`);
  const weights = await openWeights(folder, { signal });
  let host: Host | undefined;
  try {
    const { modelType, ...family } = await familyOf(config);
    const plan = await withOwnProjection(family.plan(shapesOf(weights)), weights, signal);
    ({ host } = await openHost({ threads: 1, signal }));
    const quantization = await planQuantization(weights, plan, { host, dtype });
    const { parts, config: quantization_config } = quantization;
    const used = new Set(parts.map(({ tensor }) => tensor.name));
    const output = await OutputFolder.create(target, { source, force });
    try {
      const onBytes = (bytes: number) => {
        if (weights.size !== null) onProgress(bytes / weights.size);
      };
      const copied = await writeOthers(folder, output, { ...config, quantization_config }, signal);
      const file = await output.file(weightsName);
      const write = (bytes: Uint8Array, place: number) => writeAt(file, bytes, place);
      const bytesAfter = await writeQuantized(weights, quantization, { host, signal, onBytes, write });
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
    await host?.close();
    await weights.close();
  }
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
  config: JsonObject,
  signal: AbortSignal,
): Promise<string[]> {
  const configFile = await output.file('config.json');
  await configFile.write(`${JSON.stringify(config, null, 2)}\n`);
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
  parts: readonly QuantizedPart[],
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
