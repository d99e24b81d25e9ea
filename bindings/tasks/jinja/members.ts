/** Attributes, items and slices. Methods that change a value are refused, as by the sandbox of Python's library. */

import { type Builtins, bind, builtin, charactersOf, entriesOf, type Machine } from './builtin.js';
import { Dict, isHashable } from './dict.js';
import { textMethods } from './text_methods.js';
import {
  Attributes,
  areEqual,
  Callable,
  Stream,
  Tuple,
  toInteger,
  typeOf,
  Undefined,
  type Value,
} from './values.js';

const asMap = (value: Value) => (value instanceof Map ? value : new Dict());

const mapMethods: Builtins = {
  items: builtin('', (value, _args, { budget }) => {
    const entries = asMap(value);
    budget.list(3 * entries.size);
    return Array.from(entries, ([key, item]) => Tuple.of<Value>(key, item));
  }),
  keys: builtin('', (value) => [...asMap(value).keys()]),
  values: builtin('', (value) => [...asMap(value).values()]),
  get: builtin('key default', (value, [key = null, otherwise = null]) => {
    const item = asMap(value).get(key);
    return item === undefined ? otherwise : item;
  }),
  copy: builtin('', (value) => Dict.of(asMap(value))),
};

const listMethods: Builtins = {
  index: builtin('value', (list, [wanted], { budget }) => {
    const at = entriesOf(list, budget).findIndex((item) => areEqual(item, wanted ?? null, budget));
    if (at < 0) throw new Error('the value is not in the list');
    return at;
  }),
  count: builtin(
    'value',
    (list, [wanted], { budget }) =>
      entriesOf(list, budget).filter((item) => areEqual(item, wanted ?? null, budget)).length,
  ),
  copy: builtin('', (list, _args, { budget }) => entriesOf(list, budget)),
};

const changing = 'append extend insert pop remove clear sort reverse update setdefault popitem'.split(' ');

function methodsOf(value: Value): Builtins {
  if (typeof value === 'string') return textMethods;
  if (value instanceof Map) return mapMethods;
  return Array.isArray(value) && !(value instanceof Stream) ? listMethods : {};
}

function methodOf(value: Value, name: string, machine: Machine): Value | undefined {
  const methods = methodsOf(value);
  if (Object.hasOwn(methods, name)) {
    const method = methods[name];
    if (!method) return undefined;
    return new Callable(name, (given) => {
      if (Array.isArray(value) || value instanceof Map) machine.budget.list(entryCount(value));
      return method.run(value, bind(name, method.parameters, given), machine);
    });
  }
  if (!changing.includes(name) || !(Array.isArray(value) || value instanceof Map)) return undefined;
  return new Callable(name, () => {
    throw new Error(`access to attribute '${name}' of '${typeOf(value)}' object is unsafe`);
  });
}

const entryCount = (value: Value[] | Map<Value, Value>) => (value instanceof Map ? value.size : value.length);

/** `value.name`: a method before an entry of a mapping. */
export function attributeOf(value: Value, name: string, machine: Machine): Value {
  if (value instanceof Undefined) value.fail();
  if (value instanceof Callable && value.attributes) return attributeOf(value.attributes, name, machine);
  if (value instanceof Attributes) return value.values.get(name) ?? missing(value, name, machine);
  const method = methodOf(value, name, machine);
  if (method !== undefined) return method;
  const item = value instanceof Map ? value.get(name) : undefined;
  return item === undefined ? missing(value, name, machine) : item;
}

/** `value[key]`: an entry of a mapping before a method. */
export function itemOf(value: Value, key: Value, machine: Machine): Value {
  if (value instanceof Undefined) value.fail();
  if (value instanceof Map) {
    const item = isHashable(key) ? value.get(key) : undefined;
    if (item !== undefined) return item;
  } else if ((typeof key === 'number' || typeof key === 'boolean') && !(value instanceof Stream)) {
    const items = typeof value === 'string' ? charactersOf(value, machine.budget) : value;
    const item = Array.isArray(items) ? items.at(Number(key)) : undefined;
    if (item !== undefined) return item;
  } else if (typeof key === 'string' && value instanceof Attributes) return attributeOf(value, key, machine);
  const method = typeof key === 'string' ? methodOf(value, key, machine) : undefined;
  return method ?? missing(value, key, machine);
}

function missing(value: Value, key: Value, { budget }: Machine): Undefined {
  budget.step();
  if (typeof key !== 'string') return new Undefined(`${typeOf(value)} object has no element ${String(key)}`);
  return new Undefined(`'${typeOf(value)} object' has no attribute '${key.slice(0, 60)}'`);
}

/** @param bounds start, stop and step; `null` for one that is omitted */
export function sliceOf(value: Value, bounds: readonly (Value | undefined)[], { budget }: Machine): Value {
  if (value instanceof Undefined) value.fail();
  const items = typeof value === 'string' ? charactersOf(value, budget) : value;
  if (!Array.isArray(items) || items instanceof Stream)
    throw new Error(`'${typeOf(value)}' object cannot be sliced`);
  const bound = (i: number) => {
    const given = bounds[i];
    return given === undefined || given === null ? null : toInteger(given, "a slice's bound");
  };
  const step = bound(2) ?? 1;
  if (step === 0) throw new Error('slice step cannot be zero');
  const { length } = items;
  const [first, last] = step > 0 ? [0, length] : [-1, length - 1];
  const clamp = (given: number | null, otherwise: number) => {
    if (given === null) return otherwise;
    return Math.max(first, Math.min(last, given < 0 ? given + length : given));
  };
  const [start, stop] = [clamp(bound(0), step > 0 ? 0 : length - 1), clamp(bound(1), step > 0 ? length : -1)];
  const count = Math.max(0, Math.ceil((stop - start) / step));
  budget.list(count);
  const chosen: Value[] = items instanceof Tuple ? new Tuple() : [];
  for (let i = 0; i < count; i++) chosen.push(items[start + i * step] ?? null);
  return typeof value === 'string' ? chosen.join('') : chosen;
}
