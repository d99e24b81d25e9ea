/** A text that was changed on its way to the tokens, aligned with the original. */

/** `[begin, end)` in UTF-16 units, as `text.slice` takes them. */
export type Span = [begin: number, end: number];

export interface AlignedText {
  readonly text: string;
  /** For each unit of `text`, the range of the original that it stands for; empty for an inserted unit. */
  readonly begins: ArrayLike<number>;
  readonly ends: ArrayLike<number>;
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

  /** Appends what stands at a unit of another text, as another piece. */
  addAs(piece: string, { begins, ends }: AlignedText, unit: number): void {
    this.add(piece, begins[unit] ?? 0, ends[unit] ?? 0);
  }

  /** Appends a part of another text. */
  addPart({ text, begins, ends }: AlignedText, from: number, to: number): void {
    this.text += text.slice(from, to);
    for (let i = from; i < to; i++) {
      this.begins.push(begins[i] ?? 0);
      this.ends.push(ends[i] ?? 0);
    }
  }

  dropLast(units: number): void {
    this.text = this.text.slice(0, this.text.length - units);
    this.begins.length = this.text.length;
    this.ends.length = this.text.length;
  }
}

/** A text as it is; each unit stands for its character. */
export function alignedText(text: string): AlignedText {
  const begins = new Int32Array(text.length);
  const ends = new Int32Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const isPair = (text.codePointAt(i) ?? 0) > 0xffff;
    begins[i] = i;
    ends[i] = i + (isPair ? 2 : 1);
    if (!isPair) continue;
    begins[++i] = i - 1;
    ends[i] = i + 1;
  }
  return { text, begins, ends };
}

/** A part of a text. */
export function partOf({ text, begins, ends }: AlignedText, from: number, to: number): AlignedText {
  if (from === 0 && to === text.length) return { text, begins, ends };
  const cut = (values: ArrayLike<number>) =>
    values instanceof Int32Array ? values.subarray(from, to) : Array.prototype.slice.call(values, from, to);
  return { text: text.slice(from, to), begins: cut(begins), ends: cut(ends) };
}

/** The range of the original that `[begin, end)` stands for, without white space at its ends; `null` for none. */
export function placeIn(
  original: string,
  { begins, ends }: AlignedText,
  begin: number,
  end: number,
): Span | null {
  if (end <= begin) return null;
  let [from, to] = [begins[begin] ?? 0, ends[end - 1] ?? 0];
  if (to <= from) return null;
  const [first, last] = [from, to];
  while (from < to && isWhite(original[from])) from++;
  while (to > from && isWhite(original[to - 1])) to--;
  return from < to ? [from, to] : [first, last];
}

const isWhite = (character: string | undefined) => /^\s$/.test(character ?? '');

const isSpace = (character: string | undefined) => character === '\u2581' || isWhite(character);

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
