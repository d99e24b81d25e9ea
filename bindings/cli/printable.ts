/** Text from files, such as the names of tensors, on its way to a terminal. */

/** One line. Shows control characters as escapes: a terminal would obey them, or let a name look like another. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
