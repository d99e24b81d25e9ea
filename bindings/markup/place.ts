/**
 * Puts tags back into a translation: each word gets the elements of the source word that it stands for. A pure function
 * of texts and ranges. As in bergamot, an element none of whose words has an heir stays as an empty pair where it was;
 * but not a link, which gets the word that looks at it most.
 */

import { keepLinks } from './keep_links.js';
import { type AlignedText, type PlacedWord, wordsOf } from './placed_words.js';
import { commonPath, type Item, type Path, type Segment } from './segment.js';
import { spacesAround } from './spaces.js';

/** A piece of the translation. */
export interface Piece<Node> {
  /** The word that it stands for; `null` for white space between two. */
  readonly item: Item<Node> | null;
  readonly path: Path<Node> | null;
  /** Empty for a point. */
  text: string;
}

/** @throws TransformerError `unsupported` if tags have to be placed, but the translation is not aligned. */
export function placeTags<Node>(segment: Segment<Node>, translation: AlignedText): Piece<Node>[] {
  const words = keepLinks(segment, wordsOf(segment, translation), translation);
  const isSkipped = skippedItems(segment.items, words);
  const { items } = segment;
  const writer = new PieceWriter(commonPath(items[0]?.path ?? null, items.at(-1)?.path ?? null));
  const { text } = translation;
  let next = 0;
  let at = 0;
  let last = -1;
  const ends: PlacedWord = { begin: text.length, end: text.length, item: segment.items.length };
  for (const { begin, end, item } of [...words, ends]) {
    const skipped = segment.items.slice(next, item).filter(isSkipped);
    next = Math.max(next, item + 1);
    const spaces = spacesAround(segment, skipped, { text, begin: at, end: begin });
    for (const [i, one] of skipped.entries()) writer.add(one, spaces[i] ?? '', '');
    const own = segment.items[item];
    const isGlued = own?.isGlued && last >= 0 && isTextBefore(segment.items, last, item);
    last = item;
    if (own) writer.add(own, isGlued ? '' : (spaces.at(-1) ?? ''), text.slice(begin, end));
    else writer.finish(spaces.at(-1) ?? '', segment.items.at(-1)?.path ?? null);
    at = end;
  }
  return writer.pieces;
}

/** Whether between two texts there is no other. */
function isTextBefore(items: readonly Item<unknown>[], before: number, item: number): boolean {
  let place = item - 1;
  while (place > before && items[place]?.isPoint) place--;
  return place === before;
}

/** Whether an item is put in where it was passed over: a point, or a text that takes an element with it. */
function skippedItems<Node>(
  items: readonly Item<Node>[],
  words: readonly PlacedWord[],
): (item: Item<Node>) => boolean {
  const present = new Set<Node>();
  const addAll = (path: Path<Node> | null) => {
    for (let one = path; one && !present.has(one.node); one = one.parent) present.add(one.node);
  };
  for (const { item } of words) addAll(items[item]?.path ?? null);
  for (const { isPoint, path } of items) if (isPoint) addAll(path);
  const lost = new Set<Item<Node>>();
  for (const item of items) {
    if (item.isPoint || item.path === null || present.has(item.path.node)) continue;
    lost.add(item);
    addAll(item.path);
  }
  return (item) => item.isPoint || lost.has(item);
}

/** Writes pieces in order. Elements close before white space and open after it. */
class PieceWriter<Node> {
  readonly pieces: Piece<Node>[] = [];
  readonly #around: Path<Node> | null;

  /** @param around the elements around all of the segment */
  constructor(around: Path<Node> | null) {
    this.#around = around;
  }

  add(item: Item<Node>, space: string, text: string): void {
    const last = this.pieces.at(-1);
    // White space at the beginning is in no element of the text: what begins the text begins the first one, too.
    const path = last ? commonPath(last.path, item.path) : this.#around;
    const own = this.#addSpace(space, path) ? '' : space;
    const isWithin = !item.isPoint && path?.node === item.path?.node;
    if (last?.item === item) last.text += own + text;
    else if (isWithin) this.pieces.push({ item, path, text: own + text });
    else {
      if (own !== '') this.pieces.push({ item: null, path, text: own });
      this.pieces.push({ item, path: item.path, text });
    }
  }

  /** @param path of the last item of the source */
  finish(space: string, path: Path<Node> | null): void {
    const common = commonPath(this.pieces.at(-1)?.path ?? null, path);
    if (!this.#addSpace(space, common)) this.pieces.push({ item: null, path: common, text: space });
  }

  /** Appends white space to the last text, if that is where it belongs. */
  #addSpace(space: string, path: Path<Node> | null): boolean {
    if (space === '') return true;
    const last = this.pieces.at(-1);
    if (!last || last.item?.isPoint || last.path?.node !== path?.node) return false;
    last.text += space;
    return true;
  }
}
