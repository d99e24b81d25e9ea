/** Reads a checkpoint's files and builds its model inside of the engine. */

import { TransformerError } from '../engine/errors.js';
import type { Handle, Host } from '../engine/host.js';
import type { Plan } from './families/family.js';
import { planModel } from './families/index.js';
import { type CheckpointSource, type JsonObject, openFolder, readJson, requireJson } from './folder.js';
import { type GenerationConfig, readGenerationConfig } from './generation_config.js';
import { loadWeights } from './load_weights.js';
import { readTokenizer } from './tokenizers/read_tokenizer.js';
import type { Tokenizer } from './tokenizers/tokenizer.js';
import { isKnownBuffer, storedName } from './torch_names.js';
import { openWeights, shapesOf, type WeightFile } from './weight_file.js';

/** How far loading has come. */
export interface LoadProgress {
  /** `config`: the small files; `weights`: the large one; `ready`: the model can be used. */
  phase: 'config' | 'weights' | 'ready';
  /** What is being read. */
  file: string;
  /** Bytes of it so far. */
  loaded: number;
  /** Bytes of it in all; `null` where the server does not say. */
  total: number | null;
}

export interface LoadTarget {
  readonly host: Host;
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What was loaded, and what came out of it. */
export interface Checkpoint {
  readonly host: Host;
  readonly transformer: Handle;
  readonly config: JsonObject;
  readonly plan: Plan;
  readonly generation: GenerationConfig;
  readonly tokenizer: Tokenizer | null;
  readonly info: CheckpointInfo;
}

export interface CheckpointInfo {
  /** `model_type` of config.json. */
  readonly family: string;
  readonly parameters: number;
  /** Of the file of weights. */
  readonly bytes: number;
  /** How the weights are kept. */
  readonly dtype: 'f32';
  /** How the file stores them. */
  readonly storedDtypes: readonly string[];
  readonly loadMilliseconds: number;
  /** Tensors of the file that the model has no use for. */
  readonly unusedTensors: readonly string[];
}

/** A checkpoint whose small files have been read and whose weights wait to be. */
export interface OpenCheckpoint {
  readonly config: JsonObject;
  readonly generation: GenerationConfig;
  readonly tokenizer: Tokenizer | null;
  readonly plan: Plan;
  /** To be closed by who opened it. */
  readonly file: WeightFile;
}

/** @throws TransformerError; the signal's reason. */
export async function openCheckpoint(
  source: CheckpointSource,
  signal?: AbortSignal,
): Promise<OpenCheckpoint> {
  const folder = openFolder(source);
  const config = await requireJson(folder, 'config.json', signal);
  const [generationConfig, tokenizer] = await Promise.all([
    readJson(folder, 'generation_config.json', signal),
    readTokenizer(folder, config, signal),
  ]);
  signal?.throwIfAborted();
  const generation = readGenerationConfig(generationConfig, config);
  const file = await openWeights(folder, signal);
  try {
    return { config, generation, tokenizer, plan: planModel(config, shapesOf(file)), file };
  } catch (error) {
    await file.reader.close();
    throw error;
  }
}

/** @throws TransformerError; the signal's reason. Nothing stays in the engine then. */
export async function loadCheckpoint(source: CheckpointSource, target: LoadTarget): Promise<Checkpoint> {
  const { host, onProgress, signal } = target;
  const begin = performance.now();
  onProgress?.({ phase: 'config', file: 'config.json', loaded: 0, total: null });
  const { file, ...checkpoint } = await openCheckpoint(source, signal);
  try {
    const { transformer, left } = await build(file, checkpoint.plan, target);
    try {
      const parameters = await host.call<number>(transformer, 'parameterCount');
      const { position } = file.reader;
      onProgress?.({ phase: 'ready', file: file.name, loaded: position, total: position });
      signal?.throwIfAborted();
      const info: CheckpointInfo = {
        family: String(checkpoint.config.model_type),
        parameters,
        bytes: position,
        dtype: 'f32',
        storedDtypes: storedDtypes(file),
        loadMilliseconds: performance.now() - begin,
        unusedTensors: unusedTensors(file, checkpoint.plan, left),
      };
      return { host, transformer, info, ...checkpoint };
    } catch (error) {
      await host.release(transformer);
      throw error;
    }
  } finally {
    await file.reader.close();
  }
}

interface Built {
  readonly transformer: Handle;
  /** The engine's names of weights that it did not take. */
  readonly left: readonly string[];
}

/** Streams the weights into the engine and makes its transformer of them. */
async function build(file: WeightFile, plan: Plan, { host, onProgress, signal }: LoadTarget): Promise<Built> {
  const weights = await host.create(null, 'Weights');
  try {
    const onBytes = (loaded: number) =>
      onProgress?.({ phase: 'weights', file: file.name, loaded, total: file.size });
    await loadWeights(file, plan.slices, { host, weights, signal, onBytes });
    signal?.throwIfAborted();
    const transformer = await host.create(null, 'transformer', plan.engine, weights);
    return { transformer, left: await host.call<string[]>(weights, 'names') };
  } catch (error) {
    throw inNamesOfFile(error, file, plan);
  } finally {
    await host.release(weights);
  }
}

/** The engine speaks of its own tensors; the reader of the message has a file in hand. */
function inNamesOfFile(error: unknown, file: WeightFile, { slices }: Plan): unknown {
  if (!(error instanceof TransformerError) || error.code !== 'bad_checkpoint') return error;
  const message = error.message.replace(/the tensor '([^']+)'/, (_, name: string) => {
    const slice = slices.find((candidate) => candidate.name === name);
    if (!slice) return `the tensor '${storedName(name)}'`;
    const { from, firstRow, rows } = slice;
    return `the tensor '${from}'${rows === null ? '' : ` (rows ${firstRow} to ${firstRow + rows - 1})`}`;
  });
  const named = message.startsWith(file.name) ? message : `${file.name}: ${message}`;
  return new TransformerError('bad_checkpoint', named, { cause: error });
}

function storedDtypes({ tensors }: WeightFile): string[] {
  return [...new Set(tensors.map(({ dtype }) => dtype))];
}

/** Tensors that the model has no use for, tables apart that are known to be computed. */
function unusedTensors({ tensors }: WeightFile, { slices }: Plan, left: readonly string[]): string[] {
  const used = new Set(slices.filter(({ name }) => !left.includes(name)).map(({ from }) => from));
  return tensors.map(({ name }) => name).filter((name) => !used.has(name) && !isKnownBuffer(name));
}
