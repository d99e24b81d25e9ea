/** How far attention agrees with causes, as the page says it; the measure is the package's `agreement`. */

import { decimals } from '../words/numbers.js';
import { words } from '../words/words.js';

/** What the number says, for whoever asks. */
export const explanation = words.page.agreementMeans;

/** The number in a word; the limits are those of the page's sentence for it. */
export function agreementWord(value: number | null): string {
  if (value === null) return '–';
  const { hardly, partly, well } = words.page.agreementWords;
  // Word and number are of the same rounding: 0.4 is never called "hardly".
  const rounded = Math.round(value * 10) / 10;
  return rounded < 0.4 ? hardly : rounded <= 0.7 ? partly : well;
}

/** `0.6`, with a minus sign rather than a hyphen; `–` where there is none. */
export const agreementText = (value: number | null): string =>
  value === null ? '–' : decimals((Math.round(value * 10) / 10 + 0).toFixed(1).replace('-', '−'));
