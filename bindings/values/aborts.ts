/** What waits for an abort. */

const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `listener` once when the signal is aborted, at once if it is already. A signal has one listener of this package
 * however many wait for it, since platforms warn of many, and none when nothing waits.
 *
 * @returns ends the wait
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (!signal) return () => undefined;
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  const all = waiting.get(signal) ?? listenTo(signal);
  // The same function may wait several times.
  const own = () => listener();
  all.add(own);
  return () => {
    all.delete(own);
    if (all.size > 0 || waiting.get(signal) !== all) return;
    waiting.delete(signal);
    signal.removeEventListener('abort', callAll);
  };
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>();
  waiting.set(signal, all);
  signal.addEventListener('abort', callAll, { once: true });
  return all;
}

function callAll(this: AbortSignal): void {
  const all = waiting.get(this) ?? [];
  waiting.delete(this);
  // A listener may end the wait of another one, whose turn has not come.
  for (const listener of all) listener();
}
