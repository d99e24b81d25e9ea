/** Reports how far a download is, as the platform does: strictly upwards from 0 to 1. */

/** The progress event of browsers, for those that have none: Node.js and some workers. */
class OwnProgressEvent extends Event {
  readonly lengthComputable = true;
  readonly total = 1;
  readonly loaded: number;

  constructor(type: string, { loaded }: { readonly loaded: number }) {
    super(type);
    this.loaded = loaded;
  }
}

const makeEvent = (loaded: number): Event =>
  typeof ProgressEvent === 'function'
    ? new ProgressEvent('downloadprogress', { loaded, total: 1, lengthComputable: true })
    : new OwnProgressEvent('downloadprogress', { loaded });

/** The argument of the caller's `monitor` function. */
export class CreateMonitor extends EventTarget {
  #handler: ((event: Event) => void) | null = null;

  /** Called like a listener of `downloadprogress`. */
  get ondownloadprogress(): ((event: Event) => void) | null {
    return this.#handler;
  }

  set ondownloadprogress(handler: ((event: Event) => void) | null) {
    if (this.#handler) this.removeEventListener('downloadprogress', this.#handler);
    this.#handler = typeof handler === 'function' ? handler : null;
    if (this.#handler) this.addEventListener('downloadprogress', this.#handler);
  }
}

/** The unit of progress: no event reports finer progress. */
const steps = 2 ** 16;
/** The least time between two events, in milliseconds. */
const pause = 50;

export class DownloadProgress {
  readonly #monitor: CreateMonitor | null;
  #told = -1;
  #time = Number.NEGATIVE_INFINITY;

  constructor(monitor: CreateMonitor | null) {
    this.#monitor = monitor;
  }

  /** @param share from 0 to 1; reported at most every 50 ms, except for the beginning and the end */
  tell(share: number): void {
    const loaded = Math.floor(Math.min(Math.max(share, 0), 1) * steps) / steps;
    const isEdge = loaded === 1 || this.#told < 0;
    const now = performance.now();
    if (loaded <= this.#told || (!isEdge && now - this.#time < pause)) return;
    this.#told = loaded;
    this.#time = now;
    this.#monitor?.dispatchEvent(makeEvent(loaded));
  }
}
