/** Renders blocks of statements. */

import { bind } from './builtin.js';
import type { Evaluator } from './evaluator.js';
import { iterate } from './loop.js';
import { print } from './print.js';
import { Scope } from './scope.js';
import type { Block, Filter, Loop, Macro, Statement, Target } from './syntax.js';
import { Attributes, Callable, type Given, isTrue, typeOf, Undefined, type Value } from './values.js';

/** How a block ended: at `break` or `continue`, or by itself. */
type Ending = 'break' | 'continue' | undefined;

export class Renderer {
  readonly #evaluator: Evaluator;
  #output: string[] = [];
  #length = 0;

  constructor(evaluator: Evaluator) {
    this.#evaluator = evaluator;
  }

  /** The text of a block. */
  capture(block: Block, scope: Scope): string {
    return this.#captured(() => this.#render(block, scope));
  }

  #captured(work: () => void): string {
    const [output, length] = [this.#output, this.#length];
    this.#output = [];
    this.#length = 0;
    try {
      work();
      return this.#output.join('');
    } finally {
      this.#output = output;
      this.#length = length;
    }
  }

  #write(text: string): void {
    if (text === '') return;
    this.#length += text.length;
    this.#evaluator.budget.string(text.length);
    this.#evaluator.budget.joined(this.#length);
    this.#output.push(text);
  }

  #render(block: Block, scope: Scope): Ending {
    return this.#evaluator.budget.within(() => {
      for (const statement of block) {
        this.#evaluator.budget.step();
        const ending = this.#statement(statement, scope);
        if (ending) return ending;
      }
      return undefined;
    });
  }

  #statement(node: Statement, scope: Scope): Ending {
    const value = (expression: Parameters<Evaluator['evaluate']>[0]) =>
      this.#evaluator.evaluate(expression, scope);
    switch (node.kind) {
      case 'text':
        this.#write(node.text);
        return undefined;
      case 'output':
        this.#write(print(value(node.value), this.#evaluator.budget));
        return undefined;
      case 'if':
        return this.#render(isTrue(value(node.test)) ? node.body : node.otherwise, scope);
      case 'for':
        this.#loop(node, value(node.over), scope);
        return undefined;
      case 'set':
        this.#assign(node.target, value(node.value), scope);
        return undefined;
      case 'capture':
        this.#assign(node.target, this.#filtered(node.body, node.filters, scope), scope);
        return undefined;
      case 'filtered':
        this.#write(print(this.#filtered(node.body, node.filters, scope), this.#evaluator.budget));
        return undefined;
      case 'macro':
        scope.set(node.macro.name, this.#macro(node.macro, scope));
        return undefined;
      case 'call': {
        if (node.call.kind !== 'call') return undefined;
        const given = this.#evaluator.given(node.call.given, scope);
        const named = new Map([...given.named, ['caller', this.#macro(node.macro, scope)]]);
        const result = this.#evaluator.call(value(node.call.of), { ...given, named });
        this.#write(print(result, this.#evaluator.budget));
        return undefined;
      }
      case 'with': {
        const inner = new Scope(scope);
        for (const [target, expression] of node.values) this.#assign(target, value(expression), inner);
        return this.#render(node.body, inner);
      }
      case 'generation':
        return this.#render(node.body, scope);
      default:
        return node.kind;
    }
  }

  #filtered(body: Block, filters: readonly Filter[], scope: Scope): Value {
    let value: Value = this.capture(body, new Scope(scope));
    for (const { name, given } of filters)
      value = this.#evaluator.filter(name, value, this.#evaluator.given(given, scope));
    return value;
  }

  #loop(node: Loop, over: Value, scope: Scope): void {
    if (over instanceof Undefined && !over.reason) return;
    const again = ({ positional: [inner = null] }: Given): Value =>
      this.#captured(() => this.#loop(node, inner, scope));
    const ran = iterate(
      { over, node, evaluator: this.#evaluator, again },
      () => new Scope(scope),
      (target, value, inner) => this.#assign(target, value, inner),
      (inner) => this.#render(node.body, inner) === 'break',
    );
    if (!ran) this.#render(node.otherwise, new Scope(scope));
  }

  #macro({ name, parameters, body }: Macro, scope: Scope): Callable {
    const names = parameters.map((parameter) => parameter.name);
    return new Callable(name, (given) => {
      const inner = new Scope(scope);
      const named = new Map(given.named);
      const caller = named.get('caller');
      if (!names.includes('caller')) named.delete('caller');
      if (caller !== undefined) inner.set('caller', caller);
      const values = bind(name, names, { positional: given.positional, named });
      for (const [i, parameter] of parameters.entries()) {
        const initial = () =>
          parameter.initial
            ? this.#evaluator.evaluate(parameter.initial, inner)
            : new Undefined(`parameter '${parameter.name}' was not provided`);
        inner.set(parameter.name, values[i] ?? (values[i] === null ? null : initial()));
      }
      return this.capture(body, inner);
    });
  }

  #assign(target: Target, value: Value, scope: Scope): void {
    if (target.kind === 'name') {
      scope.set(target.name, value);
      return;
    }
    if (target.kind === 'attribute') {
      const namespace = scope.get(target.of);
      if (!(namespace instanceof Attributes))
        throw new Error('cannot assign attribute on non-namespace object');
      namespace.values.set(target.name, value);
      return;
    }
    const values = Array.isArray(value) ? value : null;
    if (values?.length !== target.targets.length)
      throw new Error(`expected ${target.targets.length} values to unpack, got a ${typeOf(value)}`);
    for (const [i, inner] of target.targets.entries()) this.#assign(inner, values[i] ?? null, scope);
  }
}
