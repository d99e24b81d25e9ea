/** What this tab has loaded, and what the story would load yet. */

import { loadedModels } from './loaded_models.js';
import { modelBytes } from './readings.js';

/** Bytes of everything that the page has fetched so far, compressed as they came. */
const fetched = () =>
  performance
    .getEntriesByType('resource')
    .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0);

/** @param bytes of the model that is shown, which a page from a single file has not fetched */
export function visitOf(bytes: number): { readonly loaded: number; readonly total: number } {
  const loaded = Math.max(fetched(), bytes);
  const yet = Object.entries(modelBytes).filter(([name]) => !loadedModels.has(name));
  return { loaded, total: yet.reduce((sum, [, size]) => sum + size, loaded) };
}
