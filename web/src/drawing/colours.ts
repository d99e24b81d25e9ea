/** The colours of pictures, read from the style sheet, so that a dark page has its own. */

/** Attention weights (0 to 1, by their square root) or signed numbers (-1 to 1). */
export type Scale = 'weight' | 'signed';

/** Red, green and blue of each step, from the lowest to the highest value. */
export type Palette = Uint8ClampedArray;

const steps = 255;

/** From 0 to 1: the square root lets 0.1 be told from 0. */
export const shadeOf = (weight: number) => Math.sqrt(Math.min(1, Math.max(0, weight)));

/** The step of a value in its palette. */
export const stepOf = (scale: Scale, value: number): number =>
  Math.round((scale === 'weight' ? shadeOf(value) : (Math.min(1, Math.max(-1, value)) + 1) / 2) * steps);

const palettes = new Map<Scale, Palette>();
const listeners = new Set<() => void>();

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  palettes.clear();
  for (const listener of listeners) listener();
});

/** Calls back when the page turns dark or light. */
export function onSchemeChange(listener: () => void): void {
  listeners.add(listener);
}

/** A colour of the style sheet, by the name of its property: `--query`. */
export const colour = (property: string) =>
  getComputedStyle(document.documentElement).getPropertyValue(property).trim();

export function palette(scale: Scale): Palette {
  const known = palettes.get(scale);
  if (known) return known;
  const stops = scale === 'weight' ? ['--heat-none', '--heat-all'] : ['--negative', '--zero', '--positive'];
  const canvas = new OffscreenCanvas(steps + 1, 1);
  const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
  const gradient = context.createLinearGradient(0, 0, steps + 1, 0);
  for (const [i, property] of stops.entries())
    gradient.addColorStop(i / (stops.length - 1), colour(property));
  context.fillStyle = gradient;
  context.fillRect(0, 0, steps + 1, 1);
  const made = context.getImageData(0, 0, steps + 1, 1).data;
  palettes.set(scale, made);
  return made;
}

/** The colour of a value, as in CSS. */
export function cssColour(scale: Scale, value: number): string {
  const colours = palette(scale);
  const at = stepOf(scale, value) * 4;
  return `rgb(${colours[at]} ${colours[at + 1]} ${colours[at + 2]})`;
}

/** The share of light that a colour reflects, as WCAG defines it. */
function luminance(red: number, green: number, blue: number): number {
  const linear = (byte: number) => {
    const share = byte / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** The colour of text on the colour of a value: black or white, of which one always has a contrast of at least 4.5. */
export function inkOn(scale: Scale, value: number): string {
  const colours = palette(scale);
  const at = stepOf(scale, value) * 4;
  return luminance(colours[at] ?? 0, colours[at + 1] ?? 0, colours[at + 2] ?? 0) > 0.179 ? '#000' : '#fff';
}
