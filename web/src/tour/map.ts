/** The map of the model beside the story, lit where one reads: its boxes and its numbers lead to the chapters. */

import { words } from '../words/words.js';
import './map.css';
import { action } from '../drawing/controls.js';
import { make } from '../drawing/dom.js';
import type { Laid, Told } from '../page/chapters.js';
import type { Part } from '../page/view.js';
import type { Anatomy } from '../reading/anatomy.js';
import { type Box, hasPart, stacks } from './boxes.js';

export interface MapActions {
  readonly onPlay: () => void;
  /** One chapter on or back. */
  readonly onStep: (by: number) => void;
}

export class StoryMap {
  readonly element: HTMLElement;
  /** Where a part of the model is told of: chapters and cards. */
  readonly #homes: readonly Laid[];
  /** The first chapter that is about a part of the model. */
  readonly #first: number;
  readonly #play: HTMLButtonElement;
  /** On a narrow screen: a strip under the bar, which opens the map. */
  readonly #strip = make('button', {
    type: 'button',
    class: 'map-strip',
    'aria-expanded': 'false',
    'aria-controls': 'map',
  });
  readonly #here = make('p', { class: 'map-here', 'aria-live': 'off' });
  readonly #panel: HTMLElement;
  readonly #notes = new Map<Box, HTMLElement>();
  readonly #stackTitles: HTMLElement[] = [];
  readonly #links: HTMLAnchorElement[];

  constructor(told: readonly Told[], laid: readonly Laid[], { onPlay, onStep }: MapActions) {
    this.#homes = [...told, ...laid];
    this.#first = told.find(({ parts }) => parts.length > 0)?.number ?? 1;
    this.#play = action('', onPlay);
    this.#play.className = 'read-along';
    this.#links = told.map(({ number, name, views: [view] }) =>
      make(
        'a',
        { href: `#${view.id}`, title: name, 'aria-label': `${number}${words.marks.colon}${name}` },
        `${number}`,
      ),
    );
    const numbers = make('ol', { class: 'map-numbers' }, ...this.#links.map((link) => make('li', {}, link)));
    const steps = make(
      'div',
      { class: 'map-steps' },
      arrow('‹', words.tour.back, () => onStep(-1)),
      this.#play,
      arrow('›', words.tour.next, () => onStep(1)),
    );
    this.#panel = make('div', { id: 'map', class: 'map' }, this.#here, ...this.#drawStacks(), numbers, steps);
    this.element = make('nav', { class: 'rail', 'aria-label': words.tour.label }, this.#strip, this.#panel);
    this.#strip.addEventListener('click', () => this.#open(!this.#isOpen));
    // Having led somewhere, it is out of the way again.
    this.#panel.addEventListener('click', ({ target }) => {
      if ((target as Element).closest('a')) this.#open(false);
    });
    this.element.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.#open(false);
    });
    this.showPlaying(false, false);
  }

  /** Lights the parts of a chapter; `null`: the story has not begun, and there is no map yet. */
  light(chapter: Told | null): void {
    const isShown = chapter !== null && chapter.number >= this.#first;
    this.element.classList.toggle('shown', isShown);
    if (!isShown) this.#open(false);
    this.#here.textContent = chapter ? `${chapter.number} · ${chapter.name}` : '';
    this.#strip.textContent = `${this.#here.textContent} ▾`;
    for (const box of this.#panel.querySelectorAll<HTMLElement>('.map-box'))
      box.classList.toggle('lit', chapter?.parts.includes(box.dataset.part as Part) ?? false);
    for (const [i, link] of this.#links.entries()) {
      if (i + 1 === chapter?.number) link.setAttribute('aria-current', 'step');
      else link.removeAttribute('aria-current');
    }
  }

  /** Writes the model's own numbers into the boxes. */
  fill(anatomy: Anatomy | null): void {
    for (const [box, note] of this.#notes) {
      note.textContent = box.note(anatomy);
      note.parentElement?.classList.toggle('absent', anatomy !== null && !hasPart(box.part, anatomy));
    }
    for (const [i, title] of this.#stackTitles.entries()) title.textContent = stacks[i]?.title(anatomy) ?? '';
  }

  /** @param isReading whether somebody reads along, so that each chapter is announced */
  showPlaying(isPlaying: boolean, isReading: boolean): void {
    this.#play.textContent = isPlaying ? words.page.pause : words.tour.readAlong;
    this.#play.setAttribute('aria-pressed', `${isPlaying}`);
    this.#here.setAttribute('aria-live', isReading ? 'polite' : 'off');
    this.element.classList.toggle('reading', isReading);
  }

  focus(): void {
    this.#play.focus({ preventScroll: true });
  }

  get #isOpen(): boolean {
    return this.#strip.getAttribute('aria-expanded') === 'true';
  }

  #open(isOpen: boolean): void {
    this.#strip.setAttribute('aria-expanded', `${isOpen}`);
    this.element.classList.toggle('open', isOpen);
  }

  #drawStacks(): HTMLElement[] {
    return stacks.map(({ title, boxes }) => {
      const heading = make('p', { class: 'map-stack-title' }, title(null));
      this.#stackTitles.push(heading);
      return make(
        'div',
        { class: title(null) ? 'map-stack' : 'map-alone' },
        ...boxes.map((box) => this.#drawBox(box)),
        heading,
      );
    });
  }

  #drawBox(box: Box): HTMLElement {
    const note = make('span', { class: 'map-note' }, box.note(null));
    this.#notes.set(box, note);
    const content = [make('b', {}, box.title), note];
    // The one that tells of the fewest other parts tells most of it.
    const home = this.#homes
      .filter(({ parts }) => parts.includes(box.part))
      .sort((a, b) => a.parts.length - b.parts.length)[0];
    const attributes = { class: 'map-box', 'data-part': box.part };
    return home
      ? make('a', { ...attributes, href: `#${home.views[0].id}` }, ...content)
      : make('span', attributes, ...content);
  }
}

function arrow(sign: string, name: string, onClick: () => void): HTMLButtonElement {
  const button = action(sign, onClick);
  button.setAttribute('aria-label', name);
  return button;
}
