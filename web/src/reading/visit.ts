/** What this tab has loaded, and what the story would load yet. */

import { loadedModels } from './loaded_models.js';
import { modelBytes } from './readings.js';

/** Bytes of everything that the page has fetched so far, compressed as they came; a file that came ahead of time counts once. */
function fetched(): number {
  const sizes = new Map<string, number>();
  for (const entry of performance.getEntriesByType('resource')) {
    const { encodedBodySize } = entry as PerformanceResourceTiming;
    sizes.set(entry.name, Math.max(sizes.get(entry.name) ?? 0, encodedBodySize));
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

/** @param bytes of the model that is shown, which a page from a single file has not fetched */
export function visitOf(bytes: number): { readonly loaded: number; readonly total: number } {
  const loaded = Math.max(fetched(), bytes);
  const yet = Object.entries(modelBytes).filter(([name]) => !loadedModels.has(name));
  return { loaded, total: yet.reduce((sum, [, size]) => sum + size, loaded) };
}
