/** What loading a model would download and take, and what is kept of it. */

import type { Dtype } from '../engine/dtype.js';
import { bytesOfNumber } from '../engine/dtype.js';
import { DownloadCache } from '../files/download_cache.js';
import type { CheckpointSource, Folder } from '../files/folder.js';
import type { HubOptions } from '../files/hub.js';
import { earliest, forgetAddresses, keptAddresses } from '../files/kept_addresses.js';
import { mayBeId, openFolder } from '../files/open_folder.js';
import { roomLeft } from '../files/storage_room.js';
import { elements } from '../values/tensor.js';
import { asFolder } from './folder_weights.js';
import { type Inspection, inspectFolder } from './inspect_checkpoint.js';
import type { InspectedTensor } from './inspected_tensors.js';
import { readModelCard } from './model_card.js';

export interface DescribeOptions {
  /** Takes the source as a model of a hub, the id `'owner/name'`. */
  hub?: HubOptions;
  /** How often a request is repeated that fails for a passing reason. Default: 4. */
  retries?: number;
  signal?: AbortSignal;
}

/** A model that has not been loaded. */
export interface DescribedModel {
  /** `model_type` of config.json; `null` if it is missing. */
  family: string | null;
  /** Numbers in the tensors that are used. */
  parameters: number;
  /**
   * What loading reads. `bytes` is `null` where the server does not say; `cached` are the bytes that are kept already.
   */
  files: { name: string; bytes: number | null; cached: number }[];
  /** Bytes of the weights in the engine's memory, by `dtype`. */
  bytes: Record<Dtype, number>;
  /**
   * The most that the engine's memory takes while it loads, by `dtype`, in bytes; an estimate, without computations.
   */
  memory: Record<Dtype, number>;
  /** From the model's card (README.md): an identifier such as `apache-2.0`. */
  license: string | null;
  /** From the model's card: tags such as `en`. */
  languages: readonly string[];
  /** Whether everything is kept, so that it loads without a network. */
  cached: boolean;
  /** The commit that its files are of; `null` where no hub tells it. */
  commit: string | null;
  /** Bytes that this page may still keep; `null` where nobody says, as in Node.js. */
  room: number | null;
  /** Why it cannot be loaded; empty if nothing in the headers prevents it. */
  refusals: readonly string[];
}

/** Downloads of a folder, and what was made of them. */
export interface StoredModel {
  /** The id at a hub, or the address of a folder: what `loadModel` and `forget` take. */
  source: string;
  /** Of a model at a hub: which one, and the revision that was asked for. */
  hub?: { host: string; revision: string };
  bytes: number;
  /** When its first part was kept; `null` if an earlier version kept it. */
  since: Date | null;
}

const dtypes: readonly Dtype[] = ['f32', 'int8', 'int4'];

/** What the engine takes before any weights, and what memory that grows in steps has unused. */
const engineBytes = 16 << 20;
const growth = 1.05;

export async function describeSource(
  source: CheckpointSource,
  { hub, signal, retries }: DescribeOptions,
): Promise<DescribedModel> {
  signal?.throwIfAborted();
  const opened = new Map<string, number | null>();
  const folder = await asFolder(
    recording(await openFolder(source, { hub, signal, retries, cache: false }), opened),
  );
  try {
    const inspection = await inspectFolder(folder, signal);
    const card = await readModelCard(folder, signal);
    opened.delete('README.md');
    const isDownloaded = [...opened.keys()].some((name) => folder.keyOf?.(name) !== undefined);
    const cache = isDownloaded ? await openCache(signal) : undefined;
    const files = await Promise.all(
      [...opened].map(async ([name, bytes]) => {
        const key = folder.keyOf?.(name);
        const kept = key === undefined ? null : await cache?.find(key);
        return {
          name,
          bytes: bytes ?? kept?.total ?? null,
          cached: kept?.bytes ?? 0,
          isWhole: kept?.isWhole,
        };
      }),
    );
    const bytes = bytesByDtype(inspection.tensors);
    return {
      family: inspection.family,
      parameters: inspection.parameters,
      files: files.map(({ isWhole: _, ...file }) => file),
      bytes,
      memory: mapped(bytes, (weights) => Math.ceil(engineBytes + growth * weights)),
      ...card,
      cached: files.length > 0 && files.every(({ isWhole }) => isWhole === true),
      commit: inspection.commit,
      room: await roomLeft(),
      refusals: inspection.refusals,
    };
  } finally {
    await folder.close?.();
  }
}

const mapped = <Key extends string>(record: Record<Key, number>, work: (value: number) => number) =>
  Object.fromEntries(
    Object.entries<number>(record).map(([key, value]) => [key, work(value)]),
  ) as typeof record;

/** A folder that notes the files that were opened, and their sizes. */
function recording(folder: Folder, opened: Map<string, number | null>): Folder {
  return {
    ...folder,
    async open(name, signal) {
      const file = await folder.open(name, signal);
      if (!('missing' in file)) opened.set(name, file.size ?? file.announcedSize);
      return file;
    },
  };
}

/** Matrices in each dtype, all else in float32. */
function bytesByDtype(tensors: Inspection['tensors']): Record<Dtype, number> {
  const used = tensors.filter(({ becomes }) => becomes.length > 0);
  const sizeIn =
    (dtype: Dtype) =>
    (sum: number, { shape }: InspectedTensor) =>
      sum + elements(shape) * bytesOfNumber(shape.length === 2 ? dtype : 'f32');
  return Object.fromEntries(
    dtypes.map((dtype) => [dtype, Math.ceil(used.reduce(sizeIn(dtype), 0))]),
  ) as Record<Dtype, number>;
}

/** Whoever asks about what is kept is not told why nothing can be. */
const openCache = (signal?: AbortSignal) => DownloadCache.open({ note: () => undefined, signal });

/** @returns the bytes that were kept */
export async function forgetSource(
  source: CheckpointSource,
  { hub, signal }: DescribeOptions,
): Promise<number> {
  const cache = await openCache(signal);
  const folders = [
    await openFolder(source, { signal, cache: false, ...(hub && { hub }) }),
    // An id is a model of the hub, unless a folder beside the page has its name: nothing is asked, so both are meant.
    ...(typeof source === 'string' && mayBeId(source) && !hub
      ? [await openFolder(source, { signal, cache: false, hub: {} })]
      : []),
  ];
  let bytes = 0;
  for (const folder of folders) {
    const address = folder.keyOf?.('.')?.replace(/\.(?=$|\?)/, '');
    if (cache && address) bytes += await forgetAddresses(cache.pieces, address.replace(/\?.*$/, ''));
  }
  return bytes;
}

/** A file's address at a hub: `https://host/owner/name/resolve/main/1_Pooling/config.json`. */
const onHub = /^(https?:\/\/[^/]+)\/((?:[^/]+\/)?[^/]+)\/resolve\/([^/]+)\//;

export async function storedModels(signal?: AbortSignal): Promise<StoredModel[]> {
  const cache = await openCache(signal);
  const models = new Map<string, StoredModel>();
  for (const { url, bytes, since } of cache ? await keptAddresses(cache.pieces) : []) {
    const [hub, host, id, revision] = onHub.exec(url) ?? [];
    const folder = hub ?? new URL('.', url).href;
    const before = models.get(folder);
    const first = earliest(before?.since?.getTime(), since);
    models.set(folder, {
      source: id ?? folder,
      ...(hub === undefined
        ? {}
        : { hub: { host: host ?? '', revision: decodeURIComponent(revision ?? '') } }),
      bytes: (before?.bytes ?? 0) + bytes,
      since: first === null ? null : new Date(first),
    });
  }
  return [...models.values()].sort((a, b) => b.bytes - a.bytes);
}
