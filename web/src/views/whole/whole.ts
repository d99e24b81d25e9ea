/** The map at full width: every part of the model, with the shapes of this sentence and the parameters that each part has. */

import { grouped } from '../../words/numbers.js';
import { words } from '../../words/words.js';
import './whole.css';
import { make } from '../../drawing/dom.js';
import type { CodeSample, Frame } from '../../page/frame.js';
import type { Page, State } from '../../page/view.js';
import { anatomyOf } from '../../reading/anatomy.js';
import { percent } from '../../reading/tokens.js';
import { type Box, type Column, columnsOf, totalOf } from './compute.js';

export class Whole {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #map = make('div', { class: 'whole' });
  /** The boxes that the visitor has opened, by column and title. */
  readonly #open = new Set<string>();

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    frame.figure.append(this.#map);
    frame.code(code);
  }

  async draw({ reading, signal }: State): Promise<void> {
    const model = await this.#page.model();
    if (signal.aborted) return;
    const anatomy = anatomyOf(model, reading);
    const columns = columnsOf(anatomy);
    const parts = totalOf(columns);
    const total = parts.reduce((sum, { parameters }) => sum + parameters, 0);
    this.#map.classList.toggle('both', columns.length === 2);
    this.#map.replaceChildren(...columns.map((column) => this.#drawColumn(column, total)));
    const shares = parts
      .slice(0, 3)
      .flatMap(({ title, parameters }, i) => [
        i === 0 ? '' : words.marks.comma,
        make('b', {}, title),
        ` ${percent(parameters / total)}`,
      ]);
    this.#frame.say(
      words.whole.parameters(grouped(model.info.parameters)),
      ...(total > 0 ? [words.marks.colon, ...shares] : []),
      words.marks.stop,
    );
    this.#frame.table(() => ({
      caption: words.whole.table,
      columns: [words.whole.columns.shape, words.whole.columns.parameters],
      rows: columns.flatMap(({ title, boxes }) =>
        boxes.map((box) => ({
          name: `${title}${words.marks.colon}${box.title}`,
          values: [box.shape, box.parameters === null ? '' : grouped(box.parameters)],
        })),
      ),
    }));
  }

  #drawColumn({ title, layers, boxes }: Column, total: number): HTMLElement {
    const draw = (box: Box) => this.#drawBox(box, title, total);
    const repeated = boxes.filter(({ isRepeated }) => isRepeated);
    const before = boxes.slice(0, boxes.indexOf(repeated[0] as Box));
    const after = boxes.slice(before.length + repeated.length);
    const frame = make(
      'div',
      { class: 'whole-stack' },
      make('p', { class: 'whole-times' }, `${title} × ${layers}`),
      ...repeated.map(draw),
    );
    return make(
      'div',
      { class: 'whole-column', 'data-stack': title },
      ...before.map(draw),
      frame,
      ...after.map(draw),
    );
  }

  #drawBox(
    { title, formula, shape, parameters, chapter, isAttention }: Box,
    column: string,
    total: number,
  ): HTMLElement {
    const key = `${column} ${title}`;
    const count =
      parameters === null
        ? ''
        : parameters === 0
          ? words.whole.noParameters
          : words.whole.parameters(grouped(parameters));
    const bar = make('span', { class: 'whole-share', 'aria-hidden': 'true' });
    bar.style.setProperty('--share', `${total > 0 ? (parameters ?? 0) / total : 0}`);
    const box = make(
      'details',
      {
        class: isAttention ? 'whole-box attention-box' : 'whole-box',
        open: this.#open.has(key),
        ...(title === words.tour.crossAttention && { 'data-cross': true }),
      },
      make('summary', {}, make('b', {}, title), make('span', { class: 'whole-shape' }, shape), bar),
      make('p', { class: 'formula' }, formula),
      make(
        'p',
        {},
        [count, count && parameters ? words.whole.ofModel(percent(parameters / Math.max(1, total))) : '']
          .filter(Boolean)
          .join(words.marks.comma),
      ),
      make('a', { href: `#${chapter}` }, words.whole.toChapter),
    );
    box.addEventListener('toggle', () => (box.open ? this.#open.add(key) : this.#open.delete(key)));
    return box;
  }
}

const code: CodeSample = {
  ours: `const model = await loadModel('models/en-fr');
model.info.parameters;                                     // all of them
const { logits } = await model.forward({ inputIds: [ids], decoderInputIds: [written] });
logits.shape;                                              // [1, written, vocabulary]`,
  pytorch: `sum(p.numel() for p in model.parameters())
torch.nn.Transformer(d_model=128, nhead=4, num_encoder_layers=2,
                     num_decoder_layers=2, dim_feedforward=512)`,
};
