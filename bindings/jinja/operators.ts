/** Python's operators. */

import type { Budget } from './budget.js';
import { entriesIn, payForSearch, repeatText } from './builtin.js';
import { isHashable } from './dict.js';
import { formatText } from './format_text.js';
import { print } from './print.js';
import {
  areEqual,
  compare,
  DictView,
  Float,
  isSequence,
  isTrue,
  numberOf,
  Tuple,
  typeOf,
  Undefined,
  type Value,
  wholeNumber,
} from './values.js';

export function unary(sign: string, value: Value): Value {
  if (sign === 'not') return !isTrue(value);
  if (value instanceof Undefined) value.fail();
  const number = numberOf(value);
  if (number === null) throw new Error(`bad operand type for unary ${sign}: '${typeOf(value)}'`);
  const result = sign === '-' ? -number : number;
  return value instanceof Float ? new Float(result) : wholeNumber(result);
}

export function binary(sign: string, left: Value, right: Value, budget: Budget): Value {
  if (sign === '~') {
    const [a, b] = [print(left, budget), print(right, budget)];
    budget.joined(a.length + b.length);
    return a + b;
  }
  if (sign === '%' && typeof left === 'string') return formatText(left, right, budget);
  for (const value of [left, right]) if (value instanceof Undefined) value.fail();
  if (sign === '+') {
    const sum = concatenate(left, right, budget);
    if (sum !== null) return sum;
  }
  if (sign === '*') {
    const repeated = repeat(left, right, budget) ?? repeat(right, left, budget);
    if (repeated !== null) return repeated;
  }
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a === null || b === null)
    throw new Error(`unsupported operand types for ${sign}: '${typeOf(left)}' and '${typeOf(right)}'`);
  const result = calculate(sign, a, b);
  if (sign === '**' && !Number.isFinite(result) && Number.isFinite(a) && Number.isFinite(b))
    throw new Error('the power is too large, or no real number');
  const isFloat = left instanceof Float || right instanceof Float || sign === '/' || (sign === '**' && b < 0);
  return isFloat ? new Float(result) : wholeNumber(result);
}

function concatenate(left: Value, right: Value, budget: Budget): Value {
  if (typeof left === 'string' && typeof right === 'string') {
    budget.joined(left.length + right.length);
    return left + right;
  }
  if (!isSequence(left) || !isSequence(right) || typeOf(left) !== typeOf(right)) return null;
  budget.list(left.length + right.length);
  return left.concat(right);
}

function repeat(value: Value, times: Value, budget: Budget): Value {
  if (typeof times !== 'number' && typeof times !== 'boolean') return null;
  const count = Math.max(0, Number(times));
  if (typeof value === 'string') return repeatText(value, count, budget);
  if (!isSequence(value)) return null;
  budget.list(value.length * count);
  const repeated: Value[] = value instanceof Tuple ? new Tuple() : [];
  for (let i = 0; i < count * value.length; i++) repeated.push(value[i % value.length] ?? null);
  return repeated;
}

function calculate(sign: string, a: number, b: number): number {
  if (b === 0 && '/ // %'.split(' ').includes(sign)) throw new Error('division by zero');
  switch (sign) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '//':
      return floorQuotient(a, b);
    case '%':
      return remainder(a, b);
    default:
      return a ** b;
  }
}

/** With the sign of the divisor. */
export function remainder(a: number, b: number): number {
  if (b === 0) throw new Error('division by zero');
  const rest = a % b;
  if (rest === 0) return b < 0 ? -0 : 0;
  return rest < 0 !== b < 0 ? rest + b : rest;
}

/** As Python rounds it: the difference to the remainder divides almost exactly. */
function floorQuotient(a: number, b: number): number {
  const quotient = (a - remainder(a, b)) / b;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

export function isIn(value: Value, container: Value, budget: Budget): boolean {
  if (typeof container === 'string') {
    if (typeof value !== 'string')
      throw new Error(`'in <string>' requires string as left operand, not ${typeOf(value)}`);
    payForSearch(container, value, budget);
    return container.includes(value);
  }
  if (container instanceof Map) return container.has(value);
  if (container instanceof DictView && container.type === 'dict_keys' && !isHashable(value))
    throw new Error(`unhashable type: '${typeOf(value)}'`);
  // Python asks a list without going through it as a template does.
  const entries = Array.isArray(container) ? container : entriesIn(container, budget);
  for (const item of entries) if (areEqual(item, value, budget)) return true;
  return false;
}

export function holds(sign: string, left: Value, right: Value, budget: Budget): boolean {
  if (sign === '==') return areEqual(left, right, budget);
  if (sign === '!=') return !areEqual(left, right, budget);
  if (sign === 'in') return isIn(left, right, budget);
  if (sign === 'not in') return !isIn(left, right, budget);
  const order = compare(left, right, sign, budget);
  if (sign === '<') return order < 0;
  if (sign === '<=') return order <= 0;
  return sign === '>' ? order > 0 : order >= 0;
}
