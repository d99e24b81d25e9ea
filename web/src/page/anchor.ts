/**
 * Every jump to a view, or to something in it: it stays in place while the views above it are still growing, however long
 * that takes, until the visitor moves.
 */

import { onSizeChange } from '../drawing/width.js';

/** Whoever goes back in the history is elsewhere, too. */
const moves = ['wheel', 'touchstart', 'pointerdown', 'keydown', 'popstate'] as const;

/** Scrolls to a view, and again whenever the page grows. An id that nothing has leads nowhere. */
export function holdAnchor(id: string): void {
  const view = document.getElementById(id);
  if (view) hold(() => view.scrollIntoView({ behavior: 'instant' }));
}

/** The same for the view that the page's address names: a reload would scroll to where the visitor was before. */
export function arriveAt(id: string): void {
  history.scrollRestoration = 'manual';
  const restore = () =>
    setTimeout(() => {
      history.scrollRestoration = 'auto';
    });
  // The words of the page's language may come after all else.
  if (document.readyState === 'complete') restore();
  else addEventListener('load', restore);
  holdAnchor(id);
}

/** The same for something in a view, which may not be drawn yet. @param selector what is put into the middle */
export function holdInSight(selector: string, view: string): void {
  hold(() => {
    const element = document.querySelector(selector);
    // What is taller than the window is shown from its beginning.
    const isTall = (element?.getBoundingClientRect().height ?? 0) > innerHeight / 2;
    if (element) element.scrollIntoView({ behavior: 'instant', block: isTall ? 'start' : 'center' });
    else document.getElementById(view)?.scrollIntoView({ behavior: 'instant' });
  });
}

let release = () => {};

/** Of several that are held, only the last one counts. */
function hold(scroll: () => void): void {
  release();
  const root = document.documentElement;
  let [top, height] = [0, 0];
  const put = () => {
    scroll();
    top = scrollY;
    height = root.scrollHeight;
  };
  // A scroll bar or a screen reader scrolls without a touch; where the page became too short, it was not the visitor.
  const scrolled = () => {
    const isCut =
      root.scrollHeight < height && scrollY < top && scrollY + innerHeight >= root.scrollHeight - 1;
    if (Math.abs(scrollY - top) > 1 && !isCut) stop();
  };
  // One part may grow by as much as another shrinks.
  const unobserve = onSizeChange(document.querySelectorAll('main, main section'), put);
  const stop = () => {
    unobserve();
    removeEventListener('scroll', scrolled);
    for (const move of moves) removeEventListener(move, stop);
    root.style.removeProperty('overflow-anchor');
  };
  release = stop;
  // Meanwhile the browser itself moves nothing, so that whatever scrolls is the visitor.
  root.style.setProperty('overflow-anchor', 'none');
  addEventListener('scroll', scrolled, { passive: true });
  for (const move of moves) addEventListener(move, stop, { passive: true });
  put();
}
