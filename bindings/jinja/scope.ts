/** Variables: a loop, a macro and a `with` block have their own, and see those around them. */

import { Undefined, type Value } from './values.js';

export class Scope {
  readonly #values = new Map<string, Value>();

  constructor(readonly outer: Scope | null = null) {}

  get(name: string): Value {
    for (let scope: Scope | null = this; scope; scope = scope.outer) {
      const value = scope.#values.get(name);
      if (value !== undefined) return value;
    }
    return new Undefined(`'${name}' is undefined`);
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }
}
