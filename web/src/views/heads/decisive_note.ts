/** What is said of a head: where it looks, whether it is off, and what the translation becomes without it. */

import { make } from '../../drawing/dom.js';
import { filled } from '../../drawing/filled.js';
import { chosenWord, type Reading, strongest } from '../../reading/reading.js';
import { pronounIn } from '../../reading/swaps.js';
import { percent } from '../../reading/tokens.js';
import { type Head, headLabel, headName } from '../../selection/heads.js';
import { words } from '../../words/words.js';

/** @param change the translation without the head; `undefined`: the same */
export function noteOf(
  reading: Reading,
  head: Head,
  { word, change }: { readonly word: number | null; readonly change: string | undefined },
): (Node | string)[] {
  return [
    make('b', {}, headLabel(head)),
    looksOf(reading, head, word),
    ...(reading.off.includes(headName(head)) ? [words.marks.gap, words.heads.stillLooks] : []),
    ...(change === undefined
      ? []
      : [
          words.marks.gap,
          ...filled(words.heads.without, { change: make('b', { lang: 'fr' }, difference(reading, change)) }),
        ]),
  ];
}

/** How many heads decide, and how many are off. */
export function countsOf(decisive: number, off: number): string {
  const decides = decisive > 0 ? words.heads.decide(decisive) : '';
  return [off > 0 ? words.heads.areOff(off) : '', decides].filter(Boolean).join(words.marks.gap);
}

/** Where a head looks for the chosen French word. */
function looksOf(reading: Reading, head: Head, word: number | null): string {
  const map = reading.maps[head.kind];
  if (!map || head.kind === 'encoder') return words.marks.stop;
  const row = map.row(head.layer, head.head, chosenWord(reading, word));
  const key = strongest(row);
  return words.heads.looksAtQuoted(map.keys[key]?.label ?? '', percent(row[key] ?? 0));
}

/** The pronouns if they differ, else the whole translation. */
export function difference({ translation }: Pick<Reading, 'translation'>, change: string): string {
  const [before, after] = [pronounIn(translation), pronounIn(change)];
  return before && after && before !== after ? `${before} → ${after}` : change;
}
