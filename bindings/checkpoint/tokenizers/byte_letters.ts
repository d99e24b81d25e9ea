/** The characters that stand for bytes in a byte-level vocabulary, as GPT-2 chose them. */

const letters: readonly string[] = (() => {
  let others = 0;
  return Array.from({ length: 256 }, (_, byte) => {
    // Printable characters stand for themselves; those from U+0100 on stand for the others.
    const isPrintable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    return String.fromCodePoint(isPrintable ? byte : 256 + others++);
  });
})();

const bytes: ReadonlyMap<string, number> = new Map(letters.map((letter, byte) => [letter, byte]));

/** A text with a letter in the place of each of its bytes. */
export const lettersOfText = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => letters[byte]).join('');

/** The text whose bytes a word spells. */
export const textOfLetters = (word: string): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(
    Uint8Array.from(word, (character) => bytes.get(character) ?? 0),
  );
