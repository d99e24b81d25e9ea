/** Mounts views when they come near the window, and draws them while they are there. */

import { make } from '../drawing/dom.js';
import { onSightChange } from '../drawing/visible.js';
import { words } from '../words/words.js';
import { chaptersOf, type Told } from './chapters.js';
import { Frame, type Heading } from './frame.js';
import { messageOf } from './messages.js';
import type { DrawnView, Page, State, View } from './view.js';

/** How far from the window a view is prepared. */
const near = '300px';

type Current = () => Omit<State, 'signal'> | null;

interface Shown extends Partial<Heading> {
  readonly state: Current;
}

/** One view on the page. */
class Sighted {
  readonly frame: Frame;
  private readonly state: Current;
  #drawn: DrawnView | undefined;
  #isInSight = false;
  #isStale = true;
  #hasFailed = false;
  #running: AbortController | undefined;

  constructor(
    private readonly view: View,
    private readonly page: Page,
    { state, ...heading }: Shown,
  ) {
    this.state = state;
    this.frame = new Frame({ ...view, ...heading });
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
      if (this.view.isOfSentence && this.#drawn) this.frame.fail({ text: words.page.noSentence, detail: '' });
      return;
    }
    this.#isStale = false;
    if (this.view.isOfTransformer && state.reading.isRecurrent)
      return this.frame.fail({ text: words.page.recurrent, detail: '' });
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
      const { text, detail } = messageOf(error);
      this.frame.fail({ text: `${words.page.notDrawn} ${text}`, detail }, () => this.changed());
    }
  }
}

/**
 * Adds the views to the page, chapter by chapter, or one alone.
 *
 * @returns what to call when the selection or the reading has changed
 */
export function showViews(root: HTMLElement, views: readonly View[], page: Page, state: Current): () => void {
  const sighted: Sighted[] = [];
  const show = (view: View, heading: Partial<Heading>) => {
    const one = new Sighted(view, page, { ...heading, state });
    sighted.push(one);
    return one.frame.section;
  };
  if (views.length === 1) root.append(...views.map((view) => show(view, {})));
  else root.append(...chaptersOf(views).map((chapter) => drawChapter(chapter, show)));
  return () => {
    for (const one of sighted) one.changed();
  };
}

function drawChapter(
  { number, question, source, isLarge = false, attempt, views }: Told,
  show: (view: View, heading: Partial<Heading>) => HTMLElement,
): HTMLElement {
  const kicker = [`${number}`, source].filter(Boolean).join('  ·  ');
  const [first, ...others] = views;
  return make(
    'div',
    { class: 'chapter', 'data-chapter': number },
    // The first question stands on the first screen.
    ...(number > 1 ? [make('p', { class: 'asked' }, question)] : []),
    show(first, { kicker, isLarge }),
    ...others.map((view) => show(view, { isFirst: false })),
    make('p', { class: 'try' }, make('b', {}, words.page.try), attempt),
  );
}
