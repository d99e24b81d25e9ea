/** The controls of "Watch it learn": what is learned, what is left out, and learning itself. */

import { action, check, choice, slider } from '../../drawing/controls.js';
import { make } from '../../drawing/dom.js';
import type { SelectionStore } from '../../selection/selection.js';
import { learnWords } from '../../words/learn_words.js';
import { grouped } from '../../words/numbers.js';
import { firstPace } from './learner.js';
import type { Phase } from './run.js';
import { isTask, isWithout, type TaskName, tasks, variants, type Without } from './variants.js';

const view = 'learn';

/** What the address says. */
export interface Wanted {
  readonly task: TaskName;
  readonly without: Without;
  readonly isTwo: boolean;
  readonly head: number | null;
}

export function wantedOf(selection: SelectionStore): Wanted {
  const [task, without, head] = [
    selection.setting(view, 'task', 'reverse'),
    selection.setting(view, 'without', 'nothing'),
    selection.setting(view, 'head', ''),
  ];
  const name = isTask(task) ? task : 'reverse';
  const heads = Number(tasks[name].config.num_heads);
  return {
    task: name,
    without: isWithout(without) ? without : 'nothing',
    isTwo: selection.setting(view, 'seeds', '1') === '2',
    head: heads === 1 ? 0 : headOf(head, heads),
  };
}

/** `h1` is the first one. */
function headOf(text: string, heads: number): number | null {
  const [, number] = /^h(\d)$/.exec(text) ?? [];
  return number !== undefined && Number(number) >= 1 && Number(number) <= heads ? Number(number) - 1 : null;
}

const mostHeads = Math.max(...Object.values(tasks).map(({ config }) => Number(config.num_heads)));

interface Asked {
  /** Learn, stop, go on. */
  readonly onMain: () => void;
  readonly onAgain: () => void;
  readonly onStep: (step: number) => void;
}

export class LearnControls {
  readonly main: HTMLButtonElement;
  readonly #again: HTMLButtonElement;
  readonly #selection: SelectionStore;
  readonly #task;
  readonly #without;
  readonly #two;
  readonly #head;
  readonly #time;

  constructor(selection: SelectionStore, { onMain, onAgain, onStep }: Asked) {
    this.#selection = selection;
    const set = (name: string, otherwise: string) => (value: string) =>
      this.#selection.setSetting(view, name, value === otherwise ? null : value);
    const { texts } = learnWords;
    this.main = action(texts.learn, onMain);
    this.main.classList.add('primary');
    this.#again = action(texts.again, onAgain);
    this.#task = choice({
      label: texts.task,
      options: learnWords.tasks,
      value: 'reverse',
      onChange: set('task', 'reverse'),
    });
    this.#without = choice({
      label: texts.without,
      options: Object.fromEntries(variants.map((one) => [one, learnWords.without[one]])),
      value: 'nothing',
      onChange: set('without', 'nothing'),
    });
    this.#two = check({
      label: texts.two,
      value: false,
      onChange: (isOn) => set('seeds', '1')(isOn ? '2' : '1'),
    });
    const heads = Array.from({ length: mostHeads }, (_, i) => [`h${i + 1}`, `${i + 1}`]);
    this.#head = choice({
      label: texts.head,
      options: { mean: texts.allHeads, ...Object.fromEntries(heads) },
      value: 'mean',
      onChange: set('head', 'mean'),
    });
    this.#time = slider({
      label: texts.time,
      value: 0,
      min: 0,
      max: 1,
      step: firstPace,
      show: (step) => learnWords.step(grouped(step)),
      onChange: onStep,
    });
  }

  /** Above the figure, and below it. */
  get rows(): { readonly above: readonly HTMLElement[]; readonly below: readonly HTMLElement[] } {
    const buttons = make('span', { class: 'learn-buttons' }, this.main, ' ', this.#again);
    return {
      above: [this.#task.element, buttons, this.#without.element, this.#two.element],
      below: [this.#time.element, this.#head.element],
    };
  }

  show({ task, without, isTwo, head }: Wanted): void {
    this.#task.set(task);
    this.#without.set(without);
    this.#two.set(isTwo);
    this.#head.set(head === null ? 'mean' : `h${head + 1}`);
    this.#head.element.hidden = Number(tasks[task].config.num_heads) === 1;
  }

  /** @param phase `null` before anybody has pressed the button */
  showPhase(phase: Phase | null, { step, steps }: { step: number; steps: number }): void {
    const { texts } = learnWords;
    const isOver = phase === 'done' || phase === 'failed';
    this.main.textContent =
      phase === 'learning'
        ? texts.stop
        : phase === 'stopped'
          ? texts.goOn
          : isOver
            ? texts.again
            : texts.learn;
    this.main.disabled = phase === 'opening';
    this.#again.hidden = phase !== 'learning' && phase !== 'stopped';
    const input = this.#time.element.querySelector('input');
    if (!input) return;
    input.max = `${steps}`;
    input.disabled = phase === null || phase === 'opening';
    this.#time.set(step);
  }
}
