/** A canvas as sharp as the screen, empty, in pixels of the page. Its memory is taken anew only where its size has changed. */
export function sized(
  canvas: HTMLCanvasElement,
  context: CanvasRenderingContext2D,
  [width, height]: readonly [number, number],
): void {
  const ratio = Math.min(3, devicePixelRatio || 1);
  const [across, down] = [Math.floor(width * ratio), Math.floor(height * ratio)];
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across;
    canvas.height = down;
  }
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, across, down);
  context.scale(ratio, ratio);
}
