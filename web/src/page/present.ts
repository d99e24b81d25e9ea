/**
 * Lecture mode, `?present`: one figure a screen, large type, and the space bar or the arrow keys from one to the next. A
 * figure that is higher than the screen is made smaller as a whole.
 */

import { holdAnchor } from './anchor.js';

const forward = ['ArrowRight', 'ArrowDown', 'PageDown', ' '];
const back = ['ArrowLeft', 'ArrowUp', 'PageUp'];

/** What takes the arrow keys for itself. */
const isBusy = (target: EventTarget | null) =>
  target instanceof Element &&
  target.closest('input, select, textarea, [role=group], .heat-map, button') !== null;

/** The height that a figure may have, in pixels; of a lower screen, what its heading leaves. */
const mostHigh = 720;
const headingHigh = 220;

/** Fits each figure to the screen, when it is drawn and when the screen changes. */
function fitFigures(root: HTMLElement): void {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) fitFigure(target.parentElement as HTMLElement);
  });
  const watch = () => {
    for (const figure of root.querySelectorAll('.picture')) {
      for (const child of figure.children) observer.observe(child);
    }
  };
  new MutationObserver(watch).observe(root, { childList: true, subtree: true });
  addEventListener('resize', () => {
    for (const figure of root.querySelectorAll<HTMLElement>('.picture')) fitFigure(figure);
  });
}

function fitFigure(figure: HTMLElement): void {
  const room = Math.max(240, Math.min(mostHigh, innerHeight - headingHigh));
  const share = Math.min(1, room / Math.max(1, figure.scrollHeight));
  // What fits by a hair does not go back and forth.
  if (Math.abs(share - Number(figure.style.zoom || 1)) > 0.02) figure.style.zoom = share.toFixed(2);
}

export function present(root: HTMLElement): void {
  document.documentElement.classList.add('present');
  fitFigures(root);
  addEventListener('keydown', (event) => {
    const step = forward.includes(event.key) ? 1 : back.includes(event.key) ? -1 : 0;
    if (step === 0 || isBusy(event.target) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    // Not those of closed cards.
    const sections = [...root.querySelectorAll<HTMLElement>('section')].filter((section) =>
      section.checkVisibility(),
    );
    const tops = sections.map((section) => section.getBoundingClientRect().top);
    // The one at the top of the window, below the bar.
    const current = tops.findLastIndex((top) => top < innerHeight / 3);
    const next = sections[Math.min(sections.length - 1, Math.max(0, current + step))];
    if (next) holdAnchor(next.id);
  });
}
