/** The wall: all heads of all layers, each as a small map and a switch. Those that decide the translation are outlined. */

import { onSchemeChange } from '../drawing/colours.js';
import { make } from '../drawing/dom.js';
import { paintPixels } from '../drawing/pixels.js';
import type { AttentionMap } from '../reading/attention_map.js';
import { isTaught } from '../reading/looks.js';
import type { Reading } from '../reading/reading.js';
import { type Head, headLabel, headName, type Kind, kinds, layerLabel } from '../selection/heads.js';
import { words } from '../words/words.js';

export interface WallOptions {
  readonly onClick: (head: Head) => void;
  /** The head under the pointer or with the focus; `null` when it leaves. */
  readonly onHover?: (head: Head | null) => void;
  /** What a button says of its head besides its name. */
  readonly pressed: (head: Head) => boolean;
}

export class Wall {
  readonly element = make('div', { class: 'wall' });
  readonly #options: WallOptions;
  readonly #buttons = new Map<string, HTMLButtonElement>();
  #shape = '';
  #reading: Reading | null = null;

  constructor(options: WallOptions) {
    this.#options = options;
    onSchemeChange(() => this.#reading && this.#paint(this.#reading));
  }

  show(reading: Reading): void {
    this.#reading = reading;
    const rows = kinds.flatMap((kind) => {
      const map = reading.maps[kind];
      return map ? Array.from({ length: map.layers }, (_, layer) => ({ kind, layer, heads: map.heads })) : [];
    });
    const shape = JSON.stringify(rows);
    if (shape !== this.#shape) this.#build(rows);
    this.#shape = shape;
    this.#paint(reading);
    this.press();
  }

  /** Shows which buttons are pressed. */
  press(): void {
    for (const [name, button] of this.#buttons) {
      const [kind, layer, head] = name.split('.');
      const one = { kind: kind as Kind, layer: Number(layer), head: Number(head) };
      button.setAttribute('aria-pressed', `${this.#options.pressed(one)}`);
    }
  }

  /** What is off is a ghost. @param off names of heads */
  fade(off: readonly string[]): void {
    for (const [name, button] of this.#buttons) {
      button.classList.toggle('off', off.includes(name));
      this.#label(button);
    }
  }

  /** @param changes names of the heads without which the translation changes, and what it becomes */
  outline(changes: ReadonlyMap<string, string>): void {
    for (const [name, button] of this.#buttons) {
      const change = changes.get(name);
      button.classList.toggle('decisive', change !== undefined);
      this.#label(button);
    }
  }

  #label(button: HTMLButtonElement): void {
    const { classList } = button;
    const parts = [
      button.dataset.label,
      classList.contains('decisive') && words.stage.decisive,
      classList.contains('taught') && words.stage.taughtHead,
      classList.contains('off') && words.stage.switchedOff,
    ];
    button.setAttribute('aria-label', parts.filter(Boolean).join(words.marks.comma));
  }

  #build(rows: readonly { kind: Kind; layer: number; heads: number }[]): void {
    this.#buttons.clear();
    this.element.replaceChildren(
      ...rows.map(({ kind, layer, heads }) =>
        make(
          'div',
          { class: 'wall-row' },
          make('span', { class: 'name' }, layerLabel(kind, layer)),
          make(
            'span',
            { class: 'wall-heads' },
            ...Array.from({ length: heads }, (_, head) => this.#button({ kind, layer, head })),
          ),
        ),
      ),
    );
  }

  #button(head: Head): HTMLButtonElement {
    const label = headLabel(head);
    const button = make(
      'button',
      { type: 'button', 'aria-label': label, 'data-label': label, title: label },
      make('canvas'),
    );
    button.addEventListener('click', () => this.#options.onClick(head));
    for (const event of ['pointerenter', 'focus']) {
      button.addEventListener(event, () => this.#options.onHover?.(head));
    }
    for (const event of ['pointerleave', 'blur']) {
      button.addEventListener(event, () => this.#options.onHover?.(null));
    }
    this.#buttons.set(headName(head), button);
    return button;
  }

  #paint(reading: Reading): void {
    for (const [name, button] of this.#buttons) {
      const [kind, layer, head] = name.split('.');
      const one = { kind: kind as Kind, layer: Number(layer), head: Number(head) };
      const map = reading.maps[one.kind];
      const canvas = button.querySelector('canvas');
      button.classList.toggle('taught', isTaught(reading, one));
      this.#label(button);
      button.title = button.getAttribute('aria-label') ?? '';
      if (map && canvas) paintHead(canvas, map, one);
    }
  }
}

/** One pixel for each weight; the style sheet enlarges it. */
export function paintHead(canvas: HTMLCanvasElement, map: AttentionMap, { kind, layer, head }: Head): void {
  paintPixels(canvas, {
    values: map.of(layer, head),
    rows: map.queries.length,
    columns: map.keys.length,
    ...(kind === 'decoder' && { isEmpty: (row, column) => column > row }),
  });
}
