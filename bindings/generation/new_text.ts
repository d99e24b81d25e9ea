/** How much of a text that continues an earlier one is new. */

/**
 * The number of characters that a text shares with the text of its first ids. That is not always the whole of the
 * earlier text: a character of several bytes may have been incomplete, or a space is cleaned up before punctuation.
 */
export function sharedLength(before: string, text: string): number {
  let length = 0;
  while (length < before.length && before[length] === text[length]) length++;
  return length;
}

/** The text that the ids after those of an earlier text add to it. */
export const newText = (before: string, text: string): string => text.slice(sharedLength(before, text));
