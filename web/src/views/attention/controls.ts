/** The controls of one attention: where its numbers come from, its query, scale and temperature, and the tiles. */

import { action, type Control, choice, menu, slider } from '../../drawing/controls.js';
import { make } from '../../drawing/dom.js';
import type { SelectionStore } from '../../selection/selection.js';
import { decimals } from '../../words/numbers.js';
import { words } from '../../words/words.js';
import { type Asked, parseHidden, type Tiles, tilesOf, toggled } from './compute.js';
import { isSource, type SourceName, sourceNames } from './sources.js';

const id = 'attention';
const firstMatrix = '1 0 1 0\n0 2 0 2\n1 1 1 1';

export class AttentionControls {
  readonly elements: readonly HTMLElement[];
  /** The visitor's own matrix, and what is wrong with it. */
  readonly paste = make('textarea', {
    class: 'paste',
    'aria-label': words.attention.yourMatrix,
    spellcheck: 'false',
  });
  readonly problem = make('div', { class: 'message', role: 'alert' });
  readonly #selection: SelectionStore;
  readonly #source: Control<string>;
  readonly #power = slider({
    label: words.attention.scale,
    value: 0.5,
    min: 0,
    max: 1,
    step: 0.05,
    show: (value) => decimals(value.toFixed(2)),
    onChange: (value) => this.#change('power', '0.5', value),
  });
  readonly #temperature = slider({
    label: words.attention.temperature,
    value: 0,
    min: -3,
    max: 3,
    step: 0.25,
    show: (value) => decimals((2 ** value).toFixed(2)),
    onChange: (value) => this.#change('temperature', '0', value),
  });
  readonly #mode = choice({
    label: 'softmax',
    options: { whole: words.attention.allAtOnce, tiles: words.attention.tileByTile },
    value: 'whole',
    onChange: (value) => this.#change('mode', 'whole', value),
  });
  readonly #step = slider({
    label: words.attention.tilesRead,
    value: 1,
    min: 0,
    max: 1,
    step: 1,
    onChange: (value) => this.#change('tiles', '', value),
  });
  readonly #wander = action(words.attention.wander, () => void this.#walk());
  readonly #query = make('span', { class: 'control' });
  #queryMenu: Control<string> | null = null;
  #queryNames = '';
  #tiles = 1;

  constructor(selection: SelectionStore) {
    this.#selection = selection;
    this.#source = menu({
      label: words.attention.numbersFrom,
      options: sourceNames,
      value: selection.setting(id, 'source', 'sentence'),
      onChange: (value) => this.#change('source', 'sentence', value),
    });
    const labelled = [this.#power, this.#temperature, this.#mode, this.#step].map(({ element }) => element);
    this.elements = [this.#source.element, this.#query, ...labelled, this.#wander];
    this.paste.addEventListener('input', () => this.#change('matrix', firstMatrix, this.paste.value));
  }

  /** Shows where the numbers come from, and returns it. */
  source(): SourceName {
    const name = this.#setting('source', 'sentence');
    const chosen = isSource(name) ? name : 'sentence';
    this.#source.set(chosen);
    this.paste.hidden = chosen !== 'own';
    return chosen;
  }

  /** Shows the visitor's own matrix, and returns it. */
  matrix(): string {
    const text = this.#setting('matrix', firstMatrix);
    if (this.paste.value !== text) this.paste.value = text;
    return text;
  }

  /** Shows what is asked for, and returns it. */
  asked(): Asked {
    const asked = {
      power: Number(this.#setting('power', '0.5')),
      temperature: 2 ** Number(this.#setting('temperature', '0')),
      isTiled: this.#setting('mode', 'whole') === 'tiles',
      hidden: parseHidden(this.#setting('hide', '')),
    };
    this.#power.set(asked.power);
    this.#temperature.set(Math.log2(asked.temperature));
    this.#mode.set(asked.isTiled ? 'tiles' : 'whole');
    return asked;
  }

  /** Shows how many tiles are read of so many keys, and returns it. */
  tiles(keys: number, isTiled: boolean): Tiles {
    const tiles = tilesOf(keys, Number(this.#setting('tiles', '')) || null);
    this.#tiles = tiles.count;
    for (const element of [this.#step.element, this.#wander]) element.hidden = !isTiled;
    const range = this.#step.element.querySelector('input');
    if (range) [range.min, range.max] = ['1', `${tiles.count}`];
    this.#step.set(tiles.read);
    return tiles;
  }

  /** The number of the query in the address, NaN where there is none. */
  askedQuery(): number {
    return Number.parseInt(this.#setting('query', ''), 10);
  }

  showQueries(names: readonly string[], chosen: number): void {
    const joined = names.join('\n');
    if (joined !== this.#queryNames) {
      this.#queryNames = joined;
      this.#queryMenu = menu({
        label: words.attention.query,
        options: Object.fromEntries(names.map((name, i) => [`${i}`, name])),
        value: `${chosen}`,
        onChange: (value) => this.#change('query', '', value),
      });
      this.#query.replaceChildren(this.#queryMenu.element);
    }
    this.#queryMenu?.set(`${chosen}`);
  }

  /** Hides a key or shows it. */
  toggle(key: number): void {
    this.#change('hide', '', toggled(parseHidden(this.#setting('hide', '')), key));
  }

  /** Reads tile after tile; every step is in the address like any other change. */
  async #walk(): Promise<void> {
    for (let count = 1; count <= this.#tiles; count++) {
      this.#selection.setSetting(id, 'tiles', `${count}`);
      await new Promise((resolve) => setTimeout(resolve, 600));
    }
  }

  #setting(name: string, otherwise: string): string {
    return this.#selection.setting(id, name, otherwise);
  }

  #change(name: string, otherwise: string, value: string | number): void {
    this.#selection.setSetting(id, name, `${value}` === otherwise ? null : `${value}`);
  }
}
