/** A step in words. */

import { make } from '../../drawing/dom.js';
import { filled } from '../../drawing/filled.js';
import { largest } from '../../reading/largest.js';
import { percent } from '../../reading/tokens.js';
import { listed } from '../../words/numbers.js';
import { words } from '../../words/words.js';
import type { Step } from './pass.js';
import { added, type Sum, tokenName, width } from './sums.js';

/** Where each token stands: `a, place 3`. */
export function placesOf(): string[] {
  const of = (name: string) => Array.from({ length: width }, (_, i) => words.adder.placeOf(name, i + 1));
  return [...of('a'), '+', ...of('b'), '=', ...of(words.adder.theSum)];
}

interface Said {
  readonly sum: Sum;
  readonly place: number;
  readonly digits: readonly number[];
  readonly step: Step;
  readonly where: readonly string[];
}

/** Which digit it writes, where each head looks most, and whether that is right. */
export function saidOf({ sum, place, digits, step, where }: Said): (Node | string)[] {
  const { digits: right, carries } = added(sum);
  const written = digits[place] ?? largest(step.logits, 1)[0] ?? 0;
  const looks = step.looks.map((weights, head) => {
    const seen = largest(weights, 2).map((token) =>
      words.adder.seenAt(where[token] ?? '', percent(weights[token] ?? 0)),
    );
    return words.adder.headLooks(head + 1, listed(seen));
  });
  const verdict =
    written === right[place]
      ? words.adder.isRight(carries[place] ? words.adder.withCarry : words.adder.withoutCarry)
      : words.adder.isWrong(`${right[place]}`);
  return filled(words.adder.says, {
    digit: make('b', {}, tokenName(written)),
    place: `${place + 1}`,
    looks: looks.join(words.adder.between),
    verdict,
  });
}
