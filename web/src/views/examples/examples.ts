/** The worked examples of articles and papers, number by number. */

import { words } from '../../words/words.js';
import './examples.css';
import { menu } from '../../drawing/controls.js';
import { make } from '../../drawing/dom.js';
import { copyButton } from '../../page/copy_button.js';
import type { Frame } from '../../page/frame.js';
import type { Page, State } from '../../page/view.js';
import { figures } from '../../reading/figures.js';
import { type ExampleName, examples, isExample } from './compute.js';
import { numpyOf } from './numpy.js';
import { matricesOf, partTitle } from './parts.js';

const view = 'examples';
const first: ExampleName = 'three_tokens_seed42';

export class Examples {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #menu = menu({
    label: words.examples.example,
    options: Object.fromEntries(Object.entries(examples).map(([name, { title }]) => [name, title])),
    value: first,
    onChange: (value) => this.#page.selection.setSetting(view, 'of', value === first ? null : value),
  });

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    frame.figure.classList.add('matrices');
    frame.controls.append(
      this.#menu.element,
      copyButton(words.page.copyNumPy, () => numpyOf(this.#name())),
    );
  }

  async draw({ signal }: State): Promise<void> {
    const name = this.#name();
    this.#menu.set(name);
    const parts = await examples[name].compute(await this.#page.engine());
    if (signal.aborted) return;
    this.#frame.figure.replaceChildren(
      ...parts.flatMap((part, i) =>
        matricesOf(part).map((matrix) => drawMatrix(matrix, i === parts.length - 1)),
      ),
    );
    const last = parts.at(-1);
    const { title } = examples[name];
    const result = last ? partTitle(last) : '';
    this.#frame.say(words.examples.said(title, result, last?.tensor.shape.join(' × ') ?? ''));
    this.#frame.table(() => ({
      caption: title + words.marks.colon + result,
      columns: Array.from({ length: last?.tensor.shape.at(-1) ?? 0 }, (_, i) => `${i + 1}`),
      rows: (last ? matricesOf(last) : []).flatMap(({ rows }) =>
        rows.map((row, i) => ({ name: `${i + 1}`, values: row.map((value) => value.toPrecision(6)) })),
      ),
    }));
  }

  #name(): ExampleName {
    const asked = this.#page.selection.setting(view, 'of', first);
    return isExample(asked) ? asked : first;
  }
}

function drawMatrix({ name, rows }: { name: string; rows: number[][] }, isResult: boolean): HTMLElement {
  const cells = (row: readonly number[]) => row.map((value) => make('td', {}, figures(value)));
  const table = make('table', {}, make('tbody', {}, ...rows.map((row) => make('tr', {}, ...cells(row)))));
  const scroller = make('div', { class: 'scroller', tabindex: 0, role: 'group', 'aria-label': name }, table);
  return make('div', { class: isResult ? 'matrix result' : 'matrix' }, make('h3', {}, name), scroller);
}
