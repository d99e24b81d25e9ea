/** Evaluates expressions. Each node costs a step. */

import type { Budget } from './budget.js';
import { type Builtins, bind, entriesOf, type Machine } from './builtin.js';
import { choosingFilters } from './choosing_filters.js';
import { Dict, isHashable } from './dict.js';
import { listFilters } from './list_filters.js';
import { attributeOf, itemOf, sliceOf } from './members.js';
import { binary, holds, unary } from './operators.js';
import type { Scope } from './scope.js';
import type { Arguments, Expression } from './syntax.js';
import { tests } from './tests.js';
import { formatFilter, textFilters } from './text_filters.js';
import { Callable, type Given, isTrue, Tuple, typeOf, Undefined, type Value } from './values.js';

const filters: Builtins = { ...textFilters, ...listFilters };

export class Evaluator implements Machine {
  constructor(readonly budget: Budget) {}

  evaluate(node: Expression, scope: Scope): Value {
    this.budget.step();
    return this.budget.within(() => this.#evaluate(node, scope));
  }

  #evaluate(node: Expression, scope: Scope): Value {
    const value = (inner: Expression) => this.evaluate(inner, scope);
    switch (node.kind) {
      case 'constant':
        return node.value;
      case 'name':
        return scope.get(node.name);
      case 'list':
        this.budget.list(node.items.length);
        return node.items.map(value);
      case 'tuple':
        this.budget.list(node.items.length);
        return Tuple.from(node.items, value);
      case 'mapping':
        this.budget.list(3 * node.entries.length);
        return Dict.of(node.entries.map(([key, item]) => [value(key), value(item)]));
      case 'attribute':
        return this.attribute(value(node.of), node.name);
      case 'item':
        return this.item(value(node.of), value(node.key));
      case 'slice': {
        const bounds = node.bounds.map((bound) => (bound ? value(bound) : null));
        return sliceOf(value(node.of), bounds, this);
      }
      case 'call':
        return this.call(value(node.of), this.given(node.given, scope));
      case 'filter':
        return this.filter(node.name, value(node.of), this.given(node.given, scope));
      case 'test':
        return this.test(node.name, value(node.of), this.given(node.given, scope));
      case 'unary':
        return unary(node.sign, value(node.of));
      case 'binary': {
        const left = value(node.left);
        if (node.sign === 'and') return isTrue(left) ? value(node.right) : left;
        if (node.sign === 'or') return isTrue(left) ? left : value(node.right);
        return binary(node.sign, left, value(node.right), this.budget);
      }
      case 'compare':
        return this.#compare(node.first, node.rest, value);
      case 'choice':
        if (isTrue(value(node.test))) return value(node.yes);
        return node.no ? value(node.no) : new Undefined('the inline if-expression has no else');
    }
  }

  /** `a < b < c` is `a < b and b < c`. */
  #compare(
    first: Expression,
    rest: readonly { sign: string; right: Expression }[],
    value: (node: Expression) => Value,
  ): boolean {
    let left = value(first);
    for (const { sign, right } of rest) {
      const other = value(right);
      if (!holds(sign, left, other, this.budget)) return false;
      left = other;
    }
    return true;
  }

  given({ positional, spread, spreadNamed, named }: Arguments, scope: Scope): Given {
    const values = positional.map((node) => this.evaluate(node, scope));
    for (const node of spread)
      for (const value of entriesOf(this.evaluate(node, scope), this.budget)) values.push(value);
    const byName = new Map([...named].map(([name, node]) => [name, this.evaluate(node, scope)]));
    for (const node of spreadNamed) {
      const mapping = this.evaluate(node, scope);
      if (!(mapping instanceof Map)) throw new Error('** needs a mapping');
      for (const [name, value] of mapping) {
        if (typeof name !== 'string') throw new Error('keywords must be strings');
        if (byName.has(name)) throw new Error(`got multiple values for keyword argument '${name}'`);
        byName.set(name, value);
      }
    }
    return { positional: values, named: byName };
  }

  call(callee: Value, given: Given): Value {
    if (callee instanceof Undefined) callee.fail();
    if (!(callee instanceof Callable)) throw new Error(`'${typeOf(callee)}' object is not callable`);
    return callee.call(given);
  }

  attribute(value: Value, name: string): Value {
    return attributeOf(value, name, this);
  }

  item(value: Value, key: Value): Value {
    return itemOf(value, key, this);
  }

  hasFilter(name: string): boolean {
    return name === 'format' || Object.hasOwn(choosingFilters, name) || Object.hasOwn(filters, name);
  }

  filter(name: string, value: Value, given: Given): Value {
    this.budget.step();
    if (Object.hasOwn(choosingFilters, name)) return choosingFilters[name]?.(value, given, this) ?? null;
    if (name === 'format') return formatFilter(value, given, this);
    const filter = Object.hasOwn(filters, name) ? filters[name] : undefined;
    if (!filter) throw new Error(`No filter named '${name}'`);
    if (value instanceof Undefined && name === 'tojson') value.fail();
    return filter.run(value, bind(name, filter.parameters, given), this);
  }

  test(name: string, value: Value, given: Given): boolean {
    this.budget.step();
    if (name === 'filter' || name === 'test') {
      if (!isHashable(value)) throw new Error(`unhashable type: '${typeOf(value)}'`);
      return (
        typeof value === 'string' && (name === 'filter' ? this.hasFilter(value) : Object.hasOwn(tests, value))
      );
    }
    const test = Object.hasOwn(tests, name) ? tests[name] : undefined;
    if (!test) throw new Error(`No test named '${name}'`);
    return isTrue(test.run(value, bind(name, test.parameters, given), this));
  }
}
