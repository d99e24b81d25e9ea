/** Letters with and without a case, and digits, as Python sees them. */

/** Upper-cases the first letter and lower-cases the others. */
export function capitalize(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length).toLowerCase();
}

/** Upper-cases the letters that begin a word; letters without a case end one. */
export function title(text: string): string {
  return text.replace(
    /(\p{Cased})(\p{Cased}*)/gu,
    (_word, first: string, rest: string) => first.toUpperCase() + rest.toLowerCase(),
  );
}

/** A final sigma becomes the one that is written there. */
export const swapCase = (text: string): string =>
  text.replace(/\p{Cased}/gu, (letter, at: number) => {
    if (letter !== 'Σ') return /\p{Uppercase}/u.test(letter) ? letter.toLowerCase() : letter.toUpperCase();
    const isFinal = /\p{Cased}Σ(?!\p{Cased})/u.test(text.slice(Math.max(0, at - 2), at + 3));
    return isFinal ? 'ς' : 'σ';
  });

/** Whether there are letters with a case, and all of them are capitals. */
export const isUpper = (text: string): boolean =>
  /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text);

export const isLower = (text: string): boolean =>
  /\p{Lowercase}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text);

/** Digits that are no decimals, and letters of Chinese that are numbers, within brackets of a regular expression. */
export const digits = '²³¹፩-፱᧚⁰⁴-⁹₀-₉①-⑨⑴-⑼⒈-⒐⓪⓵-⓽⓿❶-❾➀-➈➊-➒';
export const numerals = '〇一二三四五六七八九十百千万億兆零';
