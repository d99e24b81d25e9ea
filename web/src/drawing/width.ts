/** Follows the width of an element. */

/**
 * Calls back with the width in whole pixels, at first and after each change: in the next frame, for a browser reports an
 * error where what is drawn during its layout changes the layout again.
 */
export function onWidthChange(element: HTMLElement, callback: (width: number) => void): void {
  let last = 0;
  new ResizeObserver(([entry]) => {
    const width = Math.floor(entry?.contentRect.width ?? 0);
    if (width === last) return;
    last = width;
    requestAnimationFrame(() => callback(width));
  }).observe(element);
}
