/** Tests: what follows `is`. */

import type { Budget } from './budget.js';
import { type Builtin, type Builtins, builtin } from './builtin.js';
import { isLower, isUpper } from './letters.js';
import { binary, holds, isIn } from './operators.js';
import { print } from './print.js';
import { Callable, DictView, Float, numberOf, Stream, Undefined, type Value } from './values.js';

const is = (test: (value: Value) => boolean): Builtin => builtin('', test);

/** A test that is an operator. */
const operator = (sign: string): Builtin =>
  builtin('other!', (value, [other], { budget }) => holds(sign, value, other ?? null, budget));

const isInteger = (value: Value) => typeof value === 'number';

/** Whether `value % divisor` is as asked. */
const hasRest = (value: Value, divisor: Value, rest: number, budget: Budget) =>
  numberOf(binary('%', value, divisor, budget)) === rest;

/** A test of a value's text. */
const ofText = (isSo: (text: string) => boolean): Builtin =>
  builtin('', (value, _args, { budget }) => {
    const text = print(value, budget);
    budget.string(text.length);
    return isSo(text);
  });

export const tests: Builtins = {
  defined: is((value) => !(value instanceof Undefined)),
  undefined: is((value) => value instanceof Undefined),
  none: is((value) => value === null),
  true: is((value) => value === true),
  false: is((value) => value === false),
  boolean: is((value) => typeof value === 'boolean'),
  string: is((value) => typeof value === 'string'),
  integer: is(isInteger),
  float: is((value) => value instanceof Float),
  number: is((value) => numberOf(value) !== null),
  mapping: is((value) => value instanceof Map),
  sequence: is(
    (value) =>
      typeof value === 'string' ||
      value instanceof Map ||
      value instanceof Undefined ||
      (Array.isArray(value) && !(value instanceof DictView)),
  ),
  iterable: is(
    (value) =>
      typeof value === 'string' ||
      value instanceof Map ||
      value instanceof Undefined ||
      value instanceof Stream ||
      Array.isArray(value),
  ),
  callable: is((value) => value instanceof Callable || value instanceof Undefined),
  odd: builtin('', (value, _args, { budget }) => hasRest(value, 2, 1, budget)),
  even: builtin('', (value, _args, { budget }) => hasRest(value, 2, 0, budget)),
  divisibleby: builtin('num!', (value, [by = null], { budget }) => hasRest(value, by, 0, budget)),
  lower: ofText(isLower),
  upper: ofText(isUpper),
  sameas: builtin('other!', (value, [other]) => value === (other ?? null)),
  escaped: is(() => false),
  in: builtin('seq!', (value, [container], { budget }) => isIn(value, container ?? null, budget)),
  '==': operator('=='),
  eq: operator('=='),
  equalto: operator('=='),
  '!=': operator('!='),
  ne: operator('!='),
  '<': operator('<'),
  lt: operator('<'),
  lessthan: operator('<'),
  '<=': operator('<='),
  le: operator('<='),
  '>': operator('>'),
  gt: operator('>'),
  greaterthan: operator('>'),
  '>=': operator('>='),
  ge: operator('>='),
};
