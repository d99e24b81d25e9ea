/** Follows which chapter is in sight, and loads the map when the story comes near. */

import type { Laid, Told } from '../page/chapters.js';
import type { Page } from '../page/view.js';
import { anatomyOf } from '../reading/anatomy.js';
import type { Reading } from '../reading/reading.js';
import type { ReadAlong } from './read_along.js';

export interface Follower {
  /** What to call when the selection or the reading has changed. */
  readonly changed: () => void;
  /** Reads along from where the visitor is. */
  readonly play: () => void;
}

/** @param story what holds the chapters */
export function follow(
  story: HTMLElement,
  { told, laid }: { readonly told: readonly Told[]; readonly laid: readonly Laid[] },
  page: Page,
  reading: () => Reading | null,
): Follower {
  let loading: Promise<ReadAlong> | null = null;
  let current: Told | null = null;
  const load = () => {
    loading ??= import('./read_along.js').then(({ ReadAlong }) => {
      const guide = new ReadAlong(told, laid, page.selection);
      story.prepend(guide.map.element);
      return guide;
    });
    // What could not be loaded is asked for again by the next chapter.
    loading.catch(() => {
      loading = null;
    });
    return loading;
  };
  /** Without a connection there is no map, and the story is read without it. */
  const withGuide = (use: (guide: ReadAlong) => void) => {
    load().then(use, () => undefined);
  };
  const fill = async (guide: ReadAlong) => {
    const model = await page.model();
    const shown = reading();
    guide.map.fill(shown && anatomyOf(model, shown));
  };
  const changed = () => {
    if (!loading && page.selection.current.step === 0) return;
    withGuide((guide) => {
      guide.show();
      void fill(guide).catch(() => undefined);
    });
  };
  onChapterChange(story, (number) => {
    current = told[number - 1] ?? null;
    if (!current && !loading) return;
    withGuide((guide) => {
      guide.see(current);
      changed();
    });
  });
  changed();
  return { changed, play: () => withGuide((guide) => guide.play()) };
}

/** Calls back with the number of the chapter at the middle of the window; 0: none yet. */
function onChapterChange(story: HTMLElement, callback: (number: number) => void): void {
  const inSight = new Set<number>();
  let last = 0;
  const observer = new IntersectionObserver(
    (records) => {
      for (const { target, isIntersecting } of records) {
        const number = Number((target as HTMLElement).dataset.chapter);
        if (isIntersecting) inSight.add(number);
        else inSight.delete(number);
      }
      const number = Math.max(0, ...inSight);
      if (number !== last) callback(number);
      last = number;
    },
    { rootMargin: '-45% 0px -55% 0px' },
  );
  for (const chapter of story.querySelectorAll('.chapter')) observer.observe(chapter);
}
