/** Mounts views when they come near the window, and draws them while they are there. */

import { make } from '../drawing/dom.js';
import { onSightChange } from '../drawing/visible.js';
import { words } from '../words/words.js';
import type { Told } from './chapters.js';
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
  #drawing: Promise<void> | undefined;

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
    this.#update();
  }

  /** What failed once, perhaps for a connection that was down, is tried again when the visitor comes back to it. */
  #sighted(isInSight: boolean): void {
    this.#isStale ||= isInSight && !this.#isInSight && this.#hasFailed;
    this.#isInSight = isInSight;
    this.#update();
  }

  /** As if it were in sight; returns when it is drawn. */
  async drawNow(): Promise<void> {
    const before = this.#isInSight;
    this.#isInSight = true;
    this.#update();
    for (let last: unknown; last !== this.#drawing; ) {
      last = this.#drawing;
      await last;
    }
    this.#isInSight = before;
  }

  #update(): void {
    if (!this.#isInSight || !this.#isStale || this.#running) return;
    const state = this.state();
    if (state) this.#drawing = this.#draw(state);
    else if (this.view.isOfSentence && this.#drawn)
      this.frame.fail({ text: words.page.noSentence, detail: '' });
  }

  async #draw(state: Omit<State, 'signal'>): Promise<void> {
    this.#isStale = false;
    if (this.view.isOfTransformer && state.reading.isRecurrent)
      return this.frame.fail({ text: words.page.recurrent, detail: '' });
    this.#running = new AbortController();
    await this.#drawState({ ...state, signal: this.#running.signal });
    this.#running = undefined;
    this.#update();
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

/** The views of the page, wherever they stand. */
export class ShownViews {
  readonly #sighted: Sighted[] = [];

  constructor(
    private readonly page: Page,
    private readonly state: Current,
  ) {}

  /** A view's place on the page. */
  show(view: View, heading: Partial<Heading> = {}): HTMLElement {
    const one = new Sighted(view, this.page, { ...heading, state: this.state });
    this.#sighted.push(one);
    return one.frame.section;
  }

  /** What to call when the selection or the reading has changed. */
  changed(): void {
    for (const one of this.#sighted) one.changed();
  }

  /** Draws the views of a part of the page, wherever the window is: for paper. */
  async drawAll(root: HTMLElement): Promise<void> {
    const wanted = this.#sighted.filter(({ frame }) => root.contains(frame.section));
    await Promise.all(wanted.map((one) => one.drawNow()));
  }
}

/** The chapters of the story, each after its question. */
export const drawStory = (told: readonly Told[], views: ShownViews): HTMLElement[] =>
  told.map(
    ({ number, question, source, paper, isLarge = false, attempt, sheet, views: [first, ...others] }) =>
      make(
        'div',
        { class: 'chapter', 'data-chapter': number },
        // The first question stands on the first screen.
        ...(number > 1 ? [make('p', { class: 'asked' }, question)] : []),
        views.show(first, {
          kicker: [`${number}`, source].filter(Boolean).join('  ·  '),
          ...(paper && { paper: { source, address: paper } }),
          isLarge,
          sheet: { attempt, ...sheet },
        }),
        ...others.map((view) => views.show(view, { isFirst: false })),
      ),
  );
