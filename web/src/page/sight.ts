/** Mounts views when they come near the window, and draws them while they are there. */

import { onSightChange } from '../drawing/visible.js';
import { Frame } from './frame.js';
import { detailOf } from './messages.js';
import type { DrawnView, Page, State, View } from './view.js';

/** How far from the window a view is prepared. */
const near = '300px';

/** One view on the page. */
class Sighted {
  readonly frame: Frame;
  #drawn: DrawnView | undefined;
  #isInSight = false;
  #isStale = true;
  #hasFailed = false;
  #running: AbortController | undefined;

  constructor(
    private readonly view: View,
    private readonly page: Page,
    private readonly state: () => Omit<State, 'signal'> | null,
  ) {
    this.frame = new Frame(view);
    onSightChange(this.frame.section, (isInSight) => this.#sighted(isInSight), near);
  }

  changed(): void {
    this.#isStale = true;
    this.#running?.abort();
    void this.#update();
  }

  /** What failed once, perhaps for a connection that was down, is tried again when the visitor comes back to it. */
  #sighted(isInSight: boolean): void {
    this.#isStale ||= isInSight && !this.#isInSight && this.#hasFailed;
    this.#isInSight = isInSight;
    void this.#update();
  }

  async #update(): Promise<void> {
    if (!this.#isInSight || !this.#isStale || this.#running) return;
    const state = this.state();
    if (!state) {
      if (this.view.isOfSentence && this.#drawn) this.frame.fail('There is no sentence to show.');
      return;
    }
    this.#isStale = false;
    if (this.view.isOfTransformer && state.reading.isRecurrent)
      return this.frame.fail(
        'A recurrent model has a single attention, and none of this. “Heads” shows where it looked, “Ten years” what it computed.',
      );
    this.#running = new AbortController();
    await this.#drawState({ ...state, signal: this.#running.signal });
    this.#running = undefined;
    await this.#update();
  }

  async #drawState(state: State): Promise<void> {
    const { signal } = state;
    try {
      // The browser keeps the code that it has, and asks again for what it could not get.
      const Loaded = await this.view.load();
      this.#drawn ??= new Loaded(this.frame, this.page);
      if (signal.aborted) return;
      await this.#drawn.draw(state);
      if (!signal.aborted) this.frame.fail('');
      this.#hasFailed = false;
    } catch (error) {
      if (signal.aborted) return;
      this.#hasFailed = true;
      this.frame.fail(`This picture could not be drawn: ${detailOf(error)}`, () => this.changed());
    }
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
