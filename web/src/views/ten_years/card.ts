/** One design: its name, its formula, and where it looks. */

import { make } from '../../drawing/dom.js';
import { HeatMap, type MapData } from '../../drawing/heat_map.js';
import { type Message, shownMessage } from '../../page/messages.js';
import { strongest } from '../../reading/reading.js';
import { percent } from '../../reading/tokens.js';
import { isShipped, loadingText } from '../../reading/trained.js';
import { language, words } from '../../words/words.js';
import { type Alignment, rowOf } from './compute.js';
import { type Design, folderOf } from './designs.js';

export class Card {
  readonly element: HTMLElement;
  readonly #map: HeatMap;
  readonly #text = make('p', { class: 'note', lang: 'fr' });
  readonly #window = make('p', { class: 'window' });
  #data: MapData | null = null;

  /** @param onSelect called with the row that is clicked */
  constructor(
    readonly design: Design,
    onSelect: (row: number) => void,
  ) {
    this.#map = new HeatMap({
      label: words.tenYears.map(design.title),
      largest: 22,
      onSelect: ({ row }) => onSelect(row),
      describe: ({ row, column }) => {
        const { values, columns, rowNames, columnNames } = this.#data as MapData;
        return words.tenYears.cell(
          rowNames[row] ?? '',
          columnNames[column] ?? '',
          percent(values[row * columns + column] ?? 0),
        );
      },
    });
    this.element = make(
      'div',
      { class: 'card', 'data-design': design.name },
      make('h3', {}, design.title),
      make('p', { class: 'formula' }, design.formula),
      this.#map.element,
      this.#text,
      this.#window,
      ...(isShipped(folderOf(design))
        ? [
            make(
              'a',
              { class: 'note', href: `./models/${folderOf(design)}/`, target: '_top' },
              words.tenYears.card,
            ),
          ]
        : []),
    );
  }

  show({ data, row, translation, window = '' }: Alignment): void {
    this.#data = data;
    this.#map.element.hidden = false;
    this.#map.show(data);
    this.#map.mark({ row, column: strongest(rowOf(data, row)) });
    this.#text.lang = 'fr';
    this.#text.textContent = translation;
    this.#window.textContent = window;
  }

  /** Keeps the place of a map with these names, while its model is on its way. */
  expect({ data }: Alignment): void {
    if (!this.#data) this.#map.show({ ...data, isEmpty: () => true });
  }

  /** Says how much of its model has arrived; an arrow function, for it is passed on. */
  readonly wait = (loaded: number, total: number | null): void => this.#say(loadingText(loaded, total));

  fail(message: Message): void {
    this.#map.element.hidden = true;
    this.#say('');
    this.#text.append(...shownMessage(message));
  }

  #say(text: string): void {
    this.#text.lang = language;
    this.#text.textContent = text;
  }
}
