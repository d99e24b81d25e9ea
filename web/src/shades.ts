/**
 * How strongly a weight is coloured. The shade is its square root, so that a tenth can be told from nothing; the legend's
 * marks say the same. Shades are classes in small steps and not a colour for each cell: the cells of a long sentence are
 * tens of thousands, and so the browser works out each colour only once.
 */

const steps = 50;

const sheet = new CSSStyleSheet();
for (let i = 0; i <= steps; i++) sheet.insertRule(`.shade-${i} { --shade: ${i / steps} }`);
document.adoptedStyleSheets.push(sheet);

/** From 0 to 1. */
export const shadeOf = (weight: number) => Math.sqrt(weight);

/** The classes for the colour of a weight; `strong` where text on it must be in the opposite colour. */
export function shadeClass(weight: number): string {
  const step = Math.round(shadeOf(weight) * steps);
  return weight > 0.32 ? `shade-${step} strong` : `shade-${step}`;
}
