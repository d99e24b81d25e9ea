/** How a model knows which word comes first: six position schemes, and what happens without any. */

import { words } from '../../words/words.js';
import './positions.css';
import { action } from '../../drawing/controls.js';
import { make } from '../../drawing/dom.js';
import type { Frame } from '../../page/frame.js';
import type { Page, State } from '../../page/view.js';
import { openDigits } from '../../reading/digits.js';
import { generationOf } from '../../reading/request.js';
import { codes } from './codes.js';
import { chosenLine, heads, lineOf } from './compute.js';
import { PositionControls } from './controls.js';
import { SchemeMaps } from './draw.js';
import { length, type SchemeName, schemeOf, width } from './schemes.js';
import { orderOf, shuffle } from './shuffle.js';
import { drawShuffle } from './shuffled_words.js';

export class Positions {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #controls: PositionControls;
  readonly #maps = new SchemeMaps((dimension) => this.#controls.set('line', dimension));
  readonly #words = make('div', { class: 'shuffle' });

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    this.#controls = new PositionControls(page.selection);
    frame.controls.append(...this.#controls.elements);
    frame.figure.append(this.#maps.element, this.#words);
  }

  async draw(state: State): Promise<void> {
    await Promise.all([
      this.#drawScheme(this.#controls.scheme(), this.#controls.askedLine()),
      this.#drawShuffle(state),
    ]);
  }

  async #drawScheme(name: SchemeName, asked: number): Promise<void> {
    this.#maps.expect(length, width);
    const engine = await this.#page.engine();
    const head = name === 'alibi' ? chosenLine(name, heads, asked) : 0;
    const scheme = await schemeOf(engine, name, { head, digits: () => openDigits(engine) });
    const columns = scheme.matrix.shape[1] ?? 0;
    const chosen = chosenLine(name, columns, asked);
    const line = lineOf(scheme, chosen);
    this.#controls.showLine(name, columns, chosen);
    this.#maps.show(scheme, line);
    this.#frame.say(scheme.about);
    this.#frame.table(() => ({
      caption: line.name,
      columns: [line.name],
      rows: line.values.map((value, i) => ({ name: `${i}`, values: [value.toPrecision(6)] })),
    }));
    this.#frame.code(codes[name]);
  }

  async #drawShuffle({ reading, signal }: State): Promise<void> {
    if (!reading.maps.cross || reading.isRecurrent) return this.#words.replaceChildren();
    const seed = this.#controls.seed();
    const again = action(words.positions.shuffle, () => this.#controls.set('seed', seed + 1));
    if (this.#words.childElementCount === 0) {
      const order = orderOf(reading.source.length, seed);
      this.#words.replaceChildren(...drawShuffle({ order }, reading.source), again);
    }
    const model = await this.#page.model();
    const shuffled = await shuffle(await this.#page.engine(), model, reading, seed);
    const text = shuffled.order
      .map((at) => reading.source[at])
      .filter((token) => token && !token.isSpecial)
      .map((token) => token?.label)
      .join(' ');
    const { text: translation } = await model.translate(text, generationOf({ off: reading.off, signal }));
    if (signal.aborted) return;
    this.#words.replaceChildren(...drawShuffle(shuffled, reading.source, translation), again);
  }
}
