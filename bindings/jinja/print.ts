/**
 * How Python writes values: `str`, `repr` and `json.dumps`. Lists are written in pieces that are paid for one by one.
 */

import type { Budget } from './budget.js';
import { escapeOf, quoted } from './escapes.js';
import {
  Attributes,
  Callable,
  compare,
  DictView,
  Float,
  isSequence,
  Range,
  Tuple,
  typeOf,
  Undefined,
  type Value,
  Watched,
} from './values.js';

export function print(value: Value, budget: Budget): string {
  if (typeof value === 'string') return value;
  if (value instanceof Undefined) return '';
  return represent(value, budget);
}

/** Python's `ascii`. */
export function ascii(value: Value, budget: Budget): string {
  const text = represent(value, budget);
  budget.string(10 * text.length);
  return text.replace(/[^\0-\x7f]/gu, (letter) => escapeOf(letter.codePointAt(0) ?? 0));
}

/** Python's `repr`. */
export function represent(value: Value, budget: Budget): string {
  const parts: string[] = [];
  writeValue(value, { budget, add: adder(parts, budget) });
  return parts.join('');
}

interface Output {
  readonly budget: Budget;
  readonly add: (text: string) => void;
}

function adder(parts: string[], budget: Budget): (text: string) => void {
  let length = 0;
  return (text) => {
    length += text.length;
    budget.string(text.length);
    budget.joined(length);
    parts.push(text);
  };
}

function writeValue(value: Value, output: Output): void {
  const { budget, add } = output;
  budget.step();
  if (typeof value === 'string') {
    budget.string(value.length);
    add(quoted(value));
  } else if (value instanceof Range) {
    const [start, stop, step] = value.bounds;
    add(`range(${start}, ${stop}${step === 1 ? '' : `, ${step}`})`);
  } else if (Array.isArray(value)) {
    const isTuple = value instanceof Tuple;
    if (value instanceof DictView) add(`${value.type}(`);
    add(isTuple ? '(' : '[');
    budget.within(() => {
      for (const [i, item] of value.entries()) {
        if (i > 0) add(', ');
        writeValue(item, output);
      }
    });
    add(isTuple ? (value.length === 1 ? ',)' : ')') : ']');
    if (value instanceof DictView) add(')');
  } else if (value instanceof Map) {
    add('{');
    budget.within(() => {
      let isFirst = true;
      for (const [key, item] of value) {
        if (!isFirst) add(', ');
        isFirst = false;
        writeValue(key, output);
        add(': ');
        writeValue(item, output);
      }
    });
    add('}');
  } else if (value instanceof Attributes || value instanceof Callable) {
    const shown = value instanceof Attributes ? value : value.attributes;
    add(shown?.show((inner) => represent(inner, budget)) ?? `<function ${value.type}>`);
  } else add(simple(value));
}

function simple(value: Value): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value instanceof Float) return printFloat(value.value);
  if (value instanceof Undefined) return 'Undefined';
  return typeof value === 'number' ? String(value) : `<${typeOf(value)}>`;
}

/** With a point or an exponent always, and the exponent with two digits at least. */
export function printFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16))
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  const written = Object.is(value, -0) ? '-0' : String(value);
  return written.includes('.') ? written : `${written}.0`;
}

interface JsonStyle {
  /** The indent of each level; `null` for one line. */
  readonly indent: string | null;
  readonly between: string;
  readonly afterKey: string;
  readonly sortsKeys: boolean;
  readonly isAscii: boolean;
}

/** Python's `json.dumps`. @throws Error for what JSON has no form for */
export function toJson(value: Value, style: JsonStyle, budget: Budget): string {
  const parts: string[] = [];
  writeJson(value, { budget, add: adder(parts, budget) }, { style, depth: 0 });
  return parts.join('');
}

interface Place {
  readonly style: JsonStyle;
  readonly depth: number;
}

function writeJson(value: Value, output: Output, place: Place): void {
  const { budget, add } = output;
  budget.step();
  if (typeof value === 'string') {
    budget.string(value.length);
    add(jsonText(value, place.style.isAscii));
  } else if (isSequence(value)) {
    if (value instanceof Watched) value.onRead();
    writeMembers(value, output, place, ['[', ']'], (item, inner) => writeJson(item, output, inner));
  } else if (value instanceof Map) {
    const entries = [...value];
    if (place.style.sortsKeys) entries.sort(([a], [b]) => compare(a, b, '<', budget));
    writeMembers(entries, output, place, ['{', '}'], ([key, item], inner) => {
      add(jsonText(jsonKey(key), place.style.isAscii) + place.style.afterKey);
      writeJson(item, output, inner);
    });
  } else add(jsonSimple(value));
}

function writeMembers<T>(
  members: readonly T[],
  { budget, add }: Output,
  { style, depth }: Place,
  [open, close]: readonly [string, string],
  write: (member: T, place: Place) => void,
): void {
  if (members.length === 0) {
    add(open + close);
    return;
  }
  const lineAt = (level: number) => {
    if (style.indent === null) return '';
    budget.string(style.indent.length * level);
    return `\n${style.indent.repeat(level)}`;
  };
  add(open);
  budget.within(() => {
    for (const [i, member] of members.entries()) {
      add((i > 0 ? style.between : '') + lineAt(depth + 1));
      write(member, { style, depth: depth + 1 });
    }
  });
  add(lineAt(depth) + close);
}

function jsonSimple(value: Value): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (value instanceof Float) {
    if (Number.isFinite(value.value)) return printFloat(value.value);
    return Number.isNaN(value.value) ? 'NaN' : value.value > 0 ? 'Infinity' : '-Infinity';
  }
  throw new Error(`Object of type ${typeOf(value)} is not JSON serializable`);
}

function jsonKey(key: Value): string {
  if (typeof key === 'string') return key;
  if (Array.isArray(key) || key instanceof Map || key instanceof Attributes)
    throw new Error(`keys must be str, int, float, bool or None, not ${typeOf(key)}`);
  return jsonSimple(key);
}

function jsonText(text: string, isAscii: boolean): string {
  // JavaScript writes lone surrogates as escapes; Python does so only where it writes nothing but ASCII.
  const written = JSON.stringify(text);
  if (!isAscii) return written;
  return written.replace(
    /[\x7f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
