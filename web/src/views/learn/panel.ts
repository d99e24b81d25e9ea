/** One model as it learns: its loss, where it looks, and what it answers. */

import { make } from '../../drawing/dom.js';
import { HeatMap } from '../../drawing/heat_map.js';
import { cellPercent, figures } from '../../reading/figures.js';
import { percent } from '../../reading/tokens.js';
import { learnWords } from '../../words/learn_words.js';
import { grouped } from '../../words/numbers.js';
import { words } from '../../words/words.js';
import { type Look, namesOf, ofHead } from './compute.js';
import type { Asked, Learner, Moment } from './learner.js';
import { LossCurve } from './loss_curve.js';
import type { Task } from './task.js';
import { tasks, type Variant } from './variants.js';

export interface ShownLearner {
  readonly variant: Variant;
  readonly learner: Learner | null;
  /** The moment that the reader goes back to; `null`: now. */
  readonly moment: Moment | null;
  /** `null`: the mean of all. */
  readonly head: number | null;
}

export class Panel {
  readonly element: HTMLElement;
  readonly #facts = make('p', { class: 'learn-facts' });
  readonly #curve = new LossCurve();
  readonly #caption = make('p', { class: 'learn-caption' });
  readonly #answers = make('div', { class: 'learn-answers' });
  readonly #map = new HeatMap({
    label: learnWords.map,
    describe: ({ row, column }) => this.#describe(row, column),
    largest: 30,
  });
  #shown: {
    readonly values: Float32Array;
    readonly rowNames: readonly string[];
    readonly columnNames: readonly string[];
  } | null = null;
  /** What is drawn, so that only what has changed is drawn again. */
  #drawn: Look | null = null;
  #drawnHead: number | null = null;
  #drawnTask: Task | null = null;

  /** @param seed where two stand side by side */
  constructor(seed: number | null) {
    this.element = make(
      'div',
      { class: 'learner' },
      make(
        'div',
        { class: 'learn-numbers' },
        ...(seed === null ? [] : [make('h4', {}, learnWords.seed(seed))]),
        this.#facts,
        this.#curve.element,
        this.#answers,
      ),
      make('div', { class: 'learn-look' }, this.#caption, this.#map.element),
    );
  }

  show(shown: ShownLearner): void {
    const { learner, variant } = shown;
    const task = tasks[variant.task];
    const moment = shown.moment ?? learner?.moments.at(-1) ?? null;
    const step = shown.moment?.step ?? learner?.losses.length ?? 0;
    const loss = step > 0 ? learner?.losses[step - 1] : undefined;
    this.#facts.textContent = factsOf(task, { step, loss, moment });
    const { moments = [], losses = [] } = learner ?? {};
    const shares = moments.map(({ step: at, right }) => ({ step: at, share: right / task.kept.length }));
    this.#curve.show(
      { losses, shares, steps: task.steps, at: step },
      learnWords.curve(grouped(step), loss === undefined ? '–' : figures(loss)),
    );
    this.#showAnswers(task, moment);
    this.#showLook(task, shown.moment?.look ?? learner?.look ?? null, shown);
  }

  #showAnswers(task: Task, moment: Moment | null): void {
    const [first] = task.kept;
    const idle: Asked = { prompt: first?.prompt ?? [], answer: [], isRight: null };
    const asked = [moment?.fixed ?? idle, ...(moment?.own ? [moment.own] : [])];
    const lines = asked.map((one) => lineOf(task, one, moment !== null));
    if (lines.map(({ textContent }) => textContent).join('') === this.#answers.textContent) return;
    this.#answers.replaceChildren(...lines);
  }

  #showLook(task: Task, look: Look | null, { head, variant }: ShownLearner): void {
    if (look === this.#drawn && head === this.#drawnHead && task === this.#drawnTask) return;
    [this.#drawn, this.#drawnHead, this.#drawnTask] = [look, head, task];
    const [first] = task.kept;
    if (!first) return;
    const { isEmpty, ...names } = namesOf(task, first, { isMasked: variant.without !== 'mask' });
    const named = (name: string) => nameOf(task, name);
    const [rowNames, columnNames] = [names.rowNames.map(named), names.columnNames.map(named)];
    const [rows, columns] = [rowNames.length, columnNames.length];
    const values = look ? ofHead(look, head) : new Float32Array(rows * columns);
    this.#shown = { values, rowNames, columnNames };
    this.#caption.textContent = learnWords.captions[variant.task];
    this.#map.show({
      values,
      rows,
      columns,
      rowNames,
      columnNames,
      ...(look && { text: cellPercent }),
      isEmpty,
    });
  }

  #describe(row: number, column: number): string {
    if (!this.#shown) return '';
    const { values, rowNames, columnNames } = this.#shown;
    const weight = values[row * columnNames.length + column] ?? 0;
    return learnWords.cell(rowNames[row] ?? '', columnNames[column] ?? '', percent(weight));
  }
}

/** The ends of a sentence are words, where there are words; where there are letters, a sign like them. */
const nameOf = ({ hasEncoder }: Task, name: string) =>
  hasEncoder ? ({ '▸': words.tokens.start, '∎': words.tokens.end }[name] ?? name) : name;

/** `step 340 · loss 0.031 · 98 of 100 right` */
function factsOf(
  task: Task,
  { step, loss, moment }: { step: number; loss: number | undefined; moment: Moment | null },
): string {
  const { byHeart } = moment ?? {};
  return [
    learnWords.step(grouped(step)),
    ...(loss === undefined ? [] : [learnWords.lossOf(figures(loss))]),
    ...(moment ? [learnWords.right(moment.right, task.kept.length)] : []),
    ...(typeof byHeart === 'number' ? [learnWords.byHeart(byHeart, task.learned?.length ?? 0)] : []),
  ].join(' · ');
}

/** What was asked, what it answers, and whether that is right. */
function lineOf(task: Task, { prompt, answer, isRight }: Asked, isAnswered: boolean): HTMLElement {
  const said = task.said(answer);
  const verdict = isRight === null ? '' : isRight ? learnWords.isRight : learnWords.isWrong;
  return make(
    'p',
    { class: isRight ? 'right' : isRight === false ? 'wrong' : '' },
    make('span', { class: 'asked-of-it' }, task.asked(prompt)),
    ' → ',
    make('b', {}, isAnswered ? said || '–' : '?'),
    ' ',
    make('span', { class: 'verdict' }, verdict),
  );
}
