/** Reads a checkpoint's files and builds its model in the engine. */

import {
  bitsOf,
  bytesOfNumber,
  type Dtype,
  isQuantizedDtype,
  type LoadDtype,
  type QuantizedDtype,
  type StoredDtype,
  smallerDtype,
} from '../engine/dtype.js';
import type { Handle, Host } from '../engine/host.js';
import { type FamilyOf, familyOf } from '../families/index.js';
import type { CheckpointSource, Folder } from '../files/folder.js';
import type { CheckedFolder, Integrity } from '../files/integrity.js';
import type { JsonObject } from '../files/json_object.js';
import { openFolder, type SourceOptions } from '../files/open_folder.js';
import { readJson, requireJson } from '../files/read_json.js';
import { type GenerationConfig, readGenerationConfig } from '../generation/settings/generation_config.js';
import type { Plan } from '../plans/family.js';
import { isKnownBuffer, storedName } from '../plans/torch_names.js';
import { readTokenizer } from '../tokenizers/read_tokenizer.js';
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { fail, TransformerError } from '../values/errors.js';
import { elements } from '../values/tensor.js';
import { loadWeights } from '../weights/load_weights.js';
import { openWeights } from '../weights/open_weights.js';
import { isPacked, isQuantized, scaleName } from '../weights/quantization.js';
import { temporaryName } from '../weights/slice_writer.js';
import type { StoredTensor } from '../weights/stored_tensor.js';
import { fileOf, type OpenOptions, shapesOf, type WeightFiles } from '../weights/weight_file.js';
import { type FrontEnd, makeFrontEnd } from './front_end.js';

/** Progress of loading. */
export interface LoadProgress {
  /** `config`: the small files; `weights`: the large ones; `ready`: the model can be used. */
  phase: 'config' | 'weights' | 'ready';
  /** The file being read. */
  file: string;
  /** Bytes read so far, over all weight files. */
  loaded: number;
  /** Total bytes of the weight files; `null` if the server does not say. */
  total: number | null;
}

/** What is kept of downloads: the files as they are, or with matrices in 8 bits. */
export type CacheOption = boolean | { readonly as: 'int8' };

export interface LoadTarget extends Pick<SourceOptions, 'hub' | 'retries'> {
  readonly cache?: CacheOption | undefined;
  /** Starts while the small files are read. */
  readonly host: Promise<Host>;
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** SHA-256 of files by their names. */
  readonly integrity?: Integrity | undefined;
  /** How to store matrices; default: 'int8' for the option `cache: { as: 'int8' }`, else 'auto'. */
  readonly dtype?: LoadDtype | undefined;
}

/** A model in the engine. */
export type ModelHandle = Handle<'Transformer' | 'RecurrentModel'>;

/** A loaded checkpoint. */
export interface Checkpoint {
  readonly host: Host;
  readonly transformer: ModelHandle;
  /** Turns images or audio into vectors; `null` for a model that takes tokens. */
  readonly frontEnd: FrontEnd | null;
  readonly config: JsonObject;
  readonly plan: Plan;
  readonly generation: GenerationConfig;
  readonly tokenizer: Tokenizer | null;
  readonly info: CheckpointInfo;
  /** The folder, for small files that only some tasks read. */
  readonly folder: Folder;
}

export interface CheckpointInfo {
  /** `model_type` of config.json. */
  readonly family: string;
  readonly parameters: number;
  /** Total bytes of the weight files. */
  readonly bytes: number;
  /** Bytes of memory that the weights take in the engine. */
  readonly weightBytes: number;
  /** How matrices are stored in the engine, or most of them if the files mix types; everything else is float32. */
  readonly dtype: StoredDtype;
  /** Data types in the weight files. */
  readonly storedDtypes: readonly string[];
  /** The commit that the files are of, in 40 hexadecimal digits; `null` where no hub tells it. */
  readonly commit: string | null;
  /** SHA-256 by file name, in hexadecimal digits: of files that `integrity` checked, and as the hub tells it of others. */
  readonly sha256: Readonly<Record<string, string>>;
  readonly loadMilliseconds: number;
  /** Names of tensors in the files that the model does not use. */
  readonly unusedTensors: readonly string[];
  /** Explanations: how integers are multiplied, why a download was not kept. */
  readonly notes: readonly string[];
}

/** A checkpoint whose small files have been read, and whose weights have not. */
export interface OpenCheckpoint {
  readonly config: JsonObject;
  readonly modelType: string | null;
  readonly generation: GenerationConfig;
  readonly tokenizer: Tokenizer | null;
  readonly plan: Plan;
  /** The caller of `openCheckpoint` closes it. */
  readonly files: WeightFiles;
  /** How to keep matrices that are quantised in the files; `null` if they are not. */
  readonly quantizedAs: Dtype | null;
}

/** @throws TransformerError; the signal's reason. */
async function openCheckpoint(folder: Folder, options: OpenOptions): Promise<OpenCheckpoint> {
  const { signal } = options;
  const config = await requireJson(folder, 'config.json', signal);
  const family = await familyOf(config);
  // The largest file is on its way while the small ones are read.
  const opening = openWeights(folder, options);
  opening.catch(() => undefined); // awaited below, after the small files
  try {
    const [generationConfig, tokenizer] = await Promise.all([
      readJson(folder, 'generation_config.json', signal),
      readTokenizer(folder, { config, kind: family.tokenizer }, signal),
    ]);
    signal?.throwIfAborted();
    const generation = readGenerationConfig(generationConfig, family.config);
    const { files, dtype } = await withoutPacking(await opening, { config, family });
    const { modelType } = family;
    const plan = family.plan(shapesOf(files));
    const quantizedAs = isQuantized(config) ? dtype : null;
    return { config, modelType, generation, tokenizer, plan, files, quantizedAs };
  } catch (error) {
    await (await opening.catch(() => undefined))?.close();
    throw error;
  }
}

/** Weights of 4 bits as if they were floats, and how to keep those that are quantised. */
export async function withoutPacking(
  files: WeightFiles,
  { config, family }: { config: JsonObject; family: FamilyOf },
): Promise<{ files: WeightFiles; dtype: Dtype }> {
  if (!isPacked(config)) return { files, dtype: 'int8' };
  return (await import('../weights/packed_files.js')).unpackedFiles(files, config, family.inputsFirst);
}

/** @throws TransformerError; the signal's reason. On failure nothing remains in the engine. */
export async function loadCheckpoint(source: CheckpointSource, target: LoadTarget): Promise<Checkpoint> {
  const { onProgress, signal, cache, hub, retries, integrity } = target;
  const begin = performance.now();
  const notes: string[] = [];
  const note = (sentence: string) => notes.push(sentence);
  const keeps8Bits = typeof cache === 'object';
  const opened = await openFolder(source, { cache: keeps8Bits || cache, hub, retries, signal, note });
  const checked = integrity && (await checkedFolder(opened, integrity));
  const original = checked ?? opened;
  onProgress?.({ phase: 'config', file: 'config.json', loaded: 0, total: null });
  const whole = { folder: original, report: reporter(onProgress) };
  const { folder, report } = keeps8Bits
    ? await (await import('./quantized_cache.js')).in8Bits(whole, { host: target.host, signal, note })
    : whole;
  const { files, modelType, quantizedAs, ...checkpoint } = await openCheckpoint(folder, {
    signal,
    onDownload: report,
  });
  try {
    const host = await target.host;
    const asked = target.dtype ?? 'auto';
    const dtype = asked === 'auto' ? (quantizedAs ?? (keeps8Bits ? 'int8' : asked)) : asked;
    const { left, bytes, ...built } = await build(files, checkpoint.plan, {
      host,
      isQuantized: quantizedAs !== null,
      signal,
      dtype,
      report,
    });
    try {
      if (isQuantizedDtype(dtype)) notes.push(await integerNote(host, dtype));
      const parameters = await host.invoke(built.transformer, 'parameterCount');
      if (checked) {
        await files.close();
        await checked.checkRest(signal);
      }
      onProgress?.({ phase: 'ready', file: files.name, loaded: bytes, total: bytes });
      signal?.throwIfAborted();
      const info: CheckpointInfo = {
        family: String(modelType),
        parameters,
        bytes,
        weightBytes: await host.invoke(built.transformer, 'weightBytes'),
        dtype: dtype === 'auto' ? mostOf(files, checkpoint.plan) : dtype,
        storedDtypes: storedDtypes(files),
        commit: original.commit?.() ?? null,
        sha256: { ...original.hashes?.() },
        loadMilliseconds: performance.now() - begin,
        unusedTensors: unusedTensors(files, checkpoint.plan, left),
        notes,
      };
      return { host, ...built, info, folder: await withoutWeights(source, folder), ...checkpoint };
    } catch (error) {
      await release(host, built);
      throw error;
    }
  } finally {
    await files.close();
  }
}

async function checkedFolder(folder: Folder, integrity: Integrity): Promise<CheckedFolder> {
  const { toHashes, withIntegrity } = await import('../files/integrity.js');
  return withIntegrity(folder, toHashes(integrity));
}

/** A model outlives its loading, and must not keep the bytes of weights that it was given in memory. */
async function withoutWeights(source: CheckpointSource, folder: Folder): Promise<Folder> {
  if (!(source instanceof Map)) return folder;
  const files = [...(source as ReadonlyMap<string, Blob | Uint8Array>)];
  return openFolder(new Map(files.filter(([name]) => !/^[^/]+\.(safetensors|bin)$/.test(name))));
}

/** Frees a model's memory in the engine. */
export async function release(
  host: Host,
  { transformer, frontEnd }: Pick<Built, 'transformer' | 'frontEnd'>,
): Promise<void> {
  await Promise.all(
    [transformer, ...(frontEnd?.layers.values() ?? [])].map((handle) => host.release(handle)),
  );
}

/** Describes the activations' precision: the relaxed dot product takes 7 bits, and is not correct on every machine. */
async function integerNote(host: Host, dtype: QuantizedDtype): Promise<string> {
  const isRelaxed = (await host.call('activationBits', 'int8')) === 7;
  const bits = `${bitsOf(dtype)} bits by activations of ${await host.call('activationBits', dtype)}`;
  const why = isRelaxed
    ? 'is available and passed its self-test'
    : 'is unavailable here or gives wrong results';
  return `Weights of ${bits} bits: the relaxed dot product ${why}.`;
}

type Report = (file: string, loaded: number, total: number | null) => void;

/** Reports progress that never decreases, even where a file is downloaded first and then read a second time. */
function reporter(onProgress: LoadTarget['onProgress']): Report {
  let most = 0;
  return (file, loaded, total) => {
    most = Math.max(most, loaded);
    onProgress?.({ phase: 'weights', file, loaded: most, total });
  };
}

interface BuildTarget extends Pick<LoadTarget, 'signal'> {
  readonly host: Host;
  readonly isQuantized: boolean;
  readonly dtype: LoadDtype;
  readonly report: Report;
}

interface Built {
  readonly transformer: ModelHandle;
  readonly frontEnd: FrontEnd | null;
  /** Engine names of the weights that were not used. */
  readonly left: readonly string[];
  /** Total bytes of the weight files. */
  readonly bytes: number;
}

/** Streams the weights into the engine and builds the transformer. */
async function build(
  files: WeightFiles,
  plan: Plan,
  { host, isQuantized, signal, dtype, report }: BuildTarget,
): Promise<Built> {
  checkSize(files, plan, dtype);
  const weights = await host.create('Weights', dtype, undefined);
  let frontEnd: FrontEnd | null = null;
  try {
    const onBytes = (file: { readonly name: string }, loaded: number) =>
      report(file.name, loaded, files.size);
    const bytes = await loadWeights(files, plan.slices, { host, weights, isQuantized, signal, onBytes });
    signal?.throwIfAborted();
    frontEnd = await makeFrontEnd(host, weights, plan).catch(blameConfig);
    const transformer = await makeModel(host, plan.model, weights).catch(blameConfig);
    return { transformer, frontEnd, left: await host.invoke(weights, 'names'), bytes };
  } catch (error) {
    for (const layer of frontEnd?.layers.values() ?? []) await host.release(layer);
    throw inNamesOfFiles(error, files, plan);
  } finally {
    await host.release(weights);
  }
}

const makeModel = (host: Host, model: Plan['model'], weights: Handle<'Weights'>): Promise<ModelHandle> =>
  'recurrent' in model
    ? host.create('RecurrentModel', model.recurrent, weights)
    : host.create('Transformer', model, weights);

/** The address space of 32-bit WebAssembly. */
const memoryBytes = 2 ** 32;

/**
 * Weights that cannot fit are refused before they are read.
 *
 * @throws TransformerError `out_of_memory`
 */
function checkSize(files: WeightFiles, plan: Plan, dtype: LoadDtype): void {
  const used = new Set(plan.slices.map(({ from }) => from));
  const sizeOf = (tensor: StoredTensor) =>
    bytesOfNumber(tensor.shape.length !== 2 ? 'f32' : dtype === 'auto' ? keptDtype(tensor) : dtype);
  const bytes = files.tensors
    .filter((tensor) => used.has(tensor.name))
    .reduce((sum, tensor) => sum + elements(tensor.shape) * sizeOf(tensor), 0);
  if (bytes <= memoryBytes) return;
  const kept = dtype === 'auto' ? mostOf(files, plan) : dtype;
  const smaller = smallerDtype(kept);
  const advice = smaller ? `; dtype: '${smaller.dtype}' takes about ${smaller.share}` : '';
  fail(
    'out_of_memory',
    `${files.name}: the weights take ${gigabytes(bytes)} in ${kept}, but the engine's memory has ${gigabytes(memoryBytes)}${advice}`,
  );
}

/** How the engine keeps a matrix of the file with `dtype: 'auto'`. */
function keptDtype({ dtype }: StoredTensor): 'f32' | 'f16' | 'bf16' {
  return dtype === 'F16' ? 'f16' : dtype === 'BF16' ? 'bf16' : 'f32';
}

/** The type of most numbers in matrices. */
function mostOf({ tensors }: WeightFiles, { slices }: Plan): 'f32' | 'f16' | 'bf16' {
  const stored = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const counts = { f32: 0, f16: 0, bf16: 0 };
  for (const { from, shape } of slices) {
    const tensor = stored.get(from);
    if (tensor && shape.length === 2) counts[keptDtype(tensor)] += elements(shape);
  }
  return (['bf16', 'f16'] as const).find((dtype) => counts[dtype] > counts.f32) ?? 'f32';
}

const gigabytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GB`;

/** The arguments of a model that the engine refuses are those of config.json. */
function blameConfig(error: unknown): never {
  if (!(error instanceof TransformerError) || error.code !== 'invalid_argument') throw error;
  throw new TransformerError('bad_checkpoint', `config.json: ${error.message}`, { cause: error });
}

/** Rewrites an engine error in terms of the files: their tensor names rather than the engine's. */
function inNamesOfFiles(error: unknown, files: WeightFiles, { slices, ...plan }: Plan): unknown {
  if (!(error instanceof TransformerError) || error.code !== 'bad_checkpoint') return error;
  let file = files.name;
  const message = error.message.replace(/the tensor '([^']+)'/, (_, name: string) => {
    const slice = slices.find((candidate) => [candidate.name, temporaryName(candidate.from)].includes(name));
    if (!slice) return `the tensor '${(plan.storedName ?? storedName)(name)}'`;
    const { from, firstRow, rows } = slice;
    file = fileOf(files, from);
    return `the tensor '${from}'${rows === null ? '' : ` (rows ${firstRow} to ${firstRow + rows - 1})`}`;
  });
  const isNamed = ['config.json', ...files.files.map(({ name }) => name)].some((name) =>
    message.startsWith(name),
  );
  const named = isNamed ? message : `${file}: ${message}`;
  return new TransformerError('bad_checkpoint', named, { cause: error });
}

function storedDtypes({ tensors }: WeightFiles): string[] {
  return [...new Set(tensors.map(({ dtype }) => dtype))];
}

/** Tensors that the model does not use, apart from tables that are known to be computable. */
function unusedTensors({ tensors }: WeightFiles, { slices }: Plan, left: readonly string[]): string[] {
  const used = new Set(slices.filter(({ name }) => !left.includes(name)).map(({ from }) => from));
  for (const { name, dtype } of tensors) if (dtype === 'I8' && used.has(name)) used.add(scaleName(name));
  const usedTensors = tensors.filter(({ name }) => used.has(name));
  // Another name for numbers that are used: torch.save keeps every name of a tied tensor.
  const isUsed = ({ storage, offset }: StoredTensor) =>
    usedTensors.some((other) => other.storage === storage && other.offset === offset);
  return tensors
    .filter((tensor) => !isUsed(tensor))
    .map(({ name }) => name)
    .filter((name) => !isKnownBuffer(name));
}
