/** What the stage says of a reading, in words. */

import { make } from '../drawing/dom.js';
import { filled } from '../drawing/filled.js';
import type { Needs, Reading } from '../reading/reading.js';
import { pronounOf } from '../reading/swaps.js';
import { percent, tokenText } from '../reading/tokens.js';
import type { Selection } from '../selection/selection.js';
import { decimals, percentSign } from '../words/numbers.js';
import { words } from '../words/words.js';
import { claimOf, sharesOf } from './claim.js';

const french = (label: string) =>
  make('b', { lang: 'fr', class: `said-word ${pronounOf(label) ?? ''}` }, label);

/** The picture in one sentence. */
export function sentenceOf(
  reading: Reading,
  { look }: Pick<Selection, 'look'>,
  { needs, word }: { readonly needs: Needs | null; readonly word: number },
): (Node | string)[] {
  const claim = claimOf(reading, { look, needs, word });
  switch (claim?.kind) {
    case 'antecedent':
      return filled(words.stage.antecedent[claim.gender], {
        noun: make('i', { lang: 'fr' }, claim.noun),
        word: french(claim.word),
      });
    case 'looked':
      return filled(words.stage.toWrite, {
        word: french(claim.word),
        at: make('b', { lang: 'en' }, claim.at),
      });
    case 'off':
      return filled(words.stage.writtenWithout, { word: french(claim.word) });
    default:
      return [];
  }
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
