/** The common base of a translator and a language detector: both can be destroyed, and their calls aborted. */

import { onAbort } from '../values/aborts.js';
import { exception } from './exceptions.js';

/** Only this package makes objects of these classes. */
export const own = Symbol('own');

/**
 * The text of a call, as the platform converts what it is given. @throws TypeError where there is none, or a symbol.
 */
export function textOf(input: string): string {
  if (input === undefined) throw new TypeError('1 argument required, but only 0 present');
  return `${input}`;
}

export class Destroyable {
  readonly #life = new AbortController();

  constructor(key: unknown) {
    if (key !== own) throw new TypeError('Illegal constructor');
  }

  /** Texts of any length are taken. */
  get inputQuota(): number {
    return Number.POSITIVE_INFINITY;
  }

  /** How much of the quota a text takes: nothing of one without an end. */
  async measureInputUsage(input: string, options: { signal?: AbortSignal } = {}): Promise<number> {
    textOf(input);
    return this.during(options.signal, async () => 0);
  }

  /** Ends what runs; later calls reject with an `AbortError`. */
  destroy(): void {
    this.end(exception('AbortError', 'it was destroyed'));
  }

  /** @internal */
  end(reason: unknown): void {
    if (!this.#life.signal.aborted) this.#life.abort(reason);
  }

  /** @internal Follows the signal that the object was created with. */
  follow(signal: AbortSignal | undefined): void {
    this.atEnd(onAbort(signal, () => this.end(signal?.reason)));
  }

  /** @internal Calls `clean` when the object ends. */
  atEnd(clean: () => void): void {
    onAbort(this.#life.signal, clean);
  }

  /** @internal Rejects as soon as the object or the call is ended. */
  async during<T>(signal: AbortSignal | undefined, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal: both, release } = this.either(signal);
    try {
      both.throwIfAborted();
      return await untilAborted(both, run(both));
    } catch (error) {
      both.throwIfAborted();
      throw error;
    } finally {
      release();
    }
  }

  /** @internal A signal of both, until it is released. */
  either(signal: AbortSignal | undefined): { signal: AbortSignal; release: () => void } {
    const both = new AbortController();
    const waits = [this.#life.signal, signal].map((one) => onAbort(one, () => both.abort(one?.reason)));
    const release = () => {
      for (const ignore of waits) ignore();
    };
    return { signal: both.signal, release };
  }
}

/** The result, or the reason of the signal if that comes first. */
export function untilAborted<T>(signal: AbortSignal, result: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const ignore = onAbort(signal, () => reject(signal.reason));
    result.then(resolve, reject).finally(ignore);
  });
}
