/** Renders blocks of statements. */

import { entriesOf } from './builtin.js';
import type { Evaluator } from './evaluator.js';
import { iterate } from './loop.js';
import { MacroFacts } from './macro.js';
import { print } from './print.js';
import { Scope } from './scope.js';
import type { Block, Filter, Loop, Macro, Statement, Target } from './syntax.js';
import { Attributes, Callable, type Given, isTrue, toText, Undefined, type Value } from './values.js';

/** How a block ended: at `break` or `continue`, or by itself. */
type Ending = 'break' | 'continue' | undefined;

export class Renderer {
  readonly #evaluator: Evaluator;
  /** The variables that blocks see. */
  readonly #top: Scope;
  readonly #blocks = new Attributes('TemplateReference');
  #output: string[] = [];
  #length = 0;

  constructor(evaluator: Evaluator, globals: Scope) {
    this.#evaluator = evaluator;
    this.#top = new Scope(globals);
    this.#top.set('self', this.#blocks);
  }

  template(body: Block): string {
    return this.capture(body, this.#top);
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
        this.#write(toText(this.#filtered(node.body, node.filters, scope), 'the result of a filter block'));
        return undefined;
      case 'macro':
        scope.set(node.macro.name, this.#macro(node.macro, scope));
        return undefined;
      case 'call': {
        if (node.call.kind !== 'call') return undefined;
        const given = this.#evaluator.given(node.call.given, scope);
        const called = value(node.call.of);
        const named = new Map(given.named).set('caller', this.#macro(node.macro, scope));
        const result = this.#evaluator.call(called, { ...given, named });
        this.#write(toText(result, 'the result of a call block'));
        return undefined;
      }
      case 'with': {
        const inner = new Scope(scope);
        for (const [target, expression] of node.values) this.#assign(target, value(expression), inner);
        return this.#render(node.body, inner);
      }
      // A block is called, as a macro is.
      case 'generation':
        this.#write(this.capture(node.body, new Scope(scope)));
        return undefined;
      case 'block': {
        const block = (): Value => this.capture(node.body, new Scope(node.isScoped ? scope : this.#top));
        this.#blocks.values.set(node.name, new Callable(node.name, block));
        this.#write(print(block(), this.#evaluator.budget));
        return undefined;
      }
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

  #loop(node: Loop, over: Value, scope: Scope, depth = 1): void {
    const again = ({ positional: [inner = null] }: Given): Value =>
      this.#captured(() => this.#evaluator.budget.within(() => this.#loop(node, inner, scope, depth + 1)));
    const ran = iterate(
      { over, node, evaluator: this.#evaluator, depth, again },
      () => new Scope(scope),
      (target, value, inner) => this.#assign(target, value, inner),
      (inner) => this.#render(node.body, inner),
    );
    if (!ran) this.#render(node.otherwise, new Scope(scope));
  }

  #macro(macro: Macro, scope: Scope): Callable {
    const { name, parameters, body } = macro;
    const facts = new MacroFacts(macro);
    return new Callable(
      name,
      (given) => {
        const inner = new Scope(scope);
        const values = facts.bind(given, inner);
        for (const [i, { name: parameter, initial }] of parameters.entries()) {
          const value = values[i];
          const missing = () =>
            initial
              ? this.#evaluator.evaluate(initial, inner)
              : new Undefined(`parameter '${parameter}' was not provided`);
          inner.set(parameter, value === undefined ? missing() : value);
        }
        return this.capture(body, inner);
      },
      facts,
    );
  }

  #assign(target: Target, value: Value, scope: Scope): void {
    if (target.kind === 'name') {
      scope.set(target.name, value);
      return;
    }
    if (target.kind === 'attribute') {
      const namespace = scope.get(target.of);
      if (!(namespace instanceof Attributes) || namespace.type !== 'Namespace')
        throw new Error('cannot assign attribute on non-namespace object');
      namespace.values.set(target.name, value);
      return;
    }
    if (value instanceof Undefined) value.fail();
    const values = entriesOf(value, this.#evaluator.budget);
    if (values.length !== target.targets.length)
      throw new Error(`expected ${target.targets.length} values to unpack, got ${values.length}`);
    for (const [i, inner] of target.targets.entries()) this.#assign(inner, values[i] ?? null, scope);
  }
}
