/**
 * Where the words of a translation stand in the nodes of its source: for each element, its children in a new order, and
 * the characters of each text. No element is parted, and none leaves its parent: words that a second one would be
 * needed for stand beside it, in its parent.
 */

import * as dom from '../markup/dom.js';
import type { Piece } from '../markup/place.js';
import type { Path, Segment } from '../markup/segment.js';

/** The new children of an element. */
export interface Layout {
  readonly parent: Node;
  /** Those of the source, in its order. */
  readonly children: readonly Node[];
  /** In order: children, and between them characters with the text that they stand for, if there is one. */
  readonly tokens: readonly Token[];
}

export interface Token {
  readonly node: Node | null;
  /** `null` for a child that is moved as it is. */
  readonly text: string | null;
}

interface Placed {
  readonly piece: Piece<Node>;
  /** The elements around it, from the outside in. */
  readonly chain: readonly Node[];
}

/** Consecutive pieces in one child, or among the characters of the parent. */
interface Stretch {
  readonly child: Node | null;
  readonly placed: Placed[];
}

export function layoutOf(container: Node, segment: Segment<Node>, pieces: readonly Piece<Node>[]): Layout[] {
  const children = childrenIn(container, segment);
  const layouts: Layout[] = [];
  const placed = pieces.map((piece) => ({ piece, chain: chainOf(piece.path) }));
  const open: { parent: Node; depth: number; placed: readonly Placed[] }[] = [
    { parent: container, depth: 0, placed },
  ];
  for (let one = open.pop(); one; one = open.pop()) {
    const { parent, depth } = one;
    const own = children.get(parent) ?? [];
    const stretches = stretchesOf(one.placed, depth);
    const inner = homesOf(stretches);
    const tokens = stretches.flatMap((stretch): Token[] => tokensOf(stretch, inner, depth));
    layouts.push({ parent, children: own, tokens: withMissing(tokens, own) });
    for (const child of own)
      if (children.has(child))
        open.push({ parent: child, depth: depth + 1, placed: inner.get(child)?.placed ?? [] });
  }
  return layouts;
}

/** The children of each element that has parts of the segment, in order. */
export function childrenIn(container: Node, { items }: Segment<Node>): Map<Node, Node[]> {
  const children = new Map<Node, Node[]>();
  for (const item of items) {
    let child = item.node;
    for (let path = item.path; ; path = path.parent) {
      const parent = path?.node ?? container;
      const own = children.get(parent);
      if (own?.at(-1) === child) break;
      if (own) own.push(child);
      else children.set(parent, [child]);
      if (!path) break;
      child = path.node;
    }
  }
  return children;
}

function chainOf(path: Path<Node> | null): Node[] {
  const chain: Node[] = [];
  for (let one = path; one; one = one.parent) chain.push(one.node);
  return chain.reverse();
}

function stretchesOf(placed: readonly Placed[], depth: number): Stretch[] {
  const stretches: Stretch[] = [];
  for (const one of placed) {
    const { item } = one.piece;
    const child = one.chain[depth] ?? (item?.isPoint ? item.node : null);
    const last = stretches.at(-1);
    if (last && last.child === child) last.placed.push(one);
    else stretches.push({ child, placed: [one] });
  }
  return stretches;
}

const weightOf = ({ placed }: Stretch) =>
  placed.reduce((sum, { piece }) => sum + (piece.item?.isPoint ? 0.5 : piece.text.trim().length), 0);

/** For each child the stretch that it holds: that with most of its words. Points of the others come to it. */
function homesOf(stretches: readonly Stretch[]): Map<Node, Stretch> {
  const homes = new Map<Node, Stretch>();
  for (const stretch of stretches) {
    if (stretch.child === null) continue;
    const known = homes.get(stretch.child);
    if (!known || weightOf(stretch) > weightOf(known)) homes.set(stretch.child, stretch);
  }
  const seen = new Set<Stretch>();
  for (const stretch of stretches) {
    const home = stretch.child && homes.get(stretch.child);
    seen.add(stretch);
    if (!home || home === stretch) continue;
    const points = stretch.placed.filter(({ piece }) => piece.item?.isPoint);
    if (seen.has(home)) home.placed.push(...points);
    else home.placed.unshift(...points);
  }
  return homes;
}

function tokensOf(stretch: Stretch, homes: ReadonlyMap<Node, Stretch>, depth: number): Token[] {
  const { child, placed } = stretch;
  if (child !== null && homes.get(child) === stretch) return [{ node: child, text: null }];
  return placed.flatMap(({ piece: { item, text }, chain }) => {
    if (item?.isPoint || text === '') return [];
    return [{ node: chain.length === depth ? (item?.node ?? null) : null, text }];
  });
}

/** With the children that have no words, after what they came after. */
function withMissing(tokens: readonly Token[], own: readonly Node[]): Token[] {
  const present = new Set(tokens.flatMap(({ node, text }) => (text === null && node ? [node] : [])));
  const after = new Map<Node | null, Token[]>();
  let before: Node | null = null;
  for (const child of own) {
    if (present.has(child)) before = child;
    else if (dom.nodeType(child) !== 3) {
      const missing = after.get(before) ?? [];
      missing.push({ node: child, text: null });
      after.set(before, missing);
    }
  }
  const follow = (node: Node | null) => after.get(node) ?? [];
  return [
    ...follow(null),
    ...tokens.flatMap((token) => (token.text === null ? [token, ...follow(token.node)] : [token])),
  ];
}
