/** A text that was changed on its way to the tokens, aligned with the original. */

/** `[begin, end)` in UTF-16 units, as `text.slice` takes them. */
export type Span = [begin: number, end: number];

export interface AlignedText {
  readonly text: string;
  /** For each unit of `text`, the range of the original that it stands for; empty for an inserted unit. */
  readonly begins: readonly number[];
  readonly ends: readonly number[];
}

/** Builds an aligned text. */
export class AlignedTextBuilder implements AlignedText {
  text = '';
  readonly begins: number[] = [];
  readonly ends: number[] = [];

  /** Appends `text`, which stands for `[begin, end)` of the original. */
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
 * The range of the original that `[begin, end)` of a changed text stands for, without the space before or after the
 * word that belongs to its token; `null` if the token has no text of its own.
 *
 * @param shift offset of the original within the whole text
 */
export function spanOf(aligned: AlignedText, [begin, end]: Span, shift = 0): Span | null {
  let [first, last] = [begin, end - 1];
  while (first < last && isSpace(aligned.text[first])) first++;
  while (last > first && isSpace(aligned.text[last])) last--;
  // Only spaces: their range, apart from an inserted one.
  if (isSpace(aligned.text[first])) [first, last] = [begin, end - 1];
  while (first < last && aligned.begins[first] === aligned.ends[first]) first++;
  const from = aligned.begins[first];
  const to = aligned.ends[last];
  if (from === undefined || to === undefined || to <= from) return null;
  return [from + shift, to + shift];
}
