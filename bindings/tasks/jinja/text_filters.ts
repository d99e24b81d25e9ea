/** Filters that make texts and numbers. */

import {
  type Arg,
  type Builtins,
  builtin,
  charactersOf,
  entriesOf,
  joinTexts,
  type Machine,
  repeatText,
  replaceText,
} from './builtin.js';
import { formatText } from './format_text.js';
import { attributeOf, itemOf } from './members.js';
import { print, toJson } from './print.js';
import { capitalize, textMethods } from './text_methods.js';
import { Float, isTrue, numberOf, Tuple, toInteger, toText, Undefined, type Value } from './values.js';
import { strip, wordsOf } from './white_space.js';

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
  const lines = print(value, budget).split('\n');
  budget.list(lines.length);
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
  const scale = 10 ** number(precision, 0);
  const scaled = given * scale;
  if (method === 'ceil') return new Float(Math.ceil(scaled) / scale);
  if (method === 'floor') return new Float(Math.floor(scaled) / scale);
  // Halves go to the even neighbour.
  const nearest = Math.round(scaled);
  const isHalf = Math.abs(scaled - Math.trunc(scaled)) === 0.5;
  return new Float((isHalf && nearest % 2 !== 0 ? nearest - 1 : nearest) / scale);
}

function toWhole(value: Value, [otherwise, base]: readonly Arg[]): Value {
  const written = typeof value === 'string' ? strip(value).replaceAll('_', '') : null;
  const radix = number(base, 10);
  if (written !== null && radix !== 10) {
    const parsed = Number.parseInt(written, radix);
    return Number.isSafeInteger(parsed) ? parsed : (otherwise ?? 0);
  }
  const parsed = written === null ? numberOf(value) : written === '' ? null : Number(written);
  return parsed === null || !Number.isFinite(parsed) ? (otherwise ?? 0) : Math.trunc(parsed);
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

function truncate(value: Value, [length, kill, end, leeway]: readonly Arg[], { budget }: Machine): string {
  const text = print(value, budget);
  const letters = charactersOf(text, budget);
  const ending = toText(end ?? '...', 'end');
  const size = number(length, 255);
  if (letters.length <= size + number(leeway, 5)) return text;
  const cut = letters.slice(0, Math.max(0, size - ending.length)).join('');
  const lastSpace = cut.lastIndexOf(' ');
  return (isTrue(kill ?? false) || lastSpace < 0 ? cut : cut.slice(0, lastSpace)) + ending;
}

function join(value: Value, [separator, attribute]: readonly Arg[], machine: Machine): string {
  const texts = entriesOf(value, machine.budget).map((item) =>
    print(attribute === undefined ? item : pathOf(item, attribute, machine), machine.budget),
  );
  return joinTexts(texts, print(separator ?? '', machine.budget), machine.budget);
}

/** The value that an attribute's dotted name, or an index, leads to. */
export function pathOf(value: Value, path: Value, machine: Machine): Value {
  if (typeof path !== 'string') return itemOf(value, path, machine);
  let found = value;
  for (const name of path.split('.'))
    found = /^\d+$/.test(name) ? itemOf(found, Number(name), machine) : itemOrAttribute(found, name, machine);
  return found;
}

function itemOrAttribute(value: Value, name: string, machine: Machine): Value {
  const item = itemOf(value, name, machine);
  return item instanceof Undefined ? attributeOf(value, name, machine) : item;
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
  replace: builtin('old new count', (value, [from, to, count], { budget }) => {
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
  urlencode: builtin('', (value, _args, { budget }) => {
    const text = print(value, budget);
    budget.string(9 * text.length);
    return encodeURIComponent(text).replace(/%2F|[!'()*]/g, (part) =>
      part === '%2F' ? '/' : `%${part.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  }),
  join: builtin('d attribute', join),
  abs: builtin('', (value) => {
    const given = numberOf(value);
    if (given === null) throw new Error('abs needs a number');
    return value instanceof Float ? new Float(Math.abs(given)) : Math.abs(given);
  }),
  round: builtin('precision method', round),
  int: builtin('default base', toWhole),
  float: builtin('default', (value, [otherwise]) => {
    const given = typeof value === 'string' && wordsOf(value).length === 1 ? Number(value) : numberOf(value);
    return given === null || Number.isNaN(given) ? (otherwise ?? new Float(0)) : new Float(given);
  }),
};

/** `format` takes any number of arguments. */
export const formatFilter = (value: Value, given: readonly Value[], machine: Machine): string =>
  formatText(print(value, machine.budget), Tuple.from(given), machine.budget);
