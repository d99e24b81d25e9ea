/** Where tokens touch: "L'" and "animal", "large" and ".", the pieces of one word. */

export interface Piece {
  /** The token as it stands in the text, with the text's capitals. */
  readonly text: string;
  /** Whether there is no space between it and the token before. */
  readonly isGlued: boolean;
}

/** Finds the tokens in their text, one after the other; what is not there (the end, for one) stands apart. */
export function piecesOf(text: string, labels: readonly string[]): Piece[] {
  const lower = text.toLowerCase();
  let at = 0;
  /** What stands apart ends what the next token could touch. */
  let isInText = false;
  return labels.map((label) => {
    const plain = label.replace(/^##/, '');
    const found = lower.indexOf(plain.toLowerCase(), at);
    const between = found < 0 ? ' ' : text.slice(at, found);
    if (found < 0 || between.trim() !== '') {
      isInText = false;
      return { text: plain, isGlued: false };
    }
    at = found + plain.length;
    const isGlued = isInText && between === '';
    isInText = true;
    return { text: text.slice(found, at), isGlued };
  });
}
