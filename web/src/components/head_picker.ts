/** Chooses a layer and a head. Each head's button shows a small version of its heat map. */

import type { AttentionMap, Head } from '../attention_map.js';
import { make } from '../dom.js';
import { shadeOf } from '../shades.js';

export interface Choice {
  readonly layer: number;
  readonly head: Head;
}

export class HeadPicker {
  readonly element: HTMLElement;
  readonly #name: string;
  readonly #onChoice: (choice: Choice) => void;
  #map: AttentionMap | undefined;
  #choice: Choice = { layer: 0, head: 'mean' };

  /** @param name distinguishes this picker's radio buttons from those of other pickers */
  constructor(name: string, onChoice: (choice: Choice) => void) {
    this.#name = name;
    this.#onChoice = onChoice;
    this.element = make('div', { class: 'picker' });
    this.element.addEventListener('change', (event) => {
      const { name: group, value } = event.target as HTMLInputElement;
      const { layer, head } = this.#choice;
      const choice: Choice = group.endsWith('-layer')
        ? { layer: Number(value), head }
        : { layer, head: value === 'mean' ? value : Number(value) };
      this.choose(choice);
      this.#onChoice(choice);
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#drawAll());
  }

  get choice(): Choice {
    return this.#choice;
  }

  show(map: AttentionMap): void {
    const isNew = map.layers !== this.#map?.layers || map.heads !== this.#map?.heads;
    this.#map = map;
    if (isNew) this.#build(map);
    this.#drawAll();
  }

  choose({ layer, head }: Choice): void {
    const isOtherLayer = layer !== this.#choice.layer;
    this.#choice = { layer, head };
    for (const input of this.element.querySelectorAll('input')) {
      input.checked = input.value === `${input.name.endsWith('-layer') ? layer : head}`;
    }
    if (isOtherLayer) this.#drawAll();
  }

  #build({ layers, heads }: AttentionMap): void {
    const layerButtons = Array.from({ length: layers }, (_, layer) =>
      this.#button('layer', `${layer}`, `${layer + 1}`),
    );
    const headButtons = ['mean', ...Array.from({ length: heads }, (_, head) => `${head}`)].map((head) =>
      this.#button('head', head, head === 'mean' ? 'Mean' : `${Number(head) + 1}`, make('canvas')),
    );
    this.element.replaceChildren(
      make('fieldset', {}, make('legend', {}, 'Layer'), ...layerButtons),
      make('fieldset', {}, make('legend', {}, 'Head'), ...headButtons),
    );
    this.choose({ layer: layers - 1, head: 'mean' });
  }

  #button(group: 'layer' | 'head', value: string, text: string, picture?: HTMLCanvasElement): HTMLElement {
    const input = make('input', { type: 'radio', name: `${this.#name}-${group}`, value });
    return make('label', {}, input, ...(picture ? [picture] : []), make('span', {}, text));
  }

  #drawAll(): void {
    const map = this.#map;
    if (!map) return;
    for (const [i, canvas] of this.element.querySelectorAll('canvas').entries()) {
      draw(canvas, map, map.of(this.#choice.layer, i === 0 ? 'mean' : i - 1));
    }
  }
}

/** One pixel per cell; the style sheet enlarges it. */
function draw(canvas: HTMLCanvasElement, { queries, keys }: AttentionMap, weights: Float32Array): void {
  canvas.width = keys.length;
  canvas.height = queries.length;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.fillStyle = getComputedStyle(canvas).color;
  for (const [i, weight] of weights.entries()) {
    context.globalAlpha = shadeOf(weight);
    context.fillRect(i % keys.length, Math.floor(i / keys.length), 1, 1);
  }
}
