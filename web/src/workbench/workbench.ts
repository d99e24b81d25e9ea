/** The workbench: cards with a thumbnail and a claim each, which open in place, one at a time. The address knows which. */

import type { Model } from 'transformer-wasm';
import { make } from '../drawing/dom.js';
import { onSightChange } from '../drawing/visible.js';
import { type Laid, withView } from '../page/chapters.js';
import type { ShownViews } from '../page/sight.js';
import { anatomyOf } from '../reading/anatomy.js';
import type { Reading } from '../reading/reading.js';
import type { SelectionStore } from '../selection/selection.js';
import { words } from '../words/words.js';
import { type Known, thumbnailOf } from './thumbnails.js';
import './workbench.css';

interface Card {
  readonly laid: Laid;
  readonly face: HTMLButtonElement;
  readonly thumbnail: HTMLElement;
  readonly panel: HTMLElement;
}

export class Workbench {
  readonly element: HTMLElement;
  readonly #cards: readonly Card[];
  readonly #selection: SelectionStore;
  /** What is not drawn yet. */
  #known: Known | null = null;
  #isInSight = false;

  constructor(laid: readonly Laid[], views: ShownViews, selection: SelectionStore) {
    this.#selection = selection;
    this.#cards = laid.map((one) => this.#make(one, views));
    const title = make('h2', { id: 'workbench-title' }, words.workbench.title);
    this.element = make(
      'section',
      { id: 'workbench', class: 'workbench', 'aria-labelledby': 'workbench-title' },
      title,
      make('p', { class: 'lead' }, words.workbench.lead),
      make('div', { class: 'bench' }, ...this.#cards.flatMap(({ face, panel }) => [face, panel])),
    );
    this.element.addEventListener('keydown', (event) => {
      const open = this.#cards.find(({ panel }) => !panel.hidden);
      if (event.key !== 'Escape' || !open || event.defaultPrevented) return;
      selection.set({ view: '' });
      open.face.focus();
    });
    onSightChange(
      this.element,
      (isInSight) => {
        this.#isInSight = isInSight;
        this.#drawThumbnails();
      },
      '300px',
    );
    this.open();
  }

  /** Opens the card that the address names, and closes the others. */
  open(): void {
    const named = withView(
      this.#cards.map(({ laid }) => laid),
      this.#selection.current.view,
    );
    for (const { laid, face, panel } of this.#cards) {
      panel.hidden = laid !== named;
      face.setAttribute('aria-expanded', `${laid === named}`);
    }
  }

  /** The thumbnails are of this sentence, as this model reads it. */
  draw(model: Model, reading: Reading): void {
    this.#known = { reading, anatomy: anatomyOf(model, reading), family: model.info.family };
    this.#drawThumbnails();
  }

  #drawThumbnails(): void {
    if (!this.#isInSight || !this.#known) return;
    const known = this.#known;
    this.#known = null;
    for (const { laid, thumbnail } of this.#cards) {
      const drawn = thumbnailOf(laid.views[0].id, known);
      thumbnail.replaceChildren(...(drawn ? [drawn] : []));
    }
  }

  #make(laid: Laid, views: ShownViews): Card {
    const { name, source, paper, attempt } = laid;
    const [first, ...others] = laid.views;
    const thumbnail = make('span', { class: 'thumbnail', 'aria-hidden': 'true' });
    const face = make(
      'button',
      { type: 'button', class: 'card-face', 'aria-expanded': 'false', 'aria-controls': `card-${first.id}` },
      thumbnail,
      make('span', { class: 'card-name' }, name),
      make('b', {}, first.claim),
    );
    face.addEventListener('click', () => this.#toggle(laid, face));
    const panel = make(
      'div',
      { id: `card-${first.id}`, class: 'card-panel', hidden: true },
      views.show(first, {
        kicker: source,
        ...(paper && { paper: { source, address: paper } }),
        level: 3,
        sheet: { attempt },
      }),
      ...others.map((view) => views.show(view, { isFirst: false, level: 4 })),
    );
    return { laid, face, thumbnail, panel };
  }

  /** The card stays where it is in the window, whatever opens and closes around it. */
  #toggle({ views: [{ id }] }: Laid, face: HTMLElement): void {
    const before = face.getBoundingClientRect().top;
    this.#selection.set({ view: face.getAttribute('aria-expanded') === 'true' ? '' : id, step: 0 });
    scrollBy({ top: face.getBoundingClientRect().top - before, behavior: 'instant' });
  }
}
