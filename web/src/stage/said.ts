/** What the stage says of a reading, in words. */

import { make } from '../drawing/dom.js';
import { filled } from '../drawing/filled.js';
import { frenchWord } from '../page/french_word.js';
import type { Needs, Reading } from '../reading/reading.js';
import { pronounOf } from '../reading/swaps.js';
import { percent, tokenText } from '../reading/tokens.js';
import { decimals, percentSign } from '../words/numbers.js';
import { words } from '../words/words.js';
import { type Chosen, idleAdjective, neededBy, type Share, sharesOf, stepsOf } from './claim.js';
import { mostLooked, singleRowOf } from './single_row.js';

const english = (label: string) => make('b', { lang: 'en' }, label);

/** The number of a step, as it stands at its ribbon or arc. */
const disc = (step: number) => make('span', { class: 'disc' }, `${step}`);

const looked = ({ at, share }: Share) =>
  filled(words.stage.lookedShare, { at: english(at), share: percent(share) });

/** The two steps of the picture, and what follows from them. */
export function stepsSaid(reading: Reading, chosen: Chosen): HTMLElement[] {
  const steps = stepsOf(reading, chosen);
  if (!steps) return [];
  const word = () => frenchWord(steps.word);
  const { wrote, understood, antecedent } = steps;
  if (!wrote) return [make('span', {}, ...filled(words.stage.writtenWithout, { word: word() }))];
  const others = understood?.others.map(looked) ?? [];
  const listed = others.flatMap((one, i) => [...(i > 0 ? [words.stage.and] : []), ...one]);
  const said = [
    make(
      'span',
      { class: 'step-said' },
      disc(1),
      ...filled(words.stage.wrote, {
        word: word(),
        at: english(wrote.at),
        share: percent(wrote.share),
      }),
    ),
  ];
  if (understood)
    said.push(
      make(
        'span',
        { class: 'step-said' },
        disc(2),
        ...filled(words.stage.understood, { word: english(understood.at), others: fragment(listed) }),
      ),
    );
  if (antecedent)
    said.push(
      make(
        'span',
        { class: 'conclusion' },
        ...filled(words.stage.antecedent[antecedent.gender], {
          noun: make('i', { lang: 'fr' }, antecedent.noun),
          word: word(),
        }),
      ),
    );
  return said;
}

/** The one step of a model with one row: what it looked at to write, or to understand, a token. */
export function rowSaid(reading: Reading, place: number): HTMLElement[] {
  const row = singleRowOf(reading);
  const token = row?.tokens[place];
  const most = mostLooked(reading, place);
  if (!row || !token || !most) return [];
  const at = english(row.tokens[most.at]?.label ?? '');
  const parts =
    reading.stacks === 'decoder'
      ? filled(words.stage.wrote, { word: english(token.label), at, share: percent(most.share) })
      : filled(words.stage.understood, {
          word: english(token.label),
          others: fragment(filled(words.stage.lookedShare, { at, share: percent(most.share) })),
        });
  return [make('span', { class: 'step-said' }, disc(1), ...parts)];
}

/** `the 34 %  a 12 %  his 5 %`: what could have been written in a token's place. */
export const candidatesLine = (reading: Reading, word: number): HTMLElement[] =>
  (reading.written[word]?.candidates ?? []).map((candidate) =>
    make('span', { class: 'share-of' }, tokenText(candidate), ` ${percent(candidate.probability)}`),
  );

/** What the underlined words are: how far the French word falls without each of them; nothing while that is not known. */
export function needsSaid(reading: Reading, needs: Needs | null, word: number): (Node | string)[] {
  const token = reading.written[word];
  if (!needs?.[word] || !token) return [];
  const needed = neededBy(reading, needs, word);
  const falls = needed.flatMap(({ at, share }, i) => [
    ...(i > 0 ? [words.marks.comma] : []),
    ...filled(words.stage.without, { share: percent(share), at: english(at) }),
  ]);
  const main =
    needed.length > 0
      ? filled(words.stage.needs, {
          word: frenchWord(token.label),
          share: percent(token.probability),
          falls: fragment(falls),
        })
      : filled(words.stage.needsNone, { word: frenchWord(token.label) });
  const idle = needed.length > 0 ? idleAdjective(reading, needs, word) : null;
  return idle
    ? [
        ...main,
        words.marks.gap,
        ...filled(words.stage.byDefault, { at: english(idle), word: frenchWord(token.label) }),
      ]
    : main;
}

function fragment(parts: readonly (Node | string)[]): DocumentFragment {
  const all = document.createDocumentFragment();
  all.append(...parts);
  return all;
}

/** `elle 99.7 %  il 0.3 %` */
export const sharesLine = (reading: Reading, word: number): HTMLElement[] =>
  sharesOf(reading, word).map((candidate) =>
    make(
      'span',
      { class: `share-of ${pronounOf(candidate.label) ?? ''}` },
      tokenText(candidate),
      ` ${shareText(candidate.probability)}`,
    ),
  );

/** One decimal, which a share of nearly all does not round up to all. */
const shareText = (share: number) =>
  share > 0.9995
    ? `> ${decimals('99.9')}${percentSign}`
    : share > 0.0995
      ? `${decimals((share * 100).toFixed(1))}${percentSign}`
      : percent(share);
