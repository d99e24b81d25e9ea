/**
 * How strongly a weight is coloured. The shade is the square root of the weight, so that 0.1 can be told from 0; the legend
 * uses the same scale. Shades are CSS classes in small steps rather than one colour per cell: a long sentence has tens of
 * thousands of cells, and this way the browser computes each colour only once.
 */

const steps = 50;

const sheet = new CSSStyleSheet();
for (let i = 0; i <= steps; i++) sheet.insertRule(`.shade-${i} { --shade: ${i / steps} }`);
document.adoptedStyleSheets.push(sheet);

/** From 0 to 1. */
export const shadeOf = (weight: number) => Math.sqrt(weight);

/** The CSS classes of a weight; `strong` inverts the colour of the text on it. */
export function shadeClass(weight: number): string {
  const step = Math.round(shadeOf(weight) * steps);
  return weight > 0.32 ? `shade-${step} strong` : `shade-${step}`;
}
