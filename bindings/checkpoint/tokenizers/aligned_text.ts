/** A text that was changed before it was cut into tokens, and where each of its units comes from. */

/** `[begin, end)` in UTF-16 units, as `text.slice` takes them. */
export type Span = [begin: number, end: number];

export interface AlignedText {
  readonly text: string;
  /** For each unit of `text`, the part of the original that it stands for; empty for a unit that was added. */
  readonly begins: readonly number[];
  readonly ends: readonly number[];
}

/** A text under construction. */
export class AlignedTextBuilder implements AlignedText {
  text = '';
  readonly begins: number[] = [];
  readonly ends: number[] = [];

  /** Adds what stands for `[begin, end)` of the original. */
  add(piece: string, begin: number, end: number): void {
    this.text += piece;
    for (let i = 0; i < piece.length; i++) {
      this.begins.push(begin);
      this.ends.push(end);
    }
  }

  dropLast(units: number): void {
    this.text = this.text.slice(0, this.text.length - units);
    this.begins.length = this.text.length;
    this.ends.length = this.text.length;
  }
}

const isSpace = (character: string | undefined) => character === '\u2581' || /^\s$/.test(character ?? '');

/**
 * Where `[begin, end)` of a changed text is in the original, without the spaces around a word that are part of its
 * token; `null` for what has no text of its own.
 *
 * @param shift where the original begins in the whole text
 */
export function spanOf(aligned: AlignedText, [begin, end]: Span, shift = 0): Span | null {
  let [first, last] = [begin, end - 1];
  while (first < last && isSpace(aligned.text[first])) first++;
  while (last > first && isSpace(aligned.text[last])) last--;
  // Nothing but spaces: their place, except for added ones.
  if (isSpace(aligned.text[first])) [first, last] = [begin, end - 1];
  while (first < last && aligned.begins[first] === aligned.ends[first]) first++;
  const from = aligned.begins[first];
  const to = aligned.ends[last];
  if (from === undefined || to === undefined || to <= from) return null;
  return [from + shift, to + shift];
}
