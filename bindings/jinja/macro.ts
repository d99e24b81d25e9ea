/** What a macro takes besides its parameters, which Jinja finds in its body. */

import type { Arg } from './builtin.js';
import { Dict } from './dict.js';
import type { Scope } from './scope.js';
import type { Macro } from './syntax.js';
import { Attributes, type Given, Tuple, Undefined, type Value } from './values.js';

export class MacroFacts extends Attributes {
  readonly #macro: Macro;
  readonly #names: readonly string[];

  constructor(macro: Macro) {
    super('Macro');
    this.#macro = macro;
    this.#names = macro.parameters.map(({ name }) => name);
    const facts: Readonly<Record<string, Value>> = {
      name: macro.name,
      arguments: Tuple.from<Value>(this.#names),
      catch_kwargs: macro.uses.has('kwargs'),
      catch_varargs: macro.uses.has('varargs'),
      caller: macro.uses.has('caller'),
    };
    for (const [name, value] of Object.entries(facts)) this.values.set(name, value);
  }

  /**
   * The arguments in the order of the parameters; `caller`, `varargs` and `kwargs` go into the macro's scope.
   *
   * @throws Error for arguments that the macro does not take
   */
  bind({ positional, named }: Given, scope: Scope): Arg[] {
    const { name, uses } = this.#macro;
    const rest = new Map(named);
    const values = this.#names.map((parameter, i): Arg => {
      if (i < positional.length) return positional[i];
      const value = rest.get(parameter);
      rest.delete(parameter);
      return value;
    });
    if (uses.has('caller') && !this.#names.includes('caller')) {
      scope.set('caller', rest.get('caller') ?? new Undefined('No caller defined'));
      rest.delete('caller');
    }
    if (uses.has('kwargs')) scope.set('kwargs', Dict.of(rest));
    else for (const key of rest.keys()) throw new Error(`macro '${name}' takes no keyword argument '${key}'`);
    const extra = positional.slice(this.#names.length);
    if (uses.has('varargs')) scope.set('varargs', Tuple.from(extra));
    else if (extra.length > 0)
      throw new Error(`macro '${name}' takes not more than ${this.#names.length} argument(s)`);
    return values;
  }

  override show(): string {
    return this.#macro.name === 'caller' ? '<Macro anonymous>' : `<Macro '${this.#macro.name}'>`;
  }
}
