/** Models in use: translators of the same pair share one, which is freed with the last of them. */

import type { LoadProgress } from '../checkpoint/load_checkpoint.js';
import { isFolder, isNode } from '../files/folder_node.js';
import { type LoadModelOptions, loadModel } from '../model/load_model.js';
import type { Model } from '../model/model.js';
import type { Availability } from './creation.js';
import { untilAborted } from './destroyable.js';
import type { TranslationModel } from './translation_models.js';

interface Use {
  readonly loading: Promise<Model>;
  readonly stop: AbortController;
  readonly listeners: Set<(share: number) => void>;
  users: number;
}

const uses = new Map<TranslationModel, Use>();
/** Models that were loaded before, whose files are at hand. */
const seen = new WeakSet<TranslationModel>();

export async function availabilityOf(model: TranslationModel): Promise<Availability> {
  if (seen.has(model)) return 'available';
  if (uses.has(model)) return 'downloading';
  return (await isAtHand(model.source)) ? 'available' : 'downloadable';
}

async function isAtHand(source: TranslationModel['source']): Promise<boolean> {
  if (source instanceof Map)
    return [...source.values()].every((file) => !(file instanceof URL) || isLocal(file.href));
  if (source instanceof URL) return isLocal(source.href);
  if (typeof source !== 'string') return true;
  return /^[a-z]{2,}:/i.test(source) ? isLocal(source) : isNode() && isFolder(source);
}

const isLocal = (address: string) => /^(file|data|blob):/i.test(address);

/** A model in use, until it is released. */
export interface Borrowed {
  readonly model: Model;
  release(): void;
}

/** An abort gives it back at once: a model that nobody else waits for is not downloaded any further. */
export async function borrow(
  model: TranslationModel,
  options: LoadModelOptions,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (share: number) => void },
): Promise<Borrowed> {
  const use = uses.get(model) ?? startUse(model, options);
  use.users++;
  use.listeners.add(onProgress);
  let isReleased = false;
  const release = () => {
    if (isReleased) return;
    isReleased = true;
    if (--use.users === 0) endUse(model, use);
  };
  try {
    return { model: await untilAborted(signal, use.loading), release };
  } catch (error) {
    release();
    throw error;
  } finally {
    use.listeners.delete(onProgress);
  }
}

function startUse(model: TranslationModel, options: LoadModelOptions): Use {
  const stop = new AbortController();
  const listeners = new Set<(share: number) => void>();
  const onProgress = ({ phase, loaded, total }: LoadProgress) => {
    // The weights are nearly all of a model.
    const share = phase === 'ready' ? 1 : phase === 'weights' && total ? loaded / total : 0;
    for (const tell of listeners) tell(0.99 * share);
  };
  const { source, options: own } = model;
  const loading = loadModel(source, { ...options, ...own, onProgress, signal: stop.signal });
  const use: Use = { loading, stop, listeners, users: 0 };
  uses.set(model, use);
  loading.then(
    () => seen.add(model),
    () => uses.get(model) === use && uses.delete(model),
  );
  return use;
}

function endUse(model: TranslationModel, use: Use): void {
  if (uses.get(model) === use) uses.delete(model);
  use.stop.abort();
  use.loading.then((loaded) => loaded.dispose()).catch(() => undefined);
}
