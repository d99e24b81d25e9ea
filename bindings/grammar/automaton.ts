/** Compiles forms to the tables of a pushdown automaton over bytes, as the engine reads them: see `GrammarTables`. */

import { type CodePoints, everyCharacter, intersection, utf8Ranges } from './code_points.js';
import { type Form, type Machine, type Rules, refuse } from './form.js';
import { type GrammarTables, type GraphNode, tablesOf } from './tables.js';

/** Nodes, the limit of what a form may expand to. */
const mostNodes = 200_000;
/** Forms within forms. */
const deepest = 1000;

/**
 * @param alphabet the characters that can be written; the others are left out
 * @returns `null` if no text has the form
 * @throws TransformerError `unsupported` for a grammar that is too large, or left-recursive
 */
export function compile(
  start: Form,
  rules: Rules,
  alphabet: CodePoints = everyCharacter,
): GrammarTables | null {
  const builder = new Builder(rules, alphabet);
  return tablesOf(builder.nodes, builder.whole(start));
}

class Builder {
  readonly nodes: GraphNode[] = [];
  readonly #end: number;
  /** The first nodes of rules, by name, and of forms that are used more than once. */
  readonly #named = new Map<string, number>();
  readonly #shared = new Map<Form, number>();
  readonly #sets = new Map<string, number>();
  readonly #pending: (() => void)[] = [];
  #depth = 0;

  constructor(
    private readonly rules: Rules,
    private readonly alphabet: CodePoints,
  ) {
    this.#end = this.#node(true);
  }

  /** The first node of a form, with the rules that it refers to. */
  whole(form: Form): number {
    const first = this.#build(form, this.#end);
    for (let work = this.#pending.pop(); work; work = this.#pending.pop()) work();
    return first;
  }

  /** The node where a form begins that `next` follows. */
  #build(form: Form, next: number): number {
    if (this.#depth++ > deepest) refuse(`the form has more than ${deepest} levels`);
    const made = this.#buildOne(form, next);
    this.#depth--;
    return made;
  }

  #buildOne(form: Form, next: number): number {
    switch (form.kind) {
      case 'set':
        return this.#buildSet(form.set, next);
      case 'sequence':
        return form.parts.reduceRight((after, part) => this.#build(part, after), next);
      case 'choice': {
        const node = this.#node();
        for (const part of form.parts) this.#go(node, this.#build(part, next));
        return node;
      }
      case 'repeat':
        return this.#buildRepeat(form, next);
      case 'rule':
        return this.#call(this.#ruleOf(form.name), next);
      case 'machine':
        return this.#buildMachine(form.machine, next);
    }
  }

  #buildRepeat({ part, min, max }: Extract<Form, { kind: 'repeat' }>, next: number): number {
    // What is repeated often is built once.
    const isShared = part.kind !== 'set' && (max === Number.POSITIVE_INFINITY ? min > 1 : max > 1);
    const copy = (after: number) =>
      isShared ? this.#call(this.#sharedOf(part), after) : this.#build(part, after);
    let node = next;
    if (max === Number.POSITIVE_INFINITY) {
      node = this.#node();
      this.#go(node, copy(node));
      this.#go(node, next);
    }
    for (let i = max === Number.POSITIVE_INFINITY ? min : max; i > 0; i--) {
      const after = copy(node);
      node = after;
      if (i <= min) continue;
      node = this.#node();
      this.#go(node, after);
      this.#go(node, next);
    }
    return node;
  }

  #buildMachine({ edges, ends }: Machine, next: number): number {
    const nodes = edges.map(() => this.#node());
    for (const [state, list] of edges.entries()) {
      const node = nodes[state] ?? 0;
      for (const { part, target } of list) this.#go(node, this.#build(part, nodes[target] ?? 0));
      if (ends[state]) this.#go(node, next);
    }
    return nodes[0] ?? next;
  }

  #buildSet(set: CodePoints, next: number): number {
    const node = this.#node();
    const known = this.alphabet === everyCharacter ? set : intersection(set, this.alphabet);
    const ascii = intersection(known, [[0, 0x7f]]);
    for (const [first, last] of ascii) this.#read(node, { first, last, target: next });
    const others = intersection(known, [[0x80, 0x10ffff]]);
    if (others.length > 0) this.#enter(node, this.#othersOf(others), next);
    return node;
  }

  /** The characters of several bytes, as a rule. */
  #othersOf(set: CodePoints): number {
    const key = set.join();
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    const first = this.#node();
    this.#sets.set(key, first);
    const shared = new Map<string, number>();
    for (const ranges of utf8Ranges(set)) {
      let next = this.#end;
      for (const [i, [begin, last]] of [...ranges.entries()].slice(1).reverse()) {
        const tail = `${ranges.slice(i)}`;
        const node = shared.get(tail) ?? this.#node();
        if (!shared.has(tail)) this.#read(node, { first: begin, last, target: next });
        shared.set(tail, node);
        next = node;
      }
      const [begin = 0, last = 0] = ranges[0] ?? [];
      this.#read(first, { first: begin, last, target: next });
    }
    return first;
  }

  #ruleOf(name: string): number {
    const known = this.#named.get(name);
    if (known !== undefined) return known;
    const form = this.rules.get(name) ?? refuse(`there is no rule ${name}`);
    const node = this.#later(form);
    this.#named.set(name, node);
    return node;
  }

  #sharedOf(form: Form): number {
    const known = this.#shared.get(form) ?? this.#later(form);
    this.#shared.set(form, known);
    return known;
  }

  /** A rule whose form is built later: it may refer to itself. */
  #later(form: Form): number {
    const node = this.#node();
    this.#pending.push(() => this.#go(node, this.#build(form, this.#end)));
    return node;
  }

  #call(first: number, next: number): number {
    const node = this.#node();
    this.#enter(node, first, next);
    return node;
  }

  #enter(node: number, first: number, next: number): void {
    this.nodes[node]?.edges.push({
      first: 0,
      last: -1,
      target: first,
      after: next === this.#end ? -1 : next,
    });
  }

  /** A step without a byte within a rule: as into a rule after which nothing is left of this one. */
  #go(node: number, target: number): void {
    this.nodes[node]?.edges.push({ first: 0, last: -1, target, after: -1 });
  }

  #read(node: number, edge: { first: number; last: number; target: number }): void {
    this.nodes[node]?.edges.push({ ...edge, after: -1 });
  }

  #node(ends = false): number {
    if (this.nodes.length >= mostNodes) refuse(`the grammar has more than ${mostNodes} nodes`);
    return this.nodes.push({ edges: [], ends }) - 1;
  }
}
