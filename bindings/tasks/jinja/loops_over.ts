/** Whether a template loops over a field, judged by its syntax. */

import { Budget } from './budget.js';
import { parseTemplate } from './parse_template.js';

/** Filters that go through the entries of a list. */
const loopingFilters: ReadonlySet<unknown> = new Set([
  'first',
  'join',
  'last',
  'list',
  'map',
  'reject',
  'rejectattr',
  'select',
  'selectattr',
]);

/**
 * Whether the template goes through the entries of a field, such as `for part in message['content']`, or of a variable
 * of the same name.
 *
 * @throws Error if the template is wrong
 */
export function loopsOver(template: string, field: string): boolean {
  return someNode(parseTemplate(template, new Budget()), (node) => {
    if (node.kind === 'for') return mentions(node.over, field);
    return node.kind === 'filter' && loopingFilters.has(node.name) && mentions(node.of, field);
  });
}

/** By its name, as an attribute, as an item, or as the first argument of `get`. */
function mentions(expression: unknown, field: string): boolean {
  return someNode(expression, ({ kind, name, key, given }) => {
    if (kind === 'name' || kind === 'attribute') return name === field;
    if (kind === 'item') return isConstant(key, field);
    return kind === 'call' && isNode(given) && isConstant([given.positional].flat()[0], field);
  });
}

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
const isConstant = (value: unknown, text: string) =>
  isNode(value) && value.kind === 'constant' && value.value === text;

/** Whether a node of the tree, whatever its kind, is as wanted. */
function someNode(tree: unknown, isWanted: (node: Node) => boolean): boolean {
  if (!isNode(tree)) return false;
  if (isWanted(tree)) return true;
  const parts = tree instanceof Map ? [...tree.values()] : Object.values(tree);
  return parts.some((part) => someNode(part, isWanted));
}
