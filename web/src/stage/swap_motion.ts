/** The movement of a swap: the word is struck through and typed anew, the pronoun falls, the ribbons follow. */

import { make } from '../drawing/dom.js';
import type { Changes } from './swap.js';

/** How long a swap takes in milliseconds: the opening's, and one by hand. */
export const durations = { opening: 1400, byHand: 700 } as const;

const easing = 'cubic-bezier(.2,.7,.2,1)';
const touches = ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const;

export const isStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

export interface Slots {
  readonly english: readonly HTMLElement[];
  readonly french: readonly HTMLElement[];
}

/** The words before the swap, to be kept until they have gone. */
export interface Former {
  readonly changes: Changes;
  readonly slots: Slots;
}

/** The width of words that change into each other is that of the longer one, so that no other word moves. */
export function reserveWidths({ changes, slots }: Former, next: Slots): void {
  for (const row of ['english', 'french'] as const) {
    for (const i of changes[row]) {
      const [former, word] = [slots[row][i], next[row][i]?.querySelector<HTMLElement>('.word')];
      const width = former?.querySelector('.word')?.getBoundingClientRect().width ?? 0;
      const size = former ? Number.parseFloat(getComputedStyle(former).fontSize) : 1;
      // In the words' own unit: their size may change with the window.
      if (width > 0) word?.style.setProperty('min-width', `${(width / size).toFixed(3)}em`);
    }
  }
}

/** Moves the swap; a touch ends it in its last state. @param root the loom and what is said of it */
export function playSwap(root: HTMLElement, former: Former, next: Slots, duration: number): void {
  root.style.setProperty('--swap', `${duration}ms`);
  root.classList.add('swapping');
  const at = (begin: number, end: number) => ({
    delay: begin * duration,
    duration: (end - begin) * duration,
    fill: 'both' as const,
    easing,
  });
  for (const i of former.changes.english) exchange(former.slots.english[i], next.english[i], at);
  for (const [turn, i] of former.changes.french.entries())
    fall(
      former.slots.french[i],
      next.french[i],
      at(0.43 + 0.086 * Math.min(turn, 2), 0.79 + 0.086 * Math.min(turn, 2)),
    );
  root.querySelector('.claim')?.animate([{ opacity: 0 }, { opacity: 1 }], at(0.7, 1));
  const end = () => {
    clearTimeout(timer);
    for (const touch of touches) removeEventListener(touch, end);
    for (const animation of root.getAnimations({ subtree: true })) animation.finish();
    root.classList.remove('swapping');
    for (const leaving of root.querySelectorAll('.leaving')) leaving.remove();
  };
  const timer = setTimeout(end, duration + 60);
  for (const touch of touches) addEventListener(touch, end, { passive: true });
}

type Timing = (begin: number, end: number) => KeyframeAnimationOptions;

const wordOf = (slot: HTMLElement | undefined) => slot?.querySelector<HTMLElement>('.word');

/** The former word over the place of the new one. */
function leavingWord(former: HTMLElement, word: HTMLElement): HTMLElement {
  const leaving = make(
    'span',
    { class: `leaving ${former.className.replace(/\bword\b/, '')}`, 'aria-hidden': 'true' },
    former.textContent ?? '',
  );
  word.after(leaving);
  return leaving;
}

/** Struck through, then typed. */
function exchange(former: HTMLElement | undefined, slot: HTMLElement | undefined, at: Timing): void {
  const [before, word] = [wordOf(former), wordOf(slot)];
  if (!before || !word) return;
  const leaving = leavingWord(before, word);
  leaving.classList.add('struck');
  leaving.animate([{ backgroundSize: '0 2px' }, { backgroundSize: '100% 2px' }], at(0, 0.17));
  leaving.animate([{ opacity: 1 }, { opacity: 0 }], at(0.17, 0.2));
  const letters = Math.max(1, word.textContent?.length ?? 1);
  word.animate([{ clipPath: 'inset(-8px 100% -8px -8px)' }, { clipPath: 'inset(-8px -8px -8px -8px)' }], {
    ...at(0.18, 0.43),
    easing: `steps(${letters})`,
  });
}

/** The former word sinks and fades; the new one rises into its place. */
function fall(
  former: HTMLElement | undefined,
  slot: HTMLElement | undefined,
  timing: KeyframeAnimationOptions,
): void {
  const [before, word] = [wordOf(former), wordOf(slot)];
  if (!before || !word) return;
  leavingWord(before, word).animate(
    [
      { opacity: 1, transform: 'none' },
      { opacity: 0, transform: 'translateY(6px)' },
    ],
    timing,
  );
  word.animate(
    [
      { opacity: 0, transform: 'translateY(6px)' },
      { opacity: 1, transform: 'none' },
    ],
    timing,
  );
}

/** Where nothing is to move: the former pronoun stays beside the new one, struck through. */
export function keepFormer({ changes, slots }: Former, next: Slots): void {
  for (const i of changes.french) {
    const [before, word] = [wordOf(slots.french[i]), wordOf(next.french[i])];
    if (before?.classList.contains('pronoun'))
      word?.before(make('s', { class: 'former' }, before.textContent ?? ''));
  }
}
