/** "Read along": the map with Play, Space and arrow keys. Which chapter is read stands in the address. */

import { holdAnchor } from '../page/anchor.js';
import { type Laid, type Told, withView } from '../page/chapters.js';
import type { SelectionStore } from '../selection/selection.js';
import { StoryMap } from './map.js';

/** How long a chapter stands while it plays, in milliseconds: time for its text and a look at its figure. */
const stands = 14_000;

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** What takes the arrow keys for itself, and what the space bar too. */
const withArrows = 'input, select, textarea, [role=group], .heat-map, pre';
const withSpace = `${withArrows}, button, summary`;

const isIn = (target: EventTarget | null, selector: string) =>
  target instanceof Element && target.closest(selector) !== null;

export class ReadAlong {
  readonly map: StoryMap;
  readonly #told: readonly Told[];
  readonly #selection: SelectionStore;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #shown = 0;
  /** The chapter in sight. */
  #inSight: Told | null = null;

  constructor(told: readonly Told[], laid: readonly Laid[], selection: SelectionStore) {
    this.#told = told;
    this.#selection = selection;
    this.map = new StoryMap(told, laid, {
      onPlay: () => (this.#isPlaying ? this.#pause() : this.play()),
      onStep: (by) => {
        this.#pause();
        this.#go(by);
      },
    });
    addEventListener('keydown', (event) => this.#pressed(event));
    for (const touch of ['wheel', 'touchmove'] as const)
      addEventListener(touch, () => this.#pause(), { passive: true });
  }

  /** Shows where the visitor is. */
  see(chapter: Told | null): void {
    this.#inSight = chapter;
    this.map.light(chapter);
  }

  /** Shows the chapter that the address names; arriving there again does not scroll. */
  show(): void {
    const { step, view } = this.#selection.current;
    // Whoever goes elsewhere by a link, or comes with an address from before a chapter had moved, reads on from there.
    const number = view ? (withView(this.#told, view)?.number ?? 0) : step;
    if (step > 0 && step !== number) {
      this.#selection.set({ step: number }, 'replace');
      return;
    }
    if (step === 0) this.#pause();
    this.map.showPlaying(this.#isPlaying, step > 0);
    if (step === this.#shown) return;
    this.#shown = step;
    const chapter = this.#told[step - 1];
    if (chapter) holdAnchor(chapter.views[0].id);
  }

  get #isPlaying(): boolean {
    return this.#timer !== undefined;
  }

  /** Goes on by itself, from the chapter in sight. */
  play(): void {
    if (this.#selection.current.step === 0) this.#goTo(this.#inSight?.number ?? 1);
    this.#wait();
    this.map.focus();
  }

  #pause(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.map.showPlaying(false, this.#selection.current.step > 0);
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#selection.current.step >= this.#told.length) return this.#pause();
      this.#go(1);
      this.#wait();
    }, stands);
    this.map.showPlaying(true, true);
  }

  #go(by: number): void {
    this.#goTo((this.#selection.current.step || (this.#inSight?.number ?? 0)) + by);
  }

  #goTo(number: number): void {
    const chapter = this.#told[number - 1];
    if (chapter) this.#selection.set({ step: number, view: chapter.views[0].id });
  }

  #pressed(event: KeyboardEvent): void {
    if (this.#selection.current.step === 0) return;
    if (event.key === 'Escape') this.#selection.set({ step: 0 });
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const by = steps[event.key];
    if (by !== undefined && !isIn(event.target, withArrows)) {
      event.preventDefault();
      this.#pause();
      this.#go(by);
    } else if (event.key === ' ' && !isIn(event.target, withSpace)) {
      event.preventDefault();
      if (this.#isPlaying) this.#pause();
      else this.play();
    }
  }
}
