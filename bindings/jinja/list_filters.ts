/** Filters of lists and mappings. */

import { type Arg, type Builtins, builtin, entriesIn, entriesOf, lengthOf, type Machine } from './builtin.js';
import { Dict } from './dict.js';
import { ownAttribute } from './members.js';
import { binary, remainder } from './operators.js';
import { pathOf } from './text_filters.js';
import {
  areEqual,
  compare,
  Group,
  isTrue,
  Stream,
  Tuple,
  toInteger,
  toText,
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
  if (by !== undefined && by !== 'key' && by !== 'value')
    throw new Error('You can only sort by either "key" or "value"');
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
  const keyOf = (item: Value) => pathOf(item, attribute ?? null, machine, otherwise);
  const sort = (item: Value) => folded(keyOf(item), sensitive, machine);
  const groups: [Value, Value[]][] = [];
  for (const item of sorted(entriesOf(value, machine.budget), sort, false, machine)) {
    const last = groups.at(-1);
    if (last && areEqual(folded(last[0], sensitive, machine), sort(item), machine.budget)) last[1].push(item);
    else groups.push([keyOf(item), [item]]);
  }
  return groups.map((group) => Group.from<Value>(group));
}

function* unique(value: Value, [sensitive, attribute]: readonly Arg[], machine: Machine): Generator<Value> {
  const seen = new Dict();
  for (const item of entriesIn(value, machine.budget)) {
    const key = folded(attributeIn(item, attribute, machine), sensitive, machine);
    if (seen.has(key)) continue;
    machine.budget.list(1);
    seen.set(key, true);
    yield item;
  }
}

/** The entry itself where no attribute of it is meant. */
function attributeIn(item: Value, attribute: Arg, machine: Machine): Value {
  return attribute === undefined || attribute === null ? item : pathOf(item, attribute, machine);
}

/** The smallest or largest entry. */
const extreme = (sign: number) =>
  builtin('case_sensitive attribute', (value, [sensitive, attribute], machine) => {
    const keyOf = (item: Value) => folded(attributeIn(item, attribute, machine), sensitive, machine);
    const items = entriesOf(value, machine.budget);
    const [first] = items;
    if (first === undefined) return new Undefined('No aggregated item, sequence was empty.');
    return items.reduce((best, item) =>
      sign * compare(keyOf(item), keyOf(best), '<', machine.budget) < 0 ? item : best,
    );
  });

function* batch(value: Value, [size, fill]: readonly Arg[], { budget }: Machine): Generator<Value> {
  const count = toInteger(size ?? null, 'linecount');
  let items: Value[] = [];
  for (const item of entriesIn(value, budget)) {
    if (items.length === count) {
      yield items;
      items = [];
    }
    budget.list(1);
    items.push(item);
  }
  if (items.length === 0) return;
  if (fill !== undefined && fill !== null && items.length < count) {
    budget.list(count);
    while (items.length < count) items.push(fill);
  }
  yield items;
}

function* slice(value: Value, [count, fill]: readonly Arg[], { budget }: Machine): Generator<Value> {
  const items = entriesOf(value, budget);
  const slices = toInteger(count ?? null, 'slices');
  const extra = remainder(items.length, slices);
  const size = Math.floor(items.length / slices);
  budget.list(Math.max(0, slices));
  let begin = 0;
  for (let i = 0; i < slices; i++) {
    const end = begin + size + (i < extra ? 1 : 0);
    const part = items.slice(begin, end);
    begin = end;
    yield fill !== undefined && fill !== null && i >= extra ? [...part, fill] : part;
  }
}

function first(value: Value, _args: readonly Arg[], { budget }: Machine): Value {
  for (const item of entriesIn(value, budget)) return item;
  return new Undefined('No first item, sequence was empty.');
}

function last(value: Value, _args: readonly Arg[], { budget }: Machine): Value {
  if (value instanceof Stream) throw new Error("'generator' object is not reversible");
  const item = entriesOf(value, budget).at(-1);
  return item === undefined ? new Undefined('No last item, sequence was empty.') : item;
}

function reverse(value: Value, _args: readonly Arg[], { budget }: Machine): Value {
  const items = entriesOf(value, budget).reverse();
  if (typeof value === 'string') return items.join('');
  return value instanceof Stream ? items : new Stream(items);
}

function* items(value: Value): Generator<Value> {
  if (value instanceof Undefined) return;
  if (!(value instanceof Map)) throw new Error('Can only get item pairs from a mapping.');
  for (const entry of value) yield Tuple.from<Value>(entry);
}

const otherwise = builtin('default_value boolean', (value, [given = '', falsy]) =>
  value instanceof Undefined || (isTrue(falsy ?? false) && !isTrue(value)) ? given : value,
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
  items: builtin('', (value) => new Stream(items(value))),
  reverse: builtin('', reverse),
  sort: builtin('reverse case_sensitive attribute', sort),
  dictsort: builtin('case_sensitive by reverse', dictsort),
  groupby: builtin('attribute! default case_sensitive', groupby),
  unique: builtin('case_sensitive attribute', (...given) => new Stream(unique(...given))),
  min: extreme(1),
  max: extreme(-1),
  batch: builtin('linecount! fill_with', (...given) => new Stream(batch(...given))),
  slice: builtin('slices! fill_with', (...given) => new Stream(slice(...given))),
  attr: builtin('name!', (value, [name = null], machine) => {
    const wanted = toText(name, 'name');
    if (value instanceof Undefined) value.fail();
    const found = ownAttribute(value, wanted, machine);
    return found === undefined ? new Undefined(`${typeOf(value)} object has no attribute ${wanted}`) : found;
  }),
  sum: builtin('attribute start', (value, [attribute, start = 0], machine) => {
    if (typeof start === 'string') throw new Error("sum() can't sum strings");
    let total: Value = start;
    for (const item of entriesIn(value, machine.budget))
      total = binary('+', total, attributeIn(item, attribute, machine), machine.budget);
    return total;
  }),
};
