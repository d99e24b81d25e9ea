/** The button that starts "Read along"; the guide itself is loaded when somebody asks for it, or comes to one of its steps. */

import { find } from '../drawing/dom.js';
import type { Reading } from '../reading/reading.js';
import type { SelectionStore } from '../selection/selection.js';
import type { Tour } from './tour.js';

/** @returns what to call when the selection or the reading has changed */
export function offerTour(selection: SelectionStore, reading: () => Reading | null): () => void {
  let loading: Promise<Tour> | null = null;
  const load = () => {
    loading ??= import('./tour.js').then(({ Tour }) => {
      const tour = new Tour(selection);
      document.body.append(tour.element);
      return tour;
    });
    // What could not be loaded is asked for again at the next click.
    loading.catch(() => {
      loading = null;
    });
    return loading;
  };
  const show = async () => (await load()).show(reading());
  find('.read-along').addEventListener('click', async () => {
    const tour = await load();
    tour.show(reading());
    tour.start();
  });
  return () => {
    if (loading || selection.current.step > 0) void show();
  };
}
