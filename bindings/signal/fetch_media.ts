/** A sound or a picture at an address: fetched whole, but no more of it than can be used, and not for ever. */

import { longestSilence } from '../files/waits.js';
import { fail, messageOf, TransformerError } from '../values/errors.js';

export interface MediaLimits {
  /** The most bytes that the file may have. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds without a byte, or without an answer, after which the server counts as silent. Default: a minute. */
  readonly silence?: number;
}

/** @throws TransformerError `missing_file`, `invalid_argument` for a file that is too long; the signal's reason. */
export async function fetchMedia(source: string | URL, limits: MediaLimits): Promise<Blob> {
  const { signal, silence = longestSilence } = limits;
  signal?.throwIfAborted();
  const watch = new Watch(silence);
  const abort = () => watch.abort(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    const response = await fetch(source, { signal: watch.signal });
    if (!response.ok) throw new Error(`the server answered ${response.status} ${response.statusText}`);
    checkLength(source, Number(response.headers.get('content-length') ?? 0), limits);
    return await wholeOf(source, response, { ...limits, heard: () => watch.restart() });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof TransformerError) throw error;
    return fail('missing_file', `Cannot read ${source}: ${messageOf(watch.signal.reason ?? error)}`, error);
  } finally {
    watch.end();
    signal?.removeEventListener('abort', abort);
  }
}

async function wholeOf(
  source: string | URL,
  response: Response,
  limits: MediaLimits & { readonly heard: () => void },
): Promise<Blob> {
  const parts: Blob[] = [];
  const reader = response.body?.getReader();
  try {
    for (let loaded = 0; reader; ) {
      const { done, value } = await reader.read();
      if (done) break;
      limits.heard();
      loaded += value.length;
      checkLength(source, loaded, limits);
      // Bytes that are in a Blob do not count as JavaScript's memory.
      parts.push(new Blob([value]));
    }
  } catch (error) {
    await reader?.cancel().catch(() => undefined);
    throw error;
  }
  return new Blob(parts, { type: response.headers.get('content-type') ?? '' });
}

function checkLength(source: string | URL, bytes: number, { maxBytes }: MediaLimits): void {
  if (bytes > maxBytes)
    fail('invalid_argument', `${source} is longer than ${maxBytes / 2 ** 20} MiB, the most that can be used`);
}

/** Aborts what it watches after a silence. */
class Watch {
  readonly #controller = new AbortController();
  readonly #silence: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(silence: number) {
    this.#silence = silence;
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    this.end();
    const error = new Error(`the server sent nothing for ${this.#silence / 1000} seconds`);
    this.#timer = setTimeout(() => this.abort(error), this.#silence);
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
