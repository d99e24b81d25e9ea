/** Times as bars: how long each bar is says how much of the machine's limit is reached. */

import { make } from '../drawing/dom.js';
import { percentSign } from '../words/numbers.js';
import { words } from '../words/words.js';
import {
  limitText,
  type Measured,
  nameOf,
  percentOf,
  type Report,
  type RowName,
  rowNames,
  timeText,
} from './report.js';

/** A bar may be half as long again as the limit: in 8 bits, more than the limit of float32 is possible. */
const longest = 1.5;

const percentText = (share: number) => `${percentOf(share)}${percentSign}`;

function bar(share: number, className: string): HTMLElement {
  const element = make('span', { class: `speed-bar ${className}` });
  element.style.setProperty('width', `${(100 * Math.min(share, longest)) / longest}%`);
  return element;
}

/** One time, and below it that of the other machine; where there is only one of them, that one. */
function line(here: Measured | undefined, shared: Measured | undefined): HTMLElement {
  const one = (here ?? shared) as Measured;
  const other = here ? shared : undefined;
  return make(
    'li',
    {},
    make('span', { class: 'name' }, nameOf(one)),
    make(
      'span',
      { class: 'speed-track', 'aria-hidden': 'true' },
      bar(one.ofLimit, one.precision),
      ...(other ? [bar(other.ofLimit, `${other.precision} elsewhere`)] : []),
    ),
    make(
      'span',
      { class: 'amount' },
      make('b', {}, `${timeText(one.milliseconds)} ms`),
      ` ${words.speed.ofLimit(percentText(one.ofLimit))}`,
      ...(other
        ? [
            make(
              'small',
              {},
              ` ${words.speed.shared(timeText(other.milliseconds), percentText(other.ofLimit))}`,
            ),
          ]
        : []),
    ),
  );
}

function drawRow(row: RowName, here: readonly Measured[], shared: readonly Measured[]): HTMLElement[] {
  const of = (all: readonly Measured[]) =>
    new Map(all.filter((one) => one.row === row).map((one) => [nameOf(one), one]));
  const [ours, theirs] = [of(here), of(shared)];
  const names = [...new Set([...ours.keys(), ...theirs.keys()])];
  if (names.length === 0) return [];
  const lines = names.map((name) => line(ours.get(name), theirs.get(name)));
  return [make('h2', {}, rowNames[row]), make('ol', { class: 'speeds' }, ...lines)];
}

const describe = (title: string, { engine, browser, limits }: Report) =>
  make(
    'p',
    { class: 'note' },
    make('b', {}, title),
    ` ${words.speed.described(engine, browser, limits.map(limitText).join(words.speed.with))}`,
  );

/** @param here what this machine has measured so far @param shared what an address brought from another one */
export function drawReports(here: Report | null, shared: Report | null): HTMLElement[] {
  if (!here && !shared) return [];
  const rows = (Object.keys(rowNames) as RowName[]).flatMap((row) =>
    drawRow(row, here?.measured ?? [], shared?.measured ?? []),
  );
  return [
    ...(here ? [describe(words.speed.here, here)] : []),
    ...(shared ? [describe(words.speed.sharedWithYou, shared)] : []),
    ...rows,
    make('p', { class: 'note' }, words.speed.line),
  ];
}
