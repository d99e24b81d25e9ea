/**
 * Downloads of which the quantised form is kept: `cache: { as: 'int8' }`. The weights are downloaded into the cache as
 * usual, so that an interrupted download resumes, and are written there again with matrices in 8 bits; then the
 * originals are dropped. The model is loaded from what is kept, the first time too.
 */

import type { Host } from '../engine/host.js';
import { familyOf } from '../families/index.js';
import type { DerivedFiles, Folder, SeekableFile } from '../files/folder.js';
import { fileOf, seekableBytes } from '../files/folder_files.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { readJsonFile, requireJson } from '../files/read_json.js';
import { sha256 } from '../files/sha256.js';
import { fail } from '../values/errors.js';
import { checkNames, toBoolean, toChoice, toObject } from '../values/options.js';
import { openWeights } from '../weights/open_weights.js';
import { isQuantized } from '../weights/quantization.js';
import { type OpenOptions, shapesOf } from '../weights/weight_file.js';
import { withOwnProjection } from './own_projection.js';
import { planQuantization } from './plan_quantization.js';
import { quantizedSize, writeQuantized } from './write_quantized.js';

const weightsName = 'model.safetensors';
/** The origin of the weights: a JSON file that is written before them. */
const recordName = 'quantized.json';

interface Origin {
  /** The versions of the files that were quantised. */
  readonly sources: readonly (readonly [name: string, version: string])[];
  /** SHA-256 of the config.json that says which tensors the model has: the others were left out. */
  readonly config: string;
  readonly quantization_config: JsonObject;
}

type Report = NonNullable<OpenOptions['onDownload']>;

/** A folder to load, and the listener to its progress. */
interface Reading {
  readonly folder: Folder;
  readonly report: Report;
}

interface Options extends OpenOptions {
  /** The engine that quantises. */
  readonly host: Promise<Host>;
  /** Called with the reason why nothing was kept. */
  note(sentence: string): void;
}

/** @throws TransformerError `invalid_argument` for `cache` that is neither a boolean nor `{ as: 'int8', persist }`. */
export function checkCache(cache: unknown, dtype: unknown): void {
  const given = toObject(cache, 'cache');
  checkNames(given, ['as', 'persist'], 'cache');
  if (given.persist !== undefined) toBoolean(given.persist, 'cache.persist');
  if (given.as === undefined && given.persist !== undefined) return;
  toChoice(given.as, 'cache.as', ['int8']);
  if (dtype !== undefined && dtype !== 'auto' && dtype !== 'int8')
    fail('invalid_argument', `cache: { as: 'int8' } keeps weights of 8 bits, so dtype cannot be '${dtype}'`);
}

/**
 * The folder with weights in 8 bits, from the cache if it has them; or the folder itself, where nothing can be kept or
 * the weights are in 8 bits already.
 *
 * @throws TransformerError like loading; the signal's reason.
 */
export async function in8Bits({ folder, report }: Reading, options: Options): Promise<Reading> {
  let isRead = false;
  const onDownload: Report = (...progress) => {
    isRead = true;
    report(...progress);
  };
  const quantized = await quantizedFolder(folder, { ...options, onDownload });
  // What is read once more, from the cache, counts other bytes.
  return { folder: quantized, report: isRead ? () => undefined : report };
}

async function quantizedFolder(folder: Folder, options: Options): Promise<Folder> {
  const config = await requireJson(folder, 'config.json', options.signal);
  const derived = await folder.derived?.();
  if (!derived || isQuantized(config)) return folder;
  const found =
    (await findQuantized(derived, config, options)) ??
    (await makeQuantized(folder, { derived, config, ...options }));
  if (!found) return folder;
  const { weights, quantization_config } = found;
  const described = new TextEncoder().encode(JSON.stringify({ ...config, quantization_config }));
  const files = new Map([
    ['config.json', fileOf(seekableBytes(described))],
    [weightsName, fileOf(weights)],
  ]);
  return { ...folder, open: async (name, signal) => files.get(name) ?? folder.open(name, signal) };
}

interface Quantized extends Pick<Origin, 'quantization_config'> {
  readonly weights: SeekableFile;
}

/** `null` if there is none, or if the files on the server have changed since. */
async function findQuantized(
  derived: DerivedFiles,
  config: JsonObject,
  { signal }: OpenOptions,
): Promise<Quantized | null> {
  const weights = await derived.find(weightsName);
  const record = weights && (await readRecord(derived));
  if (!record || record.version !== weights.version || record.config !== (await hashOf(config))) return null;
  for (const [name, version] of record.sources) {
    const current = await derived.version(name, signal);
    // Without a connection, what is there is used.
    if (current !== undefined && current !== version) {
      await derived.drop(weightsName);
      return null;
    }
  }
  return { weights, quantization_config: record.quantization_config };
}

/** `null` if it is not there, or damaged: the weights are then made again. */
async function readRecord(derived: DerivedFiles): Promise<(Origin & { version: string }) | null> {
  const file = await derived.find(recordName);
  if (!file) return null;
  const value = await readJsonFile(fileOf(file), recordName).catch(() => null);
  const isOrigin =
    isJsonObject(value) && Array.isArray(value.sources) && isJsonObject(value.quantization_config);
  return isOrigin ? { ...(value as unknown as Origin), version: file.version } : null;
}

const hashOf = (config: JsonObject) => sha256(new TextEncoder().encode(JSON.stringify(config)));

/** The folder, and the versions of the files that are read from it: the server may have another one by now. */
function withVersions(folder: Folder): { opened: Folder; versions: ReadonlyMap<string, string> } {
  const versions = new Map<string, string>();
  const open: Folder['open'] = async (name, signal) => {
    const file = await folder.open(name, signal);
    if ('version' in file && file.version) versions.set(name, file.version);
    return file;
  };
  return { opened: { ...folder, open }, versions };
}

/** `null` if it cannot be kept: the model is then quantised while it is loaded. */
async function makeQuantized(
  folder: Folder,
  {
    derived,
    config,
    host,
    signal,
    onDownload,
    note,
  }: Options & { derived: DerivedFiles; config: JsonObject },
): Promise<Quantized | null> {
  const { opened, versions } = withVersions(folder);
  const files = await openWeights(opened, { signal, onDownload });
  try {
    const names = [...new Set([files.name, ...files.files.map(({ name }) => name)])];
    const sources: [string, string][] = [];
    for (const name of names) {
      const version = versions.get(name);
      if (version) sources.push([name, version]);
    }
    if (sources.length < names.length) {
      note('The model is not cached in 8 bits: its server sends neither an ETag nor a date.');
      return null;
    }
    const family = await familyOf(config);
    const plan = await withOwnProjection(family.plan(shapesOf(files)), files, signal);
    const quantization = await planQuantization(files, plan, { host: await host, dtype: 'int8' });
    const record: Origin = {
      sources,
      config: await hashOf(config),
      quantization_config: quantization.config,
    };
    const bytes = new TextEncoder().encode(JSON.stringify(record));
    const version = await sha256(bytes);
    await derived.writer(recordName, { version, size: bytes.length })(bytes, 0);
    await writeQuantized(files, quantization, {
      host: await host,
      write: derived.writer(weightsName, { version, size: quantizedSize(quantization) }),
      signal,
      onBytes: (read, file) => onDownload?.(file, read, files.size),
    });
    const weights = await derived.find(weightsName);
    // The cache has noted why it could not be kept.
    if (weights?.version !== version) return null;
    for (const name of names) await derived.dropDownload(name);
    return { weights, quantization_config: record.quantization_config };
  } finally {
    await files.close();
  }
}
