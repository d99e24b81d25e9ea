/** The nodes of a grammar in the engine's terms, without those that lead to no end. */

import { refuse } from './form.js';

interface GraphEdge {
  /** The bytes that it reads; `last` below 0: it enters a rule. */
  readonly first: number;
  readonly last: number;
  readonly target: number;
  /** The node after the rule; -1: the end of the rule that the edge is in. */
  readonly after: number;
}

export interface GraphNode {
  readonly edges: GraphEdge[];
  readonly ends: boolean;
}

/** As the engine's `Grammar` takes them. */
export interface GrammarTables {
  /** Of each node: the end of its edges, the fewest bytes to the end of its rule, whether that may be here. */
  readonly nodes: Int32Array;
  /** Of each edge: the first and the last byte, the target, the node after the rule. */
  readonly edges: Int32Array;
  /** The fewest bytes that have the form. */
  readonly shortest: number;
}

/** @returns `null` if no end can be reached. @throws TransformerError `unsupported` for left recursion */
export function tablesOf(nodes: readonly GraphNode[], start: number): GrammarTables | null {
  const distances = distancesOf(nodes);
  const isAlive = (node: number) => distances[node] !== Number.POSITIVE_INFINITY;
  if (!isAlive(start)) return null;
  const numbers = new Map([[start, 0]]);
  const order = [start];
  const table: number[] = [];
  const edges: number[] = [];
  const numberOf = (node: number) => {
    const number = numbers.get(node) ?? order.push(node) - 1;
    numbers.set(node, number);
    return number;
  };
  const kept: GraphNode[] = [];
  for (const place of order) {
    const { edges: given, ends } = nodes[place] ?? { edges: [], ends: false };
    const alive = given
      .filter(({ target, after }) => isAlive(target) && (after < 0 || isAlive(after)))
      .map((edge) => ({
        ...edge,
        target: numberOf(edge.target),
        after: edge.after < 0 ? -1 : numberOf(edge.after),
      }));
    for (const { first, last, target, after } of alive) edges.push(first, last, target, after);
    table.push(edges.length / 4, distances[place] ?? 0, Number(ends));
    kept.push({ edges: alive, ends });
  }
  refuseLeftRecursion(
    kept,
    order.map((place) => distances[place] === 0),
  );
  return { nodes: Int32Array.from(table), edges: Int32Array.from(edges), shortest: distances[start] ?? 0 };
}

/** The fewest bytes from each node to the end of its rule; infinite where none is reached. */
function distancesOf(nodes: readonly GraphNode[]): readonly number[] {
  const distances = new Array<number>(nodes.length).fill(Number.POSITIVE_INFINITY);
  const before: (number[] | undefined)[] = new Array(nodes.length);
  const note = (place: number, other: number) => {
    const known = before[place];
    if (known) known.push(other);
    else before[place] = [other];
  };
  const isWaiting = new Uint8Array(nodes.length).fill(1);
  let queue = [...nodes.keys()];
  for (let isFirst = true; queue.length > 0; isFirst = false) {
    const next: number[] = [];
    for (const place of queue) {
      isWaiting[place] = 0;
      const node = nodes[place];
      if (!node) continue;
      let least = node.ends ? 0 : Number.POSITIVE_INFINITY;
      for (const { last, target, after } of node.edges) {
        if (isFirst) note(target, place);
        if (isFirst && after >= 0) note(after, place);
        const rest = after < 0 ? 0 : (distances[after] ?? 0);
        least = Math.min(least, (last < 0 ? 0 : 1) + (distances[target] ?? 0) + rest);
      }
      if (least >= (distances[place] ?? 0)) continue;
      distances[place] = least;
      for (const other of before[place] ?? []) {
        if (isWaiting[other] === 0) next.push(other);
        isWaiting[other] = 1;
      }
    }
    queue = next;
  }
  return distances;
}

/**
 * A rule that enters itself before it reads a byte would pile up forever. Found by an ordering of the nodes that no
 * byte separates (Tarjan 1972), without recursion: a grammar may have long chains of them.
 */
function refuseLeftRecursion(nodes: readonly GraphNode[], mayBeEmpty: readonly boolean[]): void {
  const next = nodes.map(({ edges }) =>
    edges
      .filter(({ last }) => last < 0)
      .flatMap(({ target, after }) => (after >= 0 && mayBeEmpty[target] ? [target, after] : [target])),
  );
  const component = componentsOf(next);
  for (const [place, { edges }] of nodes.entries())
    for (const { last, target, after } of edges)
      if (last < 0 && after >= 0 && component[place] === component[target])
        refuse('a rule begins with itself (left recursion): write the repetition after the rest');
}

/** The strongly connected component of each node. */
function componentsOf(next: readonly (readonly number[])[]): Int32Array {
  const [found, low] = [new Int32Array(next.length), new Int32Array(next.length)];
  const component = new Int32Array(next.length).fill(-1);
  const open: number[] = [];
  let count = 0;
  for (const root of next.keys()) {
    if (found[root] !== 0) continue;
    const path = [{ node: root, at: 0 }];
    while (path.length > 0) {
      const step = path.at(-1) ?? { node: 0, at: 0 };
      const { node } = step;
      if (step.at === 0 && found[node] === 0) {
        found[node] = low[node] = ++count;
        open.push(node);
      }
      const to = next[node]?.[step.at++];
      if (to === undefined) {
        path.pop();
        const parent = path.at(-1);
        if (parent) low[parent.node] = Math.min(low[parent.node] ?? 0, low[node] ?? 0);
        if (low[node] !== found[node]) continue;
        for (let member = -1; member !== node; ) {
          member = open.pop() ?? node;
          component[member] = node;
        }
      } else if (found[to] === 0) path.push({ node: to, at: 0 });
      else if (component[to] === -1) low[node] = Math.min(low[node] ?? 0, found[to] ?? 0);
    }
  }
  return component;
}
