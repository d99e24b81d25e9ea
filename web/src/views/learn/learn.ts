/** A small transformer learns in front of the reader: its loss, where it looks, what it answers, and what it cannot do without a part. */

import './learn.css';
import { make } from '../../drawing/dom.js';
import type { Frame } from '../../page/frame.js';
import { messageOf, shownMessage } from '../../page/messages.js';
import type { Page } from '../../page/view.js';
import { figures } from '../../reading/figures.js';
import { loadTraining } from '../../reading/training.js';
import { learnWords } from '../../words/learn_words.js';
import { grouped } from '../../words/numbers.js';
import { codeFor } from './code.js';
import { LearnControls, type Wanted, wantedOf } from './controls.js';
import type { Learner, Moment } from './learner.js';
import { Own } from './own.js';
import { Panel } from './panel.js';
import { Run } from './run.js';
import { doneText, failureOf, whyOf } from './said.js';
import { tasks } from './variants.js';

const seeds = [1, 2] as const;

const nextFrame = () => new Promise<void>((resolve) => requestAnimationFrame(() => resolve()));

export class Learn {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #controls: LearnControls;
  readonly #own = new Own((example) => this.#run?.ask(example));
  readonly #why = make('p', { class: 'learn-why' });
  readonly #learners = make('div', { class: 'learners' });
  readonly #status = make('p', { class: 'message', role: 'alert' });
  #panels: readonly Panel[] = [];
  #wanted: Wanted | null = null;
  #run: Run | null = null;
  /** The step that the reader has gone back to; `null`: now. */
  #back: number | null = null;
  /** It learned when its card was closed, and goes on when the card is opened. */
  #isHeld = false;
  #isDrawing = false;

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    this.#controls = new LearnControls(page.selection, {
      onMain: () => this.#press(),
      onAgain: () => this.#begin(),
      onStep: (step) => this.#goTo(step),
    });
    const { above, below } = this.#controls.rows;
    frame.controls.append(...above);
    frame.figure.append(
      this.#why,
      this.#learners,
      make('div', { class: 'controls learn-foot' }, ...below, this.#own.element),
      this.#status,
    );
    page.selection.subscribe(() => this.#hold());
    addEventListener('pagehide', () => this.#end());
  }

  draw(): void {
    const [wanted, before] = [wantedOf(this.#page.selection), this.#wanted];
    this.#wanted = wanted;
    this.#controls.show(wanted);
    this.#frame.code(codeFor(wanted));
    const isSame =
      before?.task === wanted.task && before.without === wanted.without && before.isTwo === wanted.isTwo;
    if (!isSame) this.#set(wanted, before?.task === wanted.task);
    this.#draw();
  }

  /** Another figure. What was learning is over; with the same task, its successor begins at once. */
  #set({ task, without, isTwo }: Wanted, isSameTask: boolean): void {
    const wasThere = this.#run !== null;
    this.#end();
    if (!isSameTask) this.#own.use(tasks[task], task);
    this.#why.replaceChildren(...whyOf({ task, without }));
    const shown = isTwo ? seeds : seeds.slice(0, 1);
    this.#panels = shown.map((seed) => new Panel(isTwo ? seed : null));
    this.#learners.classList.toggle('two', isTwo);
    this.#learners.replaceChildren(...this.#panels.map(({ element }) => element));
    if (wasThere && isSameTask) this.#begin();
  }

  #press(): void {
    const { phase = null } = this.#run ?? {};
    if (phase === 'learning') this.#run?.stop();
    else if (phase === 'stopped') this.#run?.goOn();
    else this.#begin();
  }

  #begin(): void {
    this.#end();
    if (!this.#wanted) return;
    const { task, without, isTwo } = this.#wanted;
    const run: Run = new Run({ task, without, seeds: isTwo ? seeds : seeds.slice(0, 1) }, this.#own.example, {
      load: loadTraining,
      frame: nextFrame,
      onChange: () => {
        if (run !== this.#run) return;
        this.#hold();
        this.#changed();
      },
    });
    this.#run = run;
    this.#changed();
  }

  /** Nothing learns unseen: in a closed card it stops, with all that was learned. */
  #hold(): void {
    const run = this.#run;
    const isClosed = this.#frame.section.closest('[hidden]') !== null;
    if (!run || isClosed === this.#isHeld || (isClosed && run.phase !== 'learning')) return;
    this.#isHeld = isClosed;
    if (isClosed) run.stop();
    else run.goOn();
  }

  /** Its trainers and their workers are gone, and the figure is as it was at the beginning. */
  #end(): void {
    const run = this.#run;
    this.#run = null;
    this.#back = null;
    this.#isHeld = false;
    void run?.end();
    if (run) this.#changed();
  }

  #goTo(step: number): void {
    const last = this.#run?.steps ?? 0;
    this.#back = step >= last ? null : step;
    this.#changed();
  }

  /** What is to be drawn is drawn with the next frame, once. */
  #changed(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#draw();
    });
  }

  #draw(): void {
    if (!this.#wanted) return;
    const { task, without, head } = this.#wanted;
    const { learners = [], phase = null, steps = 0 } = this.#run ?? {};
    for (const [i, panel] of this.#panels.entries()) {
      const learner = learners[i] ?? null;
      panel.show({ variant: { task, without }, learner, moment: this.#momentOf(learner), head });
    }
    this.#controls.showPhase(phase, { step: this.#back ?? steps, steps: tasks[task].steps });
    const [learner = null] = learners;
    this.#say(learner, this.#momentOf(learner));
    this.#frame.table(() => tableOf(learners));
    const shown = phase === 'failed' ? shownMessage(messageOf(failureOf(this.#run?.error))) : [];
    if (this.#status.childNodes.length !== shown.length) this.#status.replaceChildren(...shown);
  }

  #momentOf(learner: Learner | null): Moment | null {
    const back = this.#back;
    return back === null ? null : (learner?.moments.findLast(({ step }) => step <= back) ?? null);
  }

  /** Said where something begins or ends, and not at each step. */
  #say(learner: Learner | null, moment: Moment | null): void {
    const { phase = null } = this.#run ?? {};
    const { states } = learnWords;
    const last = learner?.moments.at(-1);
    const text =
      moment && this.#wanted
        ? learnWords.back(grouped(moment.step), moment.loss === null ? '–' : figures(moment.loss))
        : phase === 'done' && last && this.#wanted
          ? doneText(this.#wanted, last)
          : states[phase === null || phase === 'ended' || phase === 'done' ? 'idle' : phase];
    if (this.#frame.section.querySelector('.spoken')?.textContent !== text) this.#frame.say(text);
  }
}

/** The moments as a table: of each model, the loss and what is right. */
function tableOf(learners: readonly Learner[]) {
  const [first] = learners;
  const { columns } = learnWords;
  return {
    caption: learnWords.table,
    columns: learners.flatMap(({ seed }) => [columns.loss(seed), columns.right(seed)]),
    rows: (first?.moments ?? []).map(({ step }, i) => ({
      name: learnWords.step(grouped(step)),
      values: learners.flatMap(({ moments }) => {
        const { loss = null, right = 0 } = moments[i] ?? {};
        return [loss === null ? '–' : figures(loss), right];
      }),
    })),
  };
}
