/** Writes segments from the leaves of a run. */

import type { Item, Path, Segment } from './segment.js';

/** The effect of a point on the text around it: none, or to part a word, or to end the segment. */
export type Effect = 'joins' | 'parts' | 'ends';

interface Leaf<Node> {
  readonly node: Node;
  readonly path: Path<Node> | null;
  /** `null` for a point. */
  readonly text: string | null;
  /** Whether a tag stands before it that parts a word. */
  readonly isParted: boolean;
}

export class SegmentWriter<Node> {
  readonly #segments: Segment<Node>[] = [];
  #leaves: Leaf<Node>[] = [];
  #isParted = false;
  readonly #keepsLines: boolean;

  /** @param keepsLines whether line breaks are shown as such */
  constructor(keepsLines: boolean) {
    this.#keepsLines = keepsLines;
  }

  addText(node: Node, path: Path<Node> | null, text: string): void {
    this.#leaves.push({ node, path, text, isParted: this.#isParted });
    if (text !== '') this.#isParted = false;
  }

  addPoint(node: Node, path: Path<Node> | null, effect: Effect): void {
    this.#leaves.push({ node, path, text: null, isParted: false });
    if (effect === 'parts') this.#isParted = true;
    if (effect === 'ends') this.#end();
  }

  /** A tag that opens or closes an element. */
  addTag(): void {
    this.#isParted = true;
  }

  finish(): Segment<Node>[] {
    this.#end();
    return this.#segments;
  }

  #end(): void {
    if (this.#leaves.length > 0)
      this.#segments.push(segmentOf(this.#leaves, this.#keepsLines ? neverWraps : wraps));
    this.#leaves = [];
    this.#isParted = false;
  }
}

/** White space with a line break in it, which a page shows as a space. */
const wraps = /[ \t\f]*[\n\r][ \t\f\n\r]*/g;
const neverWraps = /(?!)/g;

/** Line breaks stay before the first and after the last word, where nobody reads them. */
function segmentOf<Node>(leaves: readonly Leaf<Node>[], wrap: RegExp): Segment<Node> {
  const raw = leaves.map(({ text }) => text ?? '').join('');
  const first = raw.length - raw.trimStart().length;
  const last = raw.trimEnd().length;
  let text = '';
  let before = '';
  let at = 0;
  const items: Item<Node>[] = [];
  for (const leaf of leaves) {
    const piece = leaf.text ?? '';
    const [from, to] = [first, last].map((edge) => Math.min(Math.max(edge - at, 0), piece.length)) as [
      number,
      number,
    ];
    const words = piece.slice(from, to).replace(wrap, ' ').replaceAll('\u00AD', '');
    const written = piece.slice(0, from) + words + piece.slice(to);
    const isGlued = leaf.isParted && isWithinWord(before, written);
    if (isGlued) text += ' ';
    // Not looked up in the text: each look into a text that grows costs its length.
    if (written !== '') before = written;
    items.push({
      node: leaf.node,
      path: leaf.path,
      isPoint: leaf.text === null,
      begin: text.length,
      end: text.length + written.length,
      isGlued,
    });
    text += written;
    at += piece.length;
  }
  return { text, items };
}

const spaceless =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const isOfWord = (character: string) => /[\p{L}\p{N}]/u.test(character) && !spaceless.test(character);

/**
 * Whether a word goes on from one text to the next, in a script that parts words by spaces. For a segmenter so it does
 * with a colon or a full stop between the two (UAX 29, WB6).
 */
function isWithinWord(before: string, after: string): boolean {
  const last = [...before.slice(-3).replace(/[:.·]$/, '')].at(-1) ?? '';
  const [first = ''] = after.slice(0, 2);
  return isOfWord(last) && isOfWord(first);
}

/** Whether text of these scripts is written without spaces between words. */
export const isSpaceless = (character: string): boolean => spaceless.test(character);
