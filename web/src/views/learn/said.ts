/** What is said about a run: what is left out and why that matters, what came of it, and what went wrong. */

import { TransformerError } from 'transformer-wasm';
import { percent } from '../../reading/tokens.js';
import { learnWords } from '../../words/learn_words.js';
import { Problem } from '../../words/problem.js';
import { words } from '../../words/words.js';
import type { Moment } from './learner.js';
import measured from './measured.json';
import { scaleOf, tasks, type Variant } from './variants.js';

/** Why a model without a part cannot do it, or can, and what was measured; nothing of a whole one. */
export function whyOf({ task, without }: Variant): string[] {
  if (without === 'nothing') return [];
  const [broken, whole] = [measured[task][without], measured[task].nothing];
  const { steps, kept } = tasks[task];
  const result = learnWords.measured(steps, broken.right, kept.length, whole.right);
  return [theoryOf({ task, without }, percent(broken.largest), percent(whole.largest)), ' ', result];
}

/** @param largest the mean of the rows' largest weights before the first step, without the part @param usual and with it */
function theoryOf({ task, without }: Variant, largest: string, usual: string): string {
  const { why } = learnWords;
  if (without === 'positions') return why.positions[task];
  return without === 'scale' ? why.scale[task](scaleOf(task), largest, usual) : why.mask;
}

export function doneText({ task, without }: Variant, { right, byHeart }: Moment): string {
  const { kept, steps, learned = [] } = tasks[task];
  const said = learnWords.done(steps, right, kept.length);
  if (byHeart === null || without !== 'nothing') return said;
  return `${said}${words.marks.gap}${learnWords.doneByHeart(byHeart, learned.length)}`;
}

/** In plain words; what is not known here is given back. */
export function failureOf(error: unknown): unknown {
  const [, step] = (error instanceof TransformerError && / of step (\d+) is /.exec(error.message)) || [];
  return step === undefined ? error : new Problem(learnWords.notFinite(step));
}
