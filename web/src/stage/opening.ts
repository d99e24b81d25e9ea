/** Once, if nobody has touched anything, one word of the first sentence turns into another: the headline, shown. */

/** How long the first sentence stands, in milliseconds. */
const stands = 4000;

/** @param turn called unless the visitor does something before; where motion is to be reduced, at once */
export function playOpening(turn: () => void): void {
  const isTouched = () => scrollY > 0 || 'touched' in document.documentElement.dataset; // set by early.js
  if (isTouched()) return;
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) turn();
  else setTimeout(() => isTouched() || turn(), stands);
}
