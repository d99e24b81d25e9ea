/** The syntax tree of a template, as the parser hands it to the interpreter. */

import type { Value } from './values.js';

export type Expression =
  | { readonly kind: 'constant'; readonly value: Value }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'list' | 'tuple'; readonly items: readonly Expression[] }
  | { readonly kind: 'mapping'; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: 'attribute'; readonly of: Expression; readonly name: string }
  | { readonly kind: 'item'; readonly of: Expression; readonly key: Expression }
  | { readonly kind: 'slice'; readonly of: Expression; readonly bounds: readonly (Expression | null)[] }
  | { readonly kind: 'call'; readonly of: Expression; readonly given: Arguments }
  | { readonly kind: 'filter'; readonly of: Expression; readonly name: string; readonly given: Arguments }
  | { readonly kind: 'test'; readonly of: Expression; readonly name: string; readonly given: Arguments }
  | { readonly kind: 'unary'; readonly sign: string; readonly of: Expression }
  | { readonly kind: 'binary'; readonly sign: string; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'compare'; readonly first: Expression; readonly rest: readonly Comparison[] }
  | {
      readonly kind: 'choice';
      readonly test: Expression;
      readonly yes: Expression;
      readonly no: Expression | null;
    };

export interface Comparison {
  readonly sign: string;
  readonly right: Expression;
}

export interface Arguments {
  readonly positional: readonly Expression[];
  /** `*list` and `**mapping`. */
  readonly spread: readonly Expression[];
  readonly spreadNamed: readonly Expression[];
  readonly named: ReadonlyMap<string, Expression>;
}

export const noArguments: Arguments = { positional: [], spread: [], spreadNamed: [], named: new Map() };

/** The target of an assignment: a name, the attribute of a namespace, or several of these. */
export type Target =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'attribute'; readonly of: string; readonly name: string }
  | { readonly kind: 'several'; readonly targets: readonly Target[] };

export interface Parameter {
  readonly name: string;
  readonly initial: Expression | null;
}

export interface Loop {
  readonly kind: 'for';
  readonly target: Target;
  readonly over: Expression;
  readonly condition: Expression | null;
  readonly isRecursive: boolean;
  readonly body: Block;
  readonly otherwise: Block;
}

export interface Macro {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** Which of `caller`, `varargs` and `kwargs` the body names. */
  readonly uses: ReadonlySet<string>;
  readonly body: Block;
}

export type Filter = { readonly name: string; readonly given: Arguments };

export type Statement =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly value: Expression }
  | { readonly kind: 'if'; readonly test: Expression; readonly body: Block; readonly otherwise: Block }
  | Loop
  | { readonly kind: 'set'; readonly target: Target; readonly value: Expression }
  | {
      readonly kind: 'capture';
      readonly target: Target;
      readonly filters: readonly Filter[];
      readonly body: Block;
    }
  | { readonly kind: 'filtered'; readonly filters: readonly Filter[]; readonly body: Block }
  | { readonly kind: 'macro'; readonly macro: Macro }
  | { readonly kind: 'call'; readonly call: Expression; readonly macro: Macro }
  | {
      readonly kind: 'with';
      readonly values: readonly (readonly [Target, Expression])[];
      readonly body: Block;
    }
  | { readonly kind: 'generation'; readonly body: Block }
  | { readonly kind: 'block'; readonly name: string; readonly isScoped: boolean; readonly body: Block }
  | { readonly kind: 'break' | 'continue' };

export type Block = readonly Statement[];
