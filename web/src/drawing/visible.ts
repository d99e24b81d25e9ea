/** Follows whether an element is in sight. */

/**
 * Calls back at first and whenever the element comes into sight or leaves it. A busy browser hands over several records at
 * once, oldest first: only the last one still holds.
 *
 * @param margin how far outside the window still counts as in sight
 */
export function onSightChange(
  element: Element,
  callback: (isInSight: boolean) => void,
  margin = '0px',
): void {
  new IntersectionObserver((records) => callback(records.at(-1)?.isIntersecting ?? false), {
    rootMargin: margin,
  }).observe(element);
}
