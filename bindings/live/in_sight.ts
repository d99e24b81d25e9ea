/** Translates first what the reader sees. */

import { getBoundingClientRect } from '../markup/dom.js';

/** Things in elements: those in sight first, else in their order. */
export function inSightFirst<T extends { readonly container: Element }>(things: readonly T[]): T[] {
  const seen = new Map<Element, boolean>();
  const isSeen = ({ container }: T) => {
    const known = seen.get(container) ?? isInSight(container);
    seen.set(container, known);
    return known;
  };
  return [...things.filter(isSeen), ...things.filter((thing) => !isSeen(thing))];
}

function isInSight(element: Element): boolean {
  const { top, bottom, left, right, width, height } = getBoundingClientRect(element);
  const isShown = width > 0 || height > 0;
  return isShown && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
}
