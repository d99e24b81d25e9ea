/** Keeps a view, or something in it, in place while the views above it are still growing. */

import { find } from '../drawing/dom.js';

const touches = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/** How long the page may grow by itself, in milliseconds. */
const settles = 6000;

/** Scrolls to a view, and again whenever the page grows, until the visitor scrolls. */
export function holdAnchor(id: string): void {
  hold(() => document.getElementById(id)?.scrollIntoView({ behavior: 'instant' }));
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
  let top = 0;
  const put = () => {
    scroll();
    top = scrollY;
  };
  const observer = new ResizeObserver(put);
  // A scroll bar or a screen reader scrolls without a touch.
  const scrolled = () => {
    if (Math.abs(scrollY - top) > 1) stop();
  };
  const stop = () => {
    clearTimeout(timer);
    observer.disconnect();
    removeEventListener('scroll', scrolled);
    for (const touch of touches) removeEventListener(touch, stop);
    root.style.removeProperty('overflow-anchor');
    history.scrollRestoration = 'auto';
  };
  const timer = setTimeout(stop, settles);
  release = stop;
  // Meanwhile the browser itself moves nothing, so that whatever scrolls is the visitor.
  root.style.setProperty('overflow-anchor', 'none');
  history.scrollRestoration = 'manual';
  observer.observe(find('main'));
  addEventListener('scroll', scrolled, { passive: true });
  for (const touch of touches) addEventListener(touch, stop, { passive: true });
  put();
}
