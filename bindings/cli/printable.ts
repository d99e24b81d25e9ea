/** Text from files, such as the names of tensors, and from models, on its way to a terminal. */

/** One line. Shows control characters as escapes: a terminal would obey them, or let a name look like another. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** A text of any language, in lines: only what a terminal obeys is escaped, as JSON escapes it. */
export function printableText(text: string): string {
  return text.replace(
    /[^\P{Cc}\n\t]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
