/** The characters that represent bytes in a byte-level vocabulary, as GPT-2 defined them. */

const letters: readonly string[] = (() => {
  let others = 0;
  return Array.from({ length: 256 }, (_, byte) => {
    // Printable characters represent themselves; those from U+0100 on represent the others.
    const isPrintable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    return String.fromCodePoint(isPrintable ? byte : 256 + others++);
  });
})();

const bytes: ReadonlyMap<string, number> = new Map(letters.map((letter, byte) => [letter, byte]));

/** Replaces each byte of a text with its character. */
export const lettersOfText = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => letters[byte]).join('');

/** The byte that a character stands for; undefined for any other. */
export const byteOfLetter = (letter: string): number | undefined => bytes.get(letter);
