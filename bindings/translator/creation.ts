/** The steps of `create`, in the order of the specification. */

import { CreateMonitor, DownloadProgress } from './create_monitor.js';
import { untilAborted } from './destroyable.js';
import { exception } from './exceptions.js';

/** Whether something can be had, and at which cost. */
export type Availability = 'unavailable' | 'downloadable' | 'downloading' | 'available';

export interface CreateOptions {
  /** Aborts the creation, and later destroys what was created. */
  signal?: AbortSignal;
  /** Called at once with what reports the progress of the download. */
  monitor?: (monitor: CreateMonitor) => void;
}

export interface Creation<T> {
  readonly availability: () => Promise<Availability>;
  /** Its name in messages. */
  readonly what: string;
  /** Whether a download has to be asked for by the user. */
  readonly needsActivation: boolean;
  readonly make: (progress: (share: number) => void, signal: AbortSignal) => Promise<T>;
  /** Frees what is made too late. */
  readonly drop: (made: T) => void;
}

export async function create<T>({ signal, monitor }: CreateOptions, creation: Creation<T>): Promise<T> {
  signal?.throwIfAborted();
  const watching = monitor ? new CreateMonitor() : null;
  if (watching) monitor?.(watching);
  const aborted = signal ?? new AbortController().signal;
  const availability = await untilAborted(aborted, creation.availability());
  if (availability === 'unavailable')
    throw exception('NotSupportedError', `${creation.what} is not available`);
  if (availability === 'downloadable' && creation.needsActivation && !isActivated())
    throw exception(
      'NotAllowedError',
      `${creation.what} has to be downloaded, which needs a click of the user`,
    );
  const progress = new DownloadProgress(watching);
  const tell = (share: number) => {
    if (!aborted.aborted) progress.tell(share);
  };
  tell(0);
  aborted.throwIfAborted();
  const making = creation.make(tell, aborted);
  making.then((made) => aborted.aborted && creation.drop(made)).catch(() => undefined);
  const made = await untilAborted(aborted, making);
  tell(1);
  // Who listens may abort even at the end.
  if (aborted.aborted) creation.drop(made);
  aborted.throwIfAborted();
  return made;
}

/** Workers and Node.js have no user who clicks. */
const isActivated = (): boolean =>
  globalThis.document === undefined || globalThis.navigator?.userActivation?.isActive !== false;
