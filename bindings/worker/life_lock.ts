/**
 * How a page learns that its worker has died: a browser that ends a worker, to save memory for example, sends no event.
 * The worker holds a lock as long as it lives, and the page waits for it. Unlike messages, this also works while the
 * worker computes.
 */

import { isNode } from '../modules/is_node.js';

/** Node.js reports when a worker exits, and a page without https has no locks. */
const locks = isNode ? undefined : globalThis.navigator?.locks;

/** A name that no other engine has, also in the other tabs of the page's origin; `undefined` without locks. */
export const newLifeLock = (): string | undefined => locks && `transformer-wasm ${crypto.randomUUID()}`;

/** Takes the lock until this worker ends. */
export function holdForLife(name: string): Promise<void> {
  return new Promise((resolve) => {
    const taken = () => {
      resolve();
      return new Promise<void>(() => undefined);
    };
    // Locks may be forbidden here; then a death goes unnoticed, as it did without them.
    if (locks) locks.request(name, taken).catch(() => resolve());
    else resolve();
  });
}

/** Calls `died` when the holder of the lock has ended. The signal ends the waiting. */
export function onDeath(name: string, died: () => void, signal: AbortSignal): void {
  locks?.request(name, { signal }, died).catch(() => undefined);
}
