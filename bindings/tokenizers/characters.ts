/** The character (code point) that begins at an offset of a text; a lone surrogate counts as one. Empty at the end. */
export function characterAt(text: string, begin: number): string {
  const code = text.codePointAt(begin);
  return code === undefined ? '' : String.fromCodePoint(code);
}
