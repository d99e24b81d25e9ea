/** Filters of lists and mappings. */

import { type Arg, type Builtins, builtin, entriesOf, lengthOf, type Machine } from './builtin.js';
import { binary } from './operators.js';
import { print } from './print.js';
import { pathOf } from './text_filters.js';
import {
  areEqual,
  compare,
  isTrue,
  Stream,
  Tuple,
  toInteger,
  typeOf,
  Undefined,
  type Value,
} from './values.js';

/** Letters compare without their case unless asked. */
function folded(value: Value, isSensitive: Arg, { budget }: Machine): Value {
  if (typeof value !== 'string' || isTrue(isSensitive ?? false)) return value;
  budget.string(value.length);
  return value.toLowerCase();
}

/** Sorts as Python does: entries that are equal stay in order. */
function sorted(items: Value[], key: (item: Value) => Value, isReversed: Arg, { budget }: Machine): Value[] {
  const keyed = items.map((item) => ({ item, key: key(item) }));
  const sign = isTrue(isReversed ?? false) ? -1 : 1;
  return keyed.sort((a, b) => sign * compare(a.key, b.key, '<', budget)).map(({ item }) => item);
}

function sort(value: Value, [reverse, sensitive, attribute]: readonly Arg[], machine: Machine): Value {
  const names = typeof attribute === 'string' ? attribute.split(',') : [];
  const keyOf = (item: Value): Value => {
    if (attribute === undefined || attribute === null) return folded(item, sensitive, machine);
    if (typeof attribute !== 'string') return folded(pathOf(item, attribute, machine), sensitive, machine);
    return Tuple.from(names, (name) => folded(pathOf(item, name, machine), sensitive, machine));
  };
  return sorted(entriesOf(value, machine.budget), keyOf, reverse, machine);
}

function dictsort(value: Value, [sensitive, by, reverse]: readonly Arg[], machine: Machine): Value {
  if (!(value instanceof Map)) throw new Error('dictsort needs a mapping');
  const place = by === 'value' ? 1 : 0;
  const items = Array.from(value, (entry) => Tuple.from<Value>(entry));
  machine.budget.list(3 * items.length);
  return sorted(
    items,
    (item) => folded((item as Value[])[place] ?? null, sensitive, machine),
    reverse,
    machine,
  );
}

function groupby(value: Value, [attribute, otherwise, sensitive]: readonly Arg[], machine: Machine): Value {
  const keyOf = (item: Value) => {
    const key = pathOf(item, attribute ?? null, machine);
    return key instanceof Undefined && otherwise !== undefined ? otherwise : key;
  };
  const sort = (item: Value) => folded(keyOf(item), sensitive, machine);
  const groups: [Value, Value[]][] = [];
  for (const item of sorted(entriesOf(value, machine.budget), sort, false, machine)) {
    const last = groups.at(-1);
    if (last && areEqual(folded(last[0], sensitive, machine), sort(item), machine.budget)) last[1].push(item);
    else groups.push([keyOf(item), [item]]);
  }
  return groups.map((group) => Tuple.from<Value>(group));
}

function unique(value: Value, [sensitive, attribute]: readonly Arg[], machine: Machine): Value {
  const seen: Value[] = [];
  const chosen = new Stream();
  for (const item of entriesOf(value, machine.budget)) {
    const plain = attribute === undefined || attribute === null ? item : pathOf(item, attribute, machine);
    const key = folded(plain, sensitive, machine);
    if (seen.some((other) => areEqual(other, key, machine.budget))) continue;
    seen.push(key);
    chosen.push(item);
  }
  return chosen;
}

/** The smallest or largest entry. */
const extreme = (sign: number) =>
  builtin('case_sensitive attribute', (value, [sensitive, attribute], machine) => {
    const keyOf = (item: Value) =>
      folded(attribute === undefined ? item : pathOf(item, attribute, machine), sensitive, machine);
    const items = entriesOf(value, machine.budget);
    const [first] = items;
    if (first === undefined) return new Undefined('No aggregated item, sequence was empty.');
    return items.reduce((best, item) =>
      sign * compare(keyOf(item), keyOf(best), '<', machine.budget) < 0 ? item : best,
    );
  });

function batch(value: Value, [size, fill]: readonly Arg[], { budget }: Machine): Value {
  const items = entriesOf(value, budget);
  const count = Math.max(1, toInteger(size ?? null, 'linecount'));
  const batches = new Stream();
  for (let i = 0; i < items.length; i += count) batches.push(items.slice(i, i + count));
  const last = batches.at(-1);
  if (fill !== undefined && fill !== null && Array.isArray(last)) {
    budget.list(count);
    while (last.length < count) last.push(fill);
  }
  return batches;
}

function slice(value: Value, [count, fill]: readonly Arg[], { budget }: Machine): Value {
  const items = entriesOf(value, budget);
  const slices = toInteger(count ?? null, 'slices');
  if (slices < 1) throw new Error('slices must be positive');
  budget.list(slices);
  const [size, extra] = [Math.floor(items.length / slices), items.length % slices];
  let begin = 0;
  return Stream.from({ length: slices }, (_, i): Value => {
    const end = begin + size + (i < extra ? 1 : 0);
    const part = items.slice(begin, end);
    begin = end;
    return fill !== undefined && fill !== null && i >= extra ? [...part, fill] : part;
  });
}

function first(value: Value, _args: readonly Arg[], { budget }: Machine): Value {
  return entriesOf(value, budget)[0] ?? new Undefined('No first item, sequence was empty.');
}

function last(value: Value, _args: readonly Arg[], { budget }: Machine): Value {
  return entriesOf(value, budget).at(-1) ?? new Undefined('No last item, sequence was empty.');
}

const otherwise = builtin('default_value boolean', (value, [given, falsy]) =>
  value instanceof Undefined || (isTrue(falsy ?? false) && !isTrue(value)) ? (given ?? '') : value,
);

const length = builtin('', (value, _args, { budget }) => lengthOf(value, budget));

export const listFilters: Builtins = {
  length,
  count: length,
  default: otherwise,
  d: otherwise,
  first: builtin('', first),
  last: builtin('', last),
  list: builtin('', (value, _args, { budget }) => entriesOf(value, budget)),
  items: builtin('', (value, _args, { budget }) => {
    if (value instanceof Undefined) return [];
    if (!(value instanceof Map)) throw new Error('Can only get item pairs from a mapping.');
    budget.list(3 * value.size);
    return Stream.from(value, (entry): Value => Tuple.from<Value>(entry));
  }),
  reverse: builtin('', (value, _args, { budget }) => {
    const items = entriesOf(value, budget).reverse();
    return typeof value === 'string' ? items.join('') : Stream.from(items);
  }),
  sort: builtin('reverse case_sensitive attribute', sort),
  dictsort: builtin('case_sensitive by reverse', dictsort),
  groupby: builtin('attribute default case_sensitive', groupby),
  unique: builtin('case_sensitive attribute', unique),
  min: extreme(1),
  max: extreme(-1),
  batch: builtin('linecount fill_with', batch),
  slice: builtin('slices fill_with', slice),
  attr: builtin('name', (value, [name], machine) => {
    const found = pathOf(value, name ?? null, machine);
    return value instanceof Map
      ? new Undefined(`'dict object' has no attribute '${print(name ?? null, machine.budget)}'`)
      : found;
  }),
  sum: builtin('attribute start', (value, [attribute, start], machine) => {
    const plain = (item: Value) =>
      attribute === undefined || attribute === null ? item : pathOf(item, attribute, machine);
    return entriesOf(value, machine.budget).reduce<Value>((total, item) => {
      if (typeof item === 'string')
        throw new Error(`unsupported operand types for +: '${typeOf(total)}' and 'str'`);
      return binary('+', total, plain(item), machine.budget);
    }, start ?? 0);
  }),
};
