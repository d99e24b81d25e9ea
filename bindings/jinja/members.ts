/** Attributes, items and slices. Methods that change a value are refused, as by the sandbox of Python's library. */

import { type Builtins, bind, builtin, charactersOf, entriesOf, type Machine } from './builtin.js';
import { Dict, isHashable } from './dict.js';
import { formatFields } from './format_fields.js';
import { place, textMethods } from './text_methods.js';
import {
  Attributes,
  areEqual,
  Callable,
  DictView,
  Float,
  type Given,
  Group,
  isSequence,
  numberOf,
  Range,
  Tuple,
  toInteger,
  typeOf,
  Undefined,
  type Value,
  Watched,
} from './values.js';

const asMap = (value: Value) => (value instanceof Map ? value : new Dict());

function view(type: string, entries: Iterable<Value>): DictView {
  const made = DictView.from(entries) as DictView;
  made.type = type;
  return made;
}

const mapMethods: Builtins = {
  items: builtin('', (value) =>
    view(
      'dict_items',
      Array.from(asMap(value), ([key, item]) => Tuple.of<Value>(key, item)),
    ),
  ),
  keys: builtin('', (value) => view('dict_keys', asMap(value).keys())),
  values: builtin('', (value) => view('dict_values', asMap(value).values())),
  get: builtin('key! default /', (value, [key = null, otherwise = null]) => {
    const item = asMap(value).get(key);
    return item === undefined ? otherwise : item;
  }),
  copy: builtin('', (value) => Dict.of(asMap(value))),
  fromkeys: builtin('iterable! value /', (_value, [keys = null, item = null], { budget }) => {
    const entries = entriesOf(keys, budget);
    budget.list(2 * entries.length);
    return Dict.of(entries.map((key) => [key, item]));
  }),
};

const sequenceMethods: Builtins = {
  index: builtin('value! start stop /', (list, [wanted = null, start, stop], { budget }) => {
    const entries = entriesOf(list, budget);
    const [from, to] = [place(start, 0, entries.length), place(stop, entries.length, entries.length)];
    const at = entries.findIndex((item, i) => i >= from && i < to && areEqual(item, wanted, budget));
    if (at < 0) throw new Error('the value is not in the list');
    return at;
  }),
  count: builtin(
    'value! /',
    (list, [wanted = null], { budget }) =>
      entriesOf(list, budget).filter((item) => areEqual(item, wanted, budget)).length,
  ),
};

const listMethods: Builtins = {
  ...sequenceMethods,
  copy: builtin('', (list, _args, { budget }) => entriesOf(list, budget)),
};

const numberMethods: Builtins = {
  is_integer: builtin('', (value) => Number.isInteger(numberOf(value))),
};

const integerMethods: Builtins = {
  bit_length: builtin('', (value) => {
    const size = Math.abs(numberOf(value) ?? 0);
    return size === 0 ? 0 : size.toString(2).length;
  }),
};

const changing = 'append extend insert pop remove clear sort reverse update setdefault popitem'.split(' ');

function methodsOf(value: Value): Builtins {
  if (typeof value === 'string') return textMethods;
  if (value instanceof Map) return mapMethods;
  if (value instanceof Float) return numberMethods;
  if (numberOf(value) !== null) return integerMethods;
  if (value instanceof Tuple || value instanceof Range) return sequenceMethods;
  return isSequence(value) ? listMethods : {};
}

function methodOf(value: Value, name: string, machine: Machine): Value | undefined {
  if (typeof value === 'string' && (name === 'format' || name === 'format_map'))
    return new Callable(name, (given) => formatFields(value, fieldsOf(name, given), machine));
  const methods = methodsOf(value);
  if (Object.hasOwn(methods, name)) {
    const method = methods[name];
    if (!method) return undefined;
    return new Callable(name, (given) => {
      if (Array.isArray(value)) machine.budget.list(value.length);
      else if (value instanceof Map) machine.budget.list(3 * value.size);
      return method.run(value, bind(name, method.parameters, given), machine);
    });
  }
  if (!changing.includes(name) || value instanceof Tuple) return undefined;
  return isSequence(value) || value instanceof Map
    ? new Undefined(`access to attribute '${name}' of '${typeOf(value)}' object is unsafe`)
    : undefined;
}

/** The arguments of `format`; those of `format_map` are a mapping's entries. */
function fieldsOf(name: string, given: Given): Given {
  if (name === 'format') return given;
  const [mapping] = bind(name, ['mapping!', '/'], given);
  if (!(mapping instanceof Map)) throw new Error('format_map() needs a mapping');
  return { positional: [], named: mapping as Map<string, Value> };
}

/** What values have besides methods. */
function propertyOf(value: Value, name: string): Value | undefined {
  if (value instanceof Group) return name === 'grouper' ? value[0] : name === 'list' ? value[1] : undefined;
  if (value instanceof Range) {
    const at = ['start', 'stop', 'step'].indexOf(name);
    return at < 0 ? undefined : value.bounds[at];
  }
  const number = numberOf(value);
  if (number === null) return undefined;
  if (name === 'real') return value instanceof Float ? value : number;
  return name === 'imag' ? (value instanceof Float ? new Float(0) : 0) : undefined;
}

/** `value.name`: a method before an entry of a mapping. */
export function attributeOf(value: Value, name: string, machine: Machine): Value {
  if (value instanceof Undefined && !name.startsWith('__')) value.fail();
  if (value instanceof Callable && value.attributes) return attributeOf(value.attributes, name, machine);
  const own = ownAttribute(value, name, machine);
  if (own !== undefined) return own;
  const item = value instanceof Map ? value.get(name) : undefined;
  return item === undefined ? missing(value, name, machine) : item;
}

/** An attribute that is no entry of a mapping. */
export function ownAttribute(value: Value, name: string, machine: Machine): Value | undefined {
  if (value instanceof Attributes) return value.get(name);
  return methodOf(value, name, machine) ?? propertyOf(value, name);
}

/** `value[key]`: an entry of a mapping before a method. */
export function itemOf(value: Value, key: Value, machine: Machine): Value {
  if (value instanceof Undefined) value.fail();
  if (value instanceof Map) {
    const item = isHashable(key) ? value.get(key) : undefined;
    if (item !== undefined) return item;
  } else if (typeof key === 'number' || typeof key === 'boolean') {
    if (value instanceof Watched) value.onRead();
    const items = typeof value === 'string' ? charactersOf(value, machine.budget) : value;
    const item = Array.isArray(items) && !(items instanceof DictView) ? items.at(Number(key)) : undefined;
    if (item !== undefined) return item;
  } else if (typeof key === 'string' && (value instanceof Attributes || value instanceof Callable))
    return attributeOf(value, key, machine);
  const own = typeof key === 'string' ? ownAttribute(value, key, machine) : undefined;
  return own === undefined ? missing(value, key, machine) : own;
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
  if (!Array.isArray(items) || items instanceof DictView)
    throw new Error(`'${typeOf(value)}' object cannot be sliced`);
  if (value instanceof Watched) value.onRead();
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
  if (items instanceof Range) {
    const [from, , by] = items.bounds;
    return rangeOf([from + start * by, from + stop * by, by * step], chosen);
  }
  return typeof value === 'string' ? chosen.join('') : chosen;
}

/** A range with its entries. */
export function rangeOf(bounds: Range['bounds'], entries: readonly Value[]): Range {
  const made = Range.from(entries) as Range;
  made.bounds = bounds;
  return made;
}
