/** How the reader's language writes numbers. */

import { language } from './words.js';

const point =
  new Intl.NumberFormat(language).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';

/** What stands between numbers: a comma, where the numbers themselves have none. */
export const separator = point === ',' ? '; ' : ', ';

/** What follows the number of a percentage. No line begins with it, and Chinese has no space before it. */
export const percentSign = language === 'zh' ? '%' : '\u00a0%';

/** `0.27` as the reader writes it: `0,27` */
export const decimals = (text: string): string => text.replace('.', point);

/** `1, 2 and 3` */
export const listed = (items: readonly (string | number)[]): string =>
  new Intl.ListFormat(language).format(items.map(String));

/** `1,679,872` */
export const grouped = (count: number): string => count.toLocaleString(language);
