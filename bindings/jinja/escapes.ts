/** Escapes in strings, as in Python. */

const simple: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/**
 * The string that is written so; unknown escapes stay as they are.
 *
 * @throws Error for an escape that is cut off, and for characters by their names, of which there are too many to know
 */
export function withoutEscapes(written: string): string {
  return written.replace(
    /\\(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|([0-7]{1,3})|([\s\S]))/g,
    (whole, ...groups: (string | undefined)[]) => {
      const [two, four, eight, octal, letter] = groups;
      const hexadecimal = two ?? four ?? eight;
      if (letter !== undefined && 'xuUN'.includes(letter))
        throw new Error(`the escape ${whole} is not complete`);
      if (letter !== undefined) return Object.hasOwn(simple, letter) ? (simple[letter] ?? '') : whole;
      const code = octal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number.parseInt(octal, 8);
      if (code > 0x10ffff) throw new Error(`${whole} is not a character`);
      return String.fromCodePoint(code);
    },
  );
}

const written: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Python's `repr` of a string. */
export function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(/[\\\n\r\t'\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, (character) => {
    if (character === "'") return quote === "'" ? "\\'" : character;
    return written[character] ?? escapeOf(character.codePointAt(0) ?? 0);
  });
  return quote + escaped + quote;
}

/** A character as `\x`, `\u` or `\U`. */
export function escapeOf(code: number): string {
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000
    ? `\\u${code.toString(16).padStart(4, '0')}`
    : `\\U${code.toString(16).padStart(8, '0')}`;
}
