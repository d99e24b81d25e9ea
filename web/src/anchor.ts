/** Keeps the view that the address names in place while the views above it are still growing. */

const touches = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/** How long the page may grow by itself, in milliseconds. */
const settles = 6000;

/** Scrolls to a view, and again whenever the page grows, until the visitor scrolls. */
export function holdAnchor(root: HTMLElement, id: string): void {
  const target = document.getElementById(id);
  if (!target) return;
  const scroll = () => target.scrollIntoView({ behavior: 'instant' });
  const observer = new ResizeObserver(scroll);
  const stop = () => {
    observer.disconnect();
    for (const touch of touches) removeEventListener(touch, stop);
  };
  observer.observe(root);
  for (const touch of touches) addEventListener(touch, stop, { passive: true });
  setTimeout(stop, settles);
  scroll();
}
