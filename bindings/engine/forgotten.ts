/** Cleans up after objects that were garbage-collected without having been disposed. */

/** A FinalizationRegistry; where there is none (in older servers' runtimes), such objects keep their memory. */
export function whenForgotten<Kept>(
  cleanUp: (kept: Kept) => void,
): Pick<FinalizationRegistry<Kept>, 'register' | 'unregister'> {
  if (typeof FinalizationRegistry === 'function') return new FinalizationRegistry(cleanUp);
  return { register: () => undefined, unregister: () => false };
}
