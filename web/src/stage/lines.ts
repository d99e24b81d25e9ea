/**
 * How the words of a narrow loom stand in lines: a line never breaks inside a word, and the lines above the chosen word
 * leave room for the ribbons that come down to it.
 */

/** Half of that room, in pixels. */
const halfGap = 26;

/** Widths in pixels. */
export interface Measured {
  /** Of each word, with the tokens that are glued to it. */
  readonly widths: readonly number[];
  /** Between two words. */
  readonly space: number;
  /** Of a line. */
  readonly room: number;
}

/** The word that ribbons come down to. */
export interface Target {
  readonly word: number;
  /** Where they reach it, from the word's left. */
  readonly middle: number;
}

/** A word's line, from 0, and its left edge. */
export interface Spot {
  readonly line: number;
  readonly x: number;
}

interface Gap {
  readonly from: number;
  readonly to: number;
}

/**
 * Where each word stands. Of all places where the line of the target could begin, the one with the fewest lines is taken,
 * and of those the one whose lines are filled most evenly.
 */
export function linesOf(measured: Measured, target: Target | null): Spot[] {
  if (!target) return placed(measured, { from: 0, to: measured.widths.length }, null);
  let best: { readonly spots: Spot[]; readonly cost: number } | null = null;
  for (let start = target.word; start >= 0; start--) {
    const own = placed(measured, { from: start, to: measured.widths.length }, null);
    const at = own[target.word - start];
    if (!at || at.line > 0) break;
    const middle = at.x + target.middle;
    const gap = { from: middle - halfGap, to: middle + halfGap };
    const above = placed(measured, { from: 0, to: start }, gap);
    const first = above.length > 0 ? (above.at(-1)?.line ?? 0) + 1 : 0;
    const spots = [...above, ...own.map(({ line, x }) => ({ line: line + first, x }))];
    const cost = costOf(measured, spots);
    if (!best || cost < best.cost) best = { spots, cost };
  }
  return best?.spots ?? placed(measured, { from: 0, to: measured.widths.length }, null);
}

/** The number of lines, and, as a fraction, how much of them but the last is left free. */
function costOf({ widths, room }: Measured, spots: readonly Spot[]): number {
  let free = 0;
  for (const [i, { line, x }] of spots.entries()) {
    const next = spots[i + 1];
    if (next && next.line > line) free += Math.max(0, 1 - (x + (widths[i] ?? 0)) / room) ** 2;
  }
  const lines = (spots.at(-1)?.line ?? 0) + 1;
  return lines + free / (lines + 1);
}

/** One word after the other, from the left; none stands in the gap where it can stand beside it. */
function placed(
  { widths, space, room }: Measured,
  { from, to }: { readonly from: number; readonly to: number },
  gap: Gap | null,
): Spot[] {
  let [line, x] = [0, 0];
  const beside = (at: number, width: number) => (gap && at < gap.to && at + width > gap.from ? gap.to : at);
  return widths.slice(from, to).map((width) => {
    let at = beside(x, width);
    if (x > 0 && at + width > room) {
      line++;
      at = beside(0, width);
    }
    // A word that is too wide for either side stands where it begins.
    if (at + width > room && at > 0) at = 0;
    x = at + width + space;
    return { line, x: at };
  });
}

/** Its width, with what CSS sets before it. */
const widthOf = (slot: HTMLElement) => marginOf(slot) + slot.getBoundingClientRect().width;
const marginOf = (slot: HTMLElement) => Number.parseFloat(getComputedStyle(slot).marginLeft) || 0;
const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

/** The words of a row flow as CSS has them. */
export function clearLines(row: HTMLElement): void {
  for (const { style } of row.children as HTMLCollectionOf<HTMLElement>) {
    style.removeProperty('margin-left');
    style.removeProperty('margin-right');
  }
}

/** Sets the words of a row in lines. @param chosen the slot that ribbons come down to */
export function setLines(row: HTMLElement, chosen: number | null): void {
  clearLines(row);
  const words: HTMLElement[][] = [];
  let target: Target | null = null;
  for (const [i, slot] of ([...row.children] as HTMLElement[]).entries()) {
    const isFirst = words.length === 0 || !slot.classList.contains('glued');
    const word = isFirst ? [] : (words.at(-1) ?? []);
    if (isFirst) words.push(word);
    if (i === chosen) {
      const middle = sum(word.map(widthOf)) + marginOf(slot) + slot.getBoundingClientRect().width / 2;
      target = { word: words.length - 1, middle };
    }
    word.push(slot);
  }
  const widths = words.map((word) => sum(word.map(widthOf)));
  const space = 0.55 * Number.parseFloat(getComputedStyle(row).fontSize);
  const room = row.clientWidth;
  const spots = linesOf({ widths, space, room }, target);
  for (const [i, { line, x }] of spots.entries()) {
    const [before, next] = [spots[i - 1], spots[i + 1]];
    const end = before?.line === line ? before.x + (widths[i - 1] ?? 0) : 0;
    const head = words[i]?.[0];
    const own = i === 0 && head ? marginOf(head) : 0;
    head?.style.setProperty('margin-left', `${own + x - end}px`);
    // What is left of a line belongs to its last word, so that the next one cannot stand there.
    const rest = next && next.line > line ? Math.max(0, room - x - (widths[i] ?? 0) - 0.5) : 0;
    words[i]?.at(-1)?.style.setProperty('margin-right', `${rest}px`);
  }
}
