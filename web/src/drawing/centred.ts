/** Scrolls a part sideways, and nothing else on the page: what it is about stands in its middle. */
export function centre(scroller: HTMLElement, element: Element | null | undefined): void {
  if (!element || scroller.scrollWidth <= scroller.clientWidth) return;
  const [outer, inner] = [scroller.getBoundingClientRect(), element.getBoundingClientRect()];
  const middle = inner.left + inner.width / 2 - outer.left - scroller.clientWidth / 2;
  scroller.scrollTo({ left: scroller.scrollLeft + middle, behavior: 'instant' });
}

/** The same, but the element stands at the left, after some of what comes before it. */
export function lead(scroller: HTMLElement, element: Element | null | undefined, before = 48): void {
  if (!element || scroller.scrollWidth <= scroller.clientWidth) return;
  const left = element.getBoundingClientRect().left - scroller.getBoundingClientRect().left - before;
  scroller.scrollTo({ left: scroller.scrollLeft + left, behavior: 'instant' });
}
