/** The guesses of a model, drawn: its likeliest words with their probabilities, and what it writes on. */

import { make } from '../../drawing/dom.js';
import { percent, tokenText } from '../../reading/tokens.js';
import { words } from '../../words/words.js';
import type { Half } from './compute.js';
import { folders, type Gap, type Guess, type Guesses } from './guesses.js';

/** @param rest what the model writes after what stands before the gap; `null` where it writes nothing */
export function drawGuesses({ best }: Guesses, { text, span }: Gap, rest: string | null): HTMLElement[] {
  const list = make('ol', { 'aria-label': words.halves.likeliest }, ...best.map(rowOf));
  if (rest === null) return [list];
  const before = text.slice(0, span[0]).trimEnd();
  const written = make('span', { class: 'half-rest' }, before === '' ? rest.trimStart() : rest);
  return [list, make('p', { class: 'half-written', lang: 'en' }, before, written)];
}

/** The way to the model's card. */
export const cardOf = (half: Half): HTMLElement =>
  make('a', { class: 'note', href: `./models/${folders[half]}/`, target: '_top' }, words.halves.howTrained);

function rowOf(guess: Guess): HTMLElement {
  const bar = make('span', { class: 'share', 'aria-hidden': 'true' });
  bar.style.setProperty('--share', `${guess.probability}`);
  return make('li', {}, tokenText(guess), bar, make('span', { class: 'number' }, percent(guess.probability)));
}
