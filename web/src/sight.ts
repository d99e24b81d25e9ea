/** Mounts views when they come near the window, and draws them while they are there. */

import { Frame } from './frame.js';
import { detailOf } from './messages.js';
import type { Draw, Page, State, View } from './view.js';

/** How far from the window a view is prepared. */
const near = '300px';

/** One view on the page. */
class Sighted {
  readonly frame: Frame;
  #draw: Promise<Draw> | undefined;
  #isInSight = false;
  #isStale = true;
  #running: AbortController | undefined;

  constructor(
    private readonly view: View,
    private readonly page: Page,
    private readonly state: () => Omit<State, 'signal'> | null,
  ) {
    this.frame = new Frame(view);
    const observer = new IntersectionObserver(
      ([entry]) => {
        this.#isInSight = entry?.isIntersecting ?? false;
        void this.#update();
      },
      { rootMargin: near },
    );
    observer.observe(this.frame.section);
  }

  changed(): void {
    this.#isStale = true;
    this.#running?.abort();
    void this.#update();
  }

  async #update(): Promise<void> {
    if (!this.#isInSight || !this.#isStale || this.#running) return;
    const state = this.state();
    if (!state) {
      if (this.view.isOfSentence && this.#draw) this.frame.fail('There is no sentence to show.');
      return;
    }
    this.#isStale = false;
    if (this.view.isOfTransformer && state.reading.isRecurrent)
      return this.frame.fail(
        'A recurrent model has a single attention, and none of this. “Heads” shows where it looked, “Ten years” what it computed.',
      );
    this.#running = new AbortController();
    const { signal } = this.#running;
    try {
      this.#draw ??= this.view.load().then(({ mount }) => mount(this.frame, this.page));
      const draw = await this.#draw;
      await draw({ ...state, signal });
      if (!signal.aborted) this.frame.fail('');
    } catch (error) {
      if (!signal.aborted) this.frame.fail(`This picture could not be drawn: ${detailOf(error)}`);
    }
    this.#running = undefined;
    await this.#update();
  }
}

/** Adds the views to the page; returns what to call when the selection or the reading has changed. */
export function showViews(
  root: HTMLElement,
  views: readonly View[],
  page: Page,
  state: () => Omit<State, 'signal'> | null,
): () => void {
  const sighted = views.map((view) => new Sighted(view, page, state));
  root.append(...sighted.map(({ frame }) => frame.section));
  return () => {
    for (const one of sighted) one.changed();
  };
}
