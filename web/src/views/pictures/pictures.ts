/** A vision transformer reads a digit: the patches, where the class token looked, and the answer. */

import { filled } from '../../drawing/filled.js';
import { words } from '../../words/words.js';
import './pictures.css';
import { action, menu } from '../../drawing/controls.js';
import { make } from '../../drawing/dom.js';
import type { CodeSample, Frame, NumberTable } from '../../page/frame.js';
import type { Page, State } from '../../page/view.js';
import { openDigits } from '../../reading/digits.js';
import { plainFigures } from '../../reading/figures.js';
import { percent } from '../../reading/tokens.js';
import { attentionOf, grid, indexOfLargest, lookOf, looks, placeOf } from './compute.js';
import { paintSeen, showClasses } from './draw.js';
import { Drawing, formatStrokes, parseStrokes } from './drawing.js';
import { OwnPicture } from './own.js';
import { samples } from './samples.js';

const id = 'pictures';

export class Pictures {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #look = menu({
    label: words.pictures.looked,
    options: looks,
    value: 'rollout',
    onChange: (value) => this.#set('look', value),
  });
  readonly #drawing = new Drawing((strokes) => this.#set('drawing', formatStrokes(strokes)));
  readonly #seen = make('canvas', {
    class: 'seen',
    width: 280,
    height: 280,
    role: 'img',
    'aria-label': words.pictures.seen,
  });
  readonly #classes = make('ol', { class: 'classes' });

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    frame.controls.append(
      this.#look.element,
      action(words.pictures.clear, () => this.#set('drawing', 'none')),
    );
    frame.figure.append(this.#layout(), new OwnPicture(page).element);
    frame.code(code);
  }

  async draw({ signal }: State): Promise<void> {
    const { selection } = this.#page;
    const look = lookOf(selection.setting(id, 'look', 'rollout'));
    this.#look.set(look);
    this.#drawing.show(parseStrokes(selection.setting(id, 'drawing', samples[3] ?? '')));
    const picture = this.#drawing.picture();
    if (!picture) return this.#showNothing();
    const engine = await this.#page.engine();
    const model = await openDigits(engine);
    const output = await model.forward({ pixelValues: picture.pixelValues }, { outputAttentions: true });
    const { data } = await engine.softmax(output.logits ?? [[]]);
    const weights = await attentionOf(output, look);
    if (signal.aborted) return;
    paintSeen(this.#seen, picture.image, weights, { rows: grid, columns: grid });
    showClasses(this.#classes, data);
    this.#say(data, weights);
    this.#frame.table(() => tableOf(look, weights));
  }

  #layout(): HTMLElement {
    const picker = make(
      'div',
      { class: 'choice', role: 'group', 'aria-label': words.pictures.drawnDigit },
      ...samples.map((sample, digit) => action(`${digit}`, () => this.#set('drawing', sample))),
    );
    const titled = (title: string, ...parts: HTMLElement[]) =>
      make('div', {}, make('h3', {}, title), ...parts);
    return make(
      'div',
      { class: 'digit' },
      titled(words.pictures.draw, this.#drawing.element, picker),
      titled(words.pictures.asSeen, this.#seen),
      titled(words.pictures.answer, this.#classes),
    );
  }

  #showNothing(): void {
    this.#seen.getContext('2d')?.clearRect(0, 0, this.#seen.width, this.#seen.height);
    this.#classes.replaceChildren();
    this.#frame.say(words.pictures.drawOne);
  }

  #say(probabilities: Float32Array, weights: readonly number[]): void {
    const [best, patch] = [indexOfLargest(probabilities), indexOfLargest(weights)];
    const where = placeOf(patch);
    this.#seen.setAttribute('aria-label', words.pictures.seenAs(where));
    this.#frame.say(
      ...filled(words.pictures.says, {
        digit: make('b', {}, `${best}`),
        share: percent(probabilities[best] ?? 0),
        where,
        weight: percent(weights[patch] ?? 0),
      }),
    );
  }

  #set(name: string, value: string): void {
    this.#page.selection.setSetting(id, name, value);
  }
}

const tableOf = (look: string, weights: readonly number[]): NumberTable => ({
  caption: words.pictures.table(looks[look] ?? ''),
  columns: Array.from({ length: grid }, (_, i) => `${i + 1}`),
  rows: Array.from({ length: grid }, (_, row) => ({
    name: words.pictures.row(row + 1),
    values: weights.slice(row * grid, (row + 1) * grid).map((weight) => plainFigures(weight * 100)),
  })),
});

const code: CodeSample = {
  ours: `const digits = await loadModel('./models/digits');
const { logits, attentions } = await digits.forward({ pixelValues }, { outputAttentions: true });
const probabilities = await engine.softmax(logits);
const rollout = await attentionRollout(attentions); // row 0: what reached the class token`,
  pytorch: `out = vit(pixel_values, output_attentions=True)
probabilities = out.logits.softmax(-1)
rollout = torch.eye(50)
for a in out.attentions:
    rollout = (0.5 * a.mean(1)[0] + 0.5 * torch.eye(50)) @ rollout`,
};
