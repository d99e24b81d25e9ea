/** Once, if nobody has touched anything, one word of the first sentence turns into another: the headline, shown. */

/** How long the first sentence stands, in milliseconds. */
const stands = 4000;

const touches = ['pointerdown', 'keydown', 'wheel', 'touchstart', 'focusin', 'hashchange'] as const;

/** @param turn called unless the visitor does something before; where motion is to be reduced, at once */
export function playOpening(turn: () => void): void {
  // Touched while the page's words were on their way, before anybody listened.
  if (navigator.userActivation?.hasBeenActive || scrollY > 0) return;
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
    turn();
    return;
  }
  const stop = () => {
    clearTimeout(timer);
    for (const touch of touches) removeEventListener(touch, stop);
  };
  const timer = setTimeout(() => {
    stop();
    turn();
  }, stands);
  for (const touch of touches) addEventListener(touch, stop, { passive: true });
}
