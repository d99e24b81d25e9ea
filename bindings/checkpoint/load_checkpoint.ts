/** Reads a checkpoint's files and builds its model in the engine. */

import { isQuantizedDtype, type LoadDtype } from '../engine/dtype.js';
import type { Host } from '../engine/host.js';
import type { CheckpointSource, Folder } from '../files/folder.js';
import type { CheckedFolder, Integrity } from '../files/integrity.js';
import { openFolder, type SourceOptions } from '../files/open_folder.js';
import { type Built, buildModel, type Report, release } from './build_model.js';
import { type CheckpointInfo, integerNote, storedDtypes, unusedTensors } from './checkpoint_info.js';
import { type AsFolder, asFolder } from './folder_weights.js';
import { openCheckpoint } from './open_checkpoint.js';
import type { OpenCheckpoint } from './opened_checkpoint.js';
import type { LanguagePair } from './student_files.js';
import { mostOf } from './weight_memory.js';

/** Progress of loading. */
export interface LoadProgress {
  /** `config`: the first event, once the weights are found; `weights`: while they are read; `ready`: at the end. */
  phase: 'config' | 'weights' | 'ready';
  /** The file being read. */
  file: string;
  /** Bytes read so far, over all weight files. */
  loaded: number;
  /** Total bytes of the weight files, from the first event on; `null` if the server does not say. */
  total: number | null;
}

/**
 * The form in which downloads are kept: the files as they are, or with matrices in 8 bits; and whether a browser may
 * delete them.
 */
export type CacheOption = boolean | { readonly as?: 'int8'; readonly persist?: boolean };

const keptIn8Bits = (cache: CacheOption | undefined) => typeof cache === 'object' && cache.as === 'int8';

interface LoadTarget extends Pick<SourceOptions, 'hub' | 'retries'> {
  readonly cache?: CacheOption | undefined;
  /** Starts while the small files are read. */
  readonly host: Promise<Host>;
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** SHA-256 of files by their names. */
  readonly integrity?: Integrity | undefined;
  /** Which of the models of a registry. */
  readonly pair?: LanguagePair | undefined;
  /** How to store matrices; default: 'int8' for the option `cache: { as: 'int8' }`, else 'auto'. */
  readonly dtype?: LoadDtype | undefined;
}

/** A loaded checkpoint. */
export interface Checkpoint
  extends Pick<Built, 'handle' | 'tower'>,
    Pick<OpenCheckpoint, 'config' | 'plan' | 'generation' | 'tokenizer' | 'shortlist'> {
  readonly host: Host;
  readonly info: CheckpointInfo;
  /** The folder, for small files that only some tasks read. */
  readonly folder: Folder;
}

/** @throws TransformerError; the signal's reason. On failure nothing remains in the engine. */
export async function loadCheckpoint(source: CheckpointSource, target: LoadTarget): Promise<Checkpoint> {
  const { signal, cache, hub, retries, integrity } = target;
  const begin = performance.now();
  const notes: string[] = [];
  const note = (sentence: string) => notes.push(sentence);
  const isKept = typeof cache === 'object' || cache;
  const persist = typeof cache === 'object' && cache.persist;
  const opened = await openFolder(source, { cache: isKept, persist, hub, retries, signal, note });
  const checked = integrity && (await checkedFolder(opened, integrity, hub?.token !== undefined));
  const folder = await asFolder(checked ?? opened);
  const load = () => loadFrom(folder, { ...target, source, checked, notes, begin });
  try {
    return await load().catch((error: unknown) => {
      if (!opened.hasLost?.()) throw error;
      notes.length = 0;
      return load();
    });
  } finally {
    await folder.close?.();
  }
}

interface FolderTarget extends LoadTarget {
  readonly source: CheckpointSource;
  readonly checked: CheckedFolder | undefined;
  readonly notes: string[];
  /** When loading began. */
  readonly begin: number;
}

async function loadFrom(original: AsFolder, target: FolderTarget): Promise<Checkpoint> {
  const { onProgress, signal, cache, notes } = target;
  const note = (sentence: string) => notes.push(sentence);
  const keeps8Bits = keptIn8Bits(cache) && !original.openWeights;
  if (keptIn8Bits(cache) && !keeps8Bits) note('A GGUF file is kept as it is, not in 8 bits.');
  const progress = reporter(onProgress);
  const whole = { folder: original, report: progress.report };
  const { folder, report } = keeps8Bits
    ? await (await import('./quantized_cache.js')).in8Bits(whole, { host: target.host, signal, note })
    : whole;
  const opened = await openCheckpoint(folder, { signal, onDownload: report, pair: target.pair });
  try {
    progress.begin(opened.files.size);
    const host = await target.host;
    const asked = target.dtype ?? 'auto';
    const dtype = asked === 'auto' ? (opened.quantizedAs ?? (keeps8Bits ? 'int8' : asked)) : asked;
    const built = await buildModel(opened.files, opened.plan, {
      host,
      isQuantized: opened.quantizedAs !== null,
      signal,
      dtype,
      report,
    });
    try {
      const info = await finish(original, { ...target, opened, built, host, dtype });
      const small = (await original.smallFiles?.()) ?? (await withoutWeights(target.source, folder));
      const { files, modelType, quantizedAs, ...checkpoint } = opened;
      const { handle, tower } = built;
      return { host, handle, tower, info, folder: small, ...checkpoint };
    } catch (error) {
      await release(host, built);
      throw error;
    }
  } finally {
    await opened.files.close();
  }
}

interface FinishedTarget extends Omit<FolderTarget, 'host'> {
  readonly opened: OpenCheckpoint;
  readonly built: Built;
  readonly host: Host;
  readonly dtype: LoadDtype;
}

/** Checks what is left to check, reports that the model is ready, and says what has been loaded. */
async function finish(original: AsFolder, target: FinishedTarget): Promise<CheckpointInfo> {
  const { onProgress, signal, checked, notes, opened, built, host, dtype } = target;
  const { files, plan } = opened;
  if (isQuantizedDtype(dtype)) notes.push(await integerNote(host, dtype));
  const rounding = await original.noteOf?.(dtype);
  if (rounding) notes.push(rounding);
  // What was built last knows the sum.
  const last = built.tower?.handle ?? built.handle;
  const parameters = await host.invoke(last, 'parameterCount');
  if (checked) {
    await files.close();
    await checked.checkRest(signal);
  }
  onProgress?.({ phase: 'ready', file: files.name, loaded: built.bytes, total: built.bytes });
  signal?.throwIfAborted();
  return {
    family: String(opened.modelType),
    parameters,
    bytes: built.bytes,
    weightBytes: await host.invoke(last, 'weightBytes'),
    dtype: dtype === 'auto' ? mostOf(files, plan) : dtype,
    storedDtypes: storedDtypes(files),
    commit: original.commit?.() ?? null,
    sha256: { ...original.hashes?.() },
    loadMilliseconds: performance.now() - target.begin,
    unusedTensors: unusedTensors(files, plan, built.left),
    notes,
  };
}

async function checkedFolder(
  folder: Folder,
  integrity: Integrity,
  hasToken: boolean,
): Promise<CheckedFolder> {
  const { openChecked } = await import('../files/integrity.js');
  return openChecked(folder, integrity, hasToken);
}

/** A model outlives its loading, and must not keep the bytes of weights that it was given in memory. */
async function withoutWeights(source: CheckpointSource, folder: Folder): Promise<Folder> {
  if (!(source instanceof Map)) return folder;
  const files = [...(source as ReadonlyMap<string, Blob | Uint8Array | URL>)];
  return openFolder(new Map(files.filter(([name]) => !/^[^/]+\.(safetensors|bin)$/.test(name))));
}

/**
 * Reports progress that never decreases, even where a file is downloaded first and then read a second time. It begins
 * once the size of the weights is known.
 */
function reporter(onProgress: LoadTarget['onProgress']) {
  let most = 0;
  let hasBegun = false;
  const begin = (total: number | null) => {
    if (hasBegun) return;
    hasBegun = true;
    onProgress?.({ phase: 'config', file: 'config.json', loaded: 0, total });
  };
  const report: Report = (file, loaded, total) => {
    begin(total);
    most = Math.max(most, loaded);
    onProgress?.({ phase: 'weights', file, loaded: most, total });
  };
  return { begin, report };
}
