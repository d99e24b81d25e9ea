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

/**
 * @param refuse called with the sentence of `raise_exception`
 * @throws Error if the template is wrong, or asks for more than its {@link Budget}
 */
export function render(
  template: string,
  variables: Readonly<Record<string, unknown>>,
  refuse: (sentence: string) => never,
): string {
  const evaluator = new Evaluator(new Budget());
  const block = parseTemplate(template, evaluator.budget);
  const globals = new Scope();
  for (const [name, value] of globalsOf(evaluator, refuse)) globals.set(name, value);
  for (const [name, value] of Object.entries(variables)) globals.set(name, toValue(value, evaluator));
  return new Renderer(evaluator).capture(block, new Scope(globals));
}
