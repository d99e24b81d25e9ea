/** Lecture mode, `?present`: one figure a screen, large type, and the arrow keys from one to the next. */

import { holdAnchor } from './anchor.js';

const forward = ['ArrowRight', 'ArrowDown', 'PageDown', ' '];
const back = ['ArrowLeft', 'ArrowUp', 'PageUp'];

/** What takes the arrow keys for itself. */
const isBusy = (target: EventTarget | null) =>
  target instanceof Element &&
  target.closest('input, select, textarea, [role=group], .heat-map, button') !== null;

export function present(root: HTMLElement): void {
  document.documentElement.classList.add('present');
  addEventListener('keydown', (event) => {
    const step = forward.includes(event.key) ? 1 : back.includes(event.key) ? -1 : 0;
    if (step === 0 || isBusy(event.target) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const sections = [...root.querySelectorAll<HTMLElement>('section:not([hidden])')];
    const tops = sections.map((section) => section.getBoundingClientRect().top);
    // The one at the top of the window, below the bar.
    const current = tops.findLastIndex((top) => top < innerHeight / 3);
    const next = sections[Math.min(sections.length - 1, Math.max(0, current + step))];
    if (next) holdAnchor(next.id);
  });
}
