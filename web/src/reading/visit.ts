/** What this tab has loaded, and what the story would load yet. */

import { modelBytes } from './readings.js';
import { loadedModels } from './trained.js';

/** Bytes of everything that the page has fetched so far, compressed as they came. */
const fetched = () =>
  performance
    .getEntriesByType('resource')
    .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0);

/** @param bytes of the model that is shown, which a page from a single file has not fetched */
export function visitOf(bytes: number): { readonly loaded: number; readonly total: number } {
  const loaded = Math.max(fetched(), bytes);
  const known = loadedModels();
  const yet = Object.entries(modelBytes).filter(([name]) => !known.includes(name));
  return { loaded, total: yet.reduce((sum, [, size]) => sum + size, loaded) };
}
