/** Once, if nobody has touched anything, one word of the first sentence turns into another: the headline, shown. */

/** How long the first sentence stands, in milliseconds; where motion is to be reduced, nothing changes by itself later. */
const stands = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 4000;

const touches = ['pointerdown', 'keydown', 'wheel', 'touchstart', 'focusin', 'hashchange'] as const;

/** @param turn called unless the visitor does something before */
export function playOpening(turn: () => void): void {
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
