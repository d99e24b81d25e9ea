/** Waits for somebody else: each one has a limit, and ends with the caller's signal. */

/** Milliseconds without a byte after which a download counts as broken off. */
export const longestSilence = 60_000;

/** A limit was reached. */
export class Silence extends Error {}

export interface Limit {
  readonly milliseconds: number;
  /** Who is silent, for the message. */
  readonly who: string;
  readonly signal?: AbortSignal | undefined;
}

/** @throws {@link Silence} at the limit; the signal's reason. */
export async function inTime<T>(work: Promise<T>, { milliseconds, who, signal }: Limit): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop = () => {};
  const end = new Promise<never>((_, reject) => {
    const silence = new Silence(`${who} did not answer for ${milliseconds / 1000} seconds`);
    timer = setTimeout(() => reject(silence), milliseconds);
    stop = () => reject(signal?.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
