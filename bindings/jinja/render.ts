/**
 * Jinja templates, as far as chat templates use them, with the results of Python's library under the settings of
 * transformers: `trim_blocks`, `lstrip_blocks`, the sandbox, `break` and `continue`, and `tojson` without escapes.
 * https://jinja.palletsprojects.com/en/stable/templates/
 *
 * A library of JavaScript would be smaller, but has no bounds, and differs from Python.
 */

import { Budget } from './budget.js';
import { Evaluator } from './evaluator.js';
import { globalsOf, toValue } from './globals.js';
import { parseTemplate } from './parse_template.js';
import { Renderer } from './renderer.js';
import { Scope } from './scope.js';

export interface RenderOptions {
  /** Called with the sentence of `raise_exception`. */
  readonly refuse: (sentence: string) => never;
  /** Lists among the variables of which {@link RenderOptions.onRead} hears when the template goes through one. */
  readonly watched?: ReadonlySet<unknown>;
  readonly onRead?: (list: unknown) => void;
}

/**
 * @param variables values of JSON, and functions of such values
 * @throws Error if the template is wrong, or asks for more than its {@link Budget}
 */
export function render(
  template: string,
  variables: Readonly<Record<string, unknown>>,
  { refuse, watched, onRead }: RenderOptions,
): string {
  const evaluator = new Evaluator(new Budget());
  const block = parseTemplate(template, evaluator.budget);
  const globals = new Scope();
  for (const [name, value] of globalsOf(evaluator, refuse)) globals.set(name, value);
  const watch = watched && onRead ? { lists: watched, onRead } : undefined;
  for (const [name, value] of Object.entries(variables))
    globals.set(name, toValue(value, { machine: evaluator, watch }));
  return new Renderer(evaluator, globals).template(block);
}
