/**
 * Writes a translated segment into the page. The page's texts and what must not move keep their places; other elements
 * change their order among them. A text is added only where the source has none.
 */

import * as dom from '../markup/dom.js';
import type { Piece } from '../markup/place.js';
import type { Run } from '../markup/runs.js';
import { commonPath, type Path, type Segment } from '../markup/segment.js';
import { layoutOf, type Token } from './layout.js';
import { ledger } from './ledger.js';
import { isHeld, type Siblings, type Written } from './orders.js';

const isText = (node: Node): node is Text => dom.nodeType(node) === 3;

/** The elements that have parts of other segments. */
function sharedElements({ segments }: Run<Node>, place: number): Set<Node> {
  const shared = new Set<Node>();
  const segment = segments[place] as Segment<Node>;
  const add = (a: Path<Node> | null | undefined, b: Path<Node> | null | undefined) => {
    for (let one = commonPath(a ?? null, b ?? null); one; one = one.parent) shared.add(one.node);
  };
  add(segments[place - 1]?.items.at(-1)?.path, segment.items[0]?.path);
  add(segment.items.at(-1)?.path, segments[place + 1]?.items[0]?.path);
  return shared;
}

/**
 * @param place of the segment in its run
 * @param by who writes it, for `isWritten`
 */
export function writeSegment(
  run: Run<Node>,
  place: number,
  pieces: readonly Piece<Node>[],
  by: object,
): void {
  const shared = sharedElements(run, place);
  const segment = run.segments[place] as Segment<Node>;
  const key = segment.items[0]?.node as Node;
  for (const { parent, children, tokens } of layoutOf(run.container, segment, pieces))
    writeChildren({ parent, key, children, shared }, tokens, by);
}

/** Children between two that keep their places: an anchor of the page's framework, a comment, a field. */
interface Section {
  readonly texts: Text[];
  readonly end: Node | null;
}

function writeChildren(siblings: Siblings, tokens: readonly Token[], by: object): void {
  const { children, shared } = siblings;
  const movable = children.filter((node) => !isText(node));
  const stays = (node: Node) => shared.has(node) || isHeld(node);
  // Most elements have a text alone.
  const barriers = new Set(movable.length > 0 ? movable.filter(stays) : []);
  const places = new Map<Node, number>();
  const sections: Section[] = [];
  let texts: Text[] = [];
  for (const node of children) {
    const isAnchor = isText(node) && ledger.source(node) === '';
    if (isAnchor || barriers.has(node)) {
      barriers.add(node);
      sections.push({ texts, end: node });
      texts = [];
    } else if (isText(node)) texts.push(node);
    places.set(node, sections.length);
  }
  sections.push({ texts, end: null });
  const all = inSections(tokens, sections, places, barriers);
  const final = sections.flatMap(({ texts: own, end }, i) => [
    ...linesOf(all[i] ?? [], own),
    ...(end ? [{ node: end, text: null }] : []),
  ]);
  for (const { node, text } of final) if (node && text !== null) ledger.write(node, text, by);
  ledger.arrange(siblings, final, by);
}

/** The tokens of each section: no child leaves its own. */
function inSections(
  tokens: readonly Token[],
  sections: readonly Section[],
  places: ReadonlyMap<Node, number>,
  barriers: ReadonlySet<Node>,
): Token[][] {
  const all: Token[][] = sections.map(() => []);
  let now = 0;
  for (const token of tokens) {
    const { node, text } = token;
    if (text !== null) all[now]?.push(token);
    else if (node && barriers.has(node)) now = Math.max(now, places.get(node) ?? 0);
    else if (node) {
      now = Math.max(now, places.get(node) ?? 0);
      all[places.get(node) ?? 0]?.push(token);
    }
  }
  return all;
}

/** A text with its new characters. Without a node it is one that has to be added. */
interface Line {
  readonly node: Node | null;
  text: string;
}

/** Gives the characters between elements to the texts of a section, in order; a text without any becomes empty. */
function linesOf(tokens: readonly Token[], texts: readonly Text[]): Written[] {
  const placed: Written[] = [];
  const indices = new Map<Node | null, number>(texts.map((text, i) => [text, i]));
  let later = gapsIn(tokens);
  let next = 0;
  const begin = (node: Node | null): Line => {
    const line: Line = { node, text: '' };
    placed.push(line);
    return line;
  };
  const take = (wanted: number): Line => {
    while (next < wanted) begin(texts[next++] ?? null);
    return begin(texts[next++] ?? null);
  };
  let line: Line | null = null;
  for (const { node, text } of tokens) {
    if (text === null) {
      if (node) placed.push({ node, text });
      line = null;
      continue;
    }
    const own = indices.get(node);
    if (line === null) {
      later--;
      const last = texts.length - 1 - later;
      const isShort = last < next && (own === undefined || next >= texts.length);
      line = isShort ? begin(null) : take(Math.max(next, Math.min(own ?? next, last)));
    } else if (own !== undefined && own >= next && own < texts.length - later) line = take(own);
    line.text += text;
  }
  for (; next < texts.length; next++) placed.push({ node: texts[next] ?? null, text: '' });
  return placed;
}

/** How many times characters stand together. */
function gapsIn(tokens: readonly Token[]): number {
  return tokens.filter(({ text }, i) => text !== null && (i === 0 || tokens[i - 1]?.text === null)).length;
}
