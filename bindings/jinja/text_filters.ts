/** Filters that make texts and numbers. */

import {
  type Arg,
  type Builtins,
  builtin,
  charactersOf,
  entriesOf,
  joinTexts,
  lengthOf,
  type Machine,
  repeatText,
  replaceText,
} from './builtin.js';
import { Dict } from './dict.js';
import { formatText } from './format_text.js';
import { capitalize } from './letters.js';
import { itemOf } from './members.js';
import { readFloat, readInteger, rounded } from './numbers.js';
import { filesizeformat, striptags, wordwrap } from './page_filters.js';
import { print, toJson } from './print.js';
import { linesOf, textMethods } from './text_methods.js';
import {
  Attributes,
  Callable,
  Float,
  type Given,
  isTrue,
  numberOf,
  Tuple,
  toInteger,
  toText,
  Undefined,
  type Value,
  wholeNumber,
} from './values.js';
import { strip } from './white_space.js';

/** A filter that is a method of the value as a text. */
const asText = (name: string, parameters = '') =>
  builtin(parameters, (value, args, machine) => {
    const method = textMethods[name];
    return method ? method.run(print(value, machine.budget), args, machine) : null;
  });

const number = (value: Arg, otherwise: number) =>
  value === undefined || value === null ? otherwise : toInteger(value, 'the argument');

/** Lines after the first are indented; blank ones only with `blank`. */
function indent(value: Value, [width, first, blank]: readonly Arg[], { budget }: Machine): string {
  const by = typeof width === 'string' ? width : repeatText(' ', number(width, 4), budget);
  // Python's filter adds a line break before it splits: what ends with one has a last, empty line.
  const lines = linesOf(`${toText(value, 'the value')}\n`, false, budget);
  const indented = lines.map((line, i) => {
    const isIndented = i === 0 ? isTrue(first ?? false) : line !== '' || isTrue(blank ?? false);
    if (isIndented) budget.string(by.length + line.length);
    return isIndented ? by + line : line;
  });
  return joinTexts(indented, '\n', budget);
}

function json(
  value: Value,
  [ensureAscii, width, separators, sort]: readonly Arg[],
  { budget }: Machine,
): string {
  const indentation = typeof width === 'string' ? width : null;
  const spaces = typeof width === 'number' ? repeatText(' ', width, budget) : indentation;
  const [between, afterKey] = Array.isArray(separators) ? separators : [spaces === null ? ', ' : ',', ': '];
  const style = {
    indent: spaces,
    between: toText(between ?? null, 'a separator'),
    afterKey: toText(afterKey ?? null, 'a separator'),
    sortsKeys: isTrue(sort ?? false),
    isAscii: isTrue(ensureAscii ?? false),
  };
  return toJson(value, style, budget);
}

function round(value: Value, [precision, method]: readonly Arg[]): Value {
  const given = numberOf(value);
  if (given === null) throw new Error('round needs a number');
  const digits = number(precision, 0);
  if (method === undefined || method === 'common') {
    if (!(value instanceof Float)) return rounded(given, digits);
    return new Float(rounded(given, digits));
  }
  if (method !== 'ceil' && method !== 'floor') throw new Error('method must be common, ceil or floor');
  const scale = 10 ** digits;
  // Python's ceil and floor give integers, which have no negative zero.
  return new Float((Math[method](given * scale) + 0) / scale);
}

function toWhole(value: Value, [otherwise = 0, base]: readonly Arg[]): Value {
  if (value instanceof Undefined) value.fail();
  const written = typeof value === 'string' ? strip(value) : null;
  const whole = written === null ? null : readInteger(written, number(base, 10));
  if (whole !== null) return wholeNumber(whole);
  const parsed = written === null ? numberOf(value) : readFloat(written);
  if (parsed === null || Number.isNaN(parsed)) return otherwise;
  if (Number.isFinite(parsed)) return wholeNumber(Math.trunc(parsed));
  if (written === null) throw new Error('cannot convert float infinity to integer');
  return otherwise;
}

function toFloat(value: Value, [otherwise = new Float(0)]: readonly Arg[]): Value {
  if (value instanceof Undefined) value.fail();
  const given = typeof value === 'string' ? readFloat(strip(value)) : numberOf(value);
  return given === null ? otherwise : new Float(given);
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

const escaped = builtin('', (value, _args, { budget }) => {
  const text = print(value, budget);
  budget.string(5 * text.length);
  return text.replace(/[&<>"']/g, (letter) => escapes[letter] ?? letter);
});

function truncate(value: Value, [length, kill, end, leeway]: readonly Arg[], { budget }: Machine): Value {
  const ending = toText(end ?? '...', 'end');
  const size = number(length, 255);
  if (size < ending.length || number(leeway, 5) < 0)
    throw new Error(`expected length >= ${ending.length}, got ${size}, and leeway >= 0`);
  if (lengthOf(value, budget) <= size + number(leeway, 5)) return value;
  const letters = charactersOf(toText(value, 'the value'), budget);
  const cut = letters.slice(0, Math.max(0, size - ending.length)).join('');
  const lastSpace = cut.lastIndexOf(' ');
  return (isTrue(kill ?? false) || lastSpace < 0 ? cut : cut.slice(0, lastSpace)) + ending;
}

function join(value: Value, [separator, attribute]: readonly Arg[], machine: Machine): string {
  const texts = entriesOf(value, machine.budget).map((item) =>
    print(
      attribute === undefined || attribute === null ? item : pathOf(item, attribute, machine),
      machine.budget,
    ),
  );
  return joinTexts(texts, print(separator ?? '', machine.budget), machine.budget);
}

/**
 * The value that an attribute's dotted name, or an index, leads to.
 *
 * @param otherwise instead of a part that does not exist
 */
export function pathOf(value: Value, path: Value, machine: Machine, otherwise: Arg = null): Value {
  const parts = typeof path === 'string' ? path.split('.') : [path];
  let found = value;
  for (const part of parts) {
    const key = typeof part === 'string' && /^\d+$/.test(part) ? Number(part) : part;
    found = itemOf(found, key, machine);
    if (found instanceof Undefined && otherwise !== null) found = otherwise;
  }
  return found;
}

function quoted(text: string, isQuery: boolean): string {
  const escaped = encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return isQuery ? escaped.replaceAll('%20', '+') : escaped.replaceAll('%2F', '/');
}

/** A text as a part of an address, or pairs as its query. */
function urlencode(value: Value, _args: readonly Arg[], { budget }: Machine): string {
  const show = (item: Value, isQuery: boolean) => {
    const text = print(item, budget);
    budget.string(9 * text.length);
    return quoted(text, isQuery);
  };
  const hasEntries = typeof value !== 'string' && typeof value === 'object' && value !== null;
  if (!hasEntries || value instanceof Float || value instanceof Callable || value instanceof Attributes)
    return show(value, false);
  const entries: Value[] =
    value instanceof Map ? [...value].map((entry) => Tuple.from<Value>(entry)) : entriesOf(value, budget);
  const pairs = entries.map((entry) => {
    const pair = entriesOf(entry, budget);
    if (pair.length !== 2) throw new Error(`urlencode takes pairs, and one has ${pair.length} entries`);
    return pair.map((item) => show(item, true)).join('=');
  });
  return joinTexts(pairs, '&', budget);
}

export const textFilters: Builtins = {
  upper: asText('upper'),
  lower: asText('lower'),
  capitalize: builtin('', (value, _args, { budget }) => capitalize(print(value, budget))),
  title: builtin('', (value, _args, { budget }) => {
    const text = print(value, budget);
    budget.string(text.length);
    return text.replace(/[^-\s({[<]+/g, capitalize);
  }),
  trim: asText('strip', 'chars'),
  string: builtin('', (value, _args, { budget }) => print(value, budget)),
  safe: builtin('', (value, _args, { budget }) => print(value, budget)),
  escape: escaped,
  e: escaped,
  forceescape: escaped,
  replace: builtin('old! new! count', (value, [from, to, count], { budget }) => {
    const pair = [print(from ?? null, budget), print(to ?? null, budget)] as const;
    return replaceText(print(value, budget), pair, number(count, -1), budget);
  }),
  center: builtin('width', (value, [width], machine) =>
    textMethods.center ? textMethods.center.run(print(value, machine.budget), [width ?? 80], machine) : null,
  ),
  indent: builtin('width first blank', indent),
  tojson: builtin('ensure_ascii indent separators sort_keys', json),
  truncate: builtin('length killwords end leeway', truncate),
  wordcount: builtin('', (value, _args, { budget }) => {
    const text = print(value, budget);
    budget.string(text.length);
    return (text.match(/[\p{L}\p{N}_]+/gu) ?? []).length;
  }),
  urlencode: builtin('', urlencode),
  join: builtin('d attribute', join),
  abs: builtin('', (value) => {
    const given = numberOf(value);
    if (given === null) throw new Error('abs needs a number');
    return value instanceof Float ? new Float(Math.abs(given)) : Math.abs(given);
  }),
  round: builtin('precision method', round),
  int: builtin('default base', toWhole),
  float: builtin('default', toFloat),
  striptags: builtin('', striptags),
  filesizeformat: builtin('binary', filesizeformat),
  wordwrap: builtin('width break_long_words wrapstring break_on_hyphens', wordwrap),
};

/** `format` takes any number of arguments, with names or without. */
export function formatFilter(value: Value, { positional, named }: Given, { budget }: Machine): string {
  if (positional.length > 0 && named.size > 0)
    throw new Error("can't handle positional and keyword arguments at the same time");
  return formatText(print(value, budget), named.size > 0 ? Dict.of(named) : Tuple.from(positional), budget);
}
