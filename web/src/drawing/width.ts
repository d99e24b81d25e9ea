/** Follows the sizes of elements. */

/**
 * Calls back at first and after each change of size, before it is painted. Between a change and the next frame nothing is
 * observed: WebKit measures an element whose content was just replaced without it, and lays it out afterwards. While that
 * is observed, every such text raises 'ResizeObserver loop completed with undelivered notifications'.
 *
 * @returns ends it
 */
export function onSizeChange(
  elements: Iterable<Element>,
  callback: (changed: ResizeObserverEntry[]) => void,
): () => void {
  const observed = [...elements];
  const sizes = new Map<Element, string>();
  const isNew = ({ target, contentRect: { width, height } }: ResizeObserverEntry) => {
    const size = `${width} ${height}`;
    if (sizes.get(target) === size) return false;
    sizes.set(target, size);
    return true;
  };
  let frame = 0;
  const observer = new ResizeObserver((entries) => {
    const changed = entries.filter(isNew);
    if (changed.length === 0) return;
    observer.disconnect();
    frame = requestAnimationFrame(observe);
    callback(changed);
  });
  const observe = () => {
    for (const element of observed) observer.observe(element);
  };
  observe();
  return () => {
    observer.disconnect();
    cancelAnimationFrame(frame);
  };
}

/**
 * Calls back with the width in whole pixels, at first and after each change: in the next frame, since a browser reports an
 * error where what is drawn during its layout changes the layout again.
 */
export function onWidthChange(element: HTMLElement, callback: (width: number) => void): void {
  let last = 0;
  onSizeChange([element], ([entry]) => {
    const width = Math.floor(entry?.contentRect.width ?? 0);
    if (width === last) return;
    last = width;
    requestAnimationFrame(() => callback(width));
  });
}
