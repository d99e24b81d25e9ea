/** Tests: what follows `is`. */

import { type Builtin, type Builtins, builtin } from './builtin.js';
import { holds, isIn } from './operators.js';
import { Callable, Float, numberOf, Stream, toInteger, Undefined, type Value } from './values.js';

const is = (test: (value: Value) => boolean): Builtin => builtin('', test);

/** A test that is an operator. */
const operator = (sign: string): Builtin =>
  builtin('other', (value, [other], { budget }) => holds(sign, value, other ?? null, budget));

const isInteger = (value: Value) => typeof value === 'number';

const remainder = (value: Value, divisor: number) => {
  if (divisor === 0) throw new Error('division by zero');
  return Math.abs(toInteger(value, 'the value') % divisor);
};

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
      (Array.isArray(value) && !(value instanceof Stream)),
  ),
  iterable: is(
    (value) =>
      typeof value === 'string' || value instanceof Map || value instanceof Undefined || Array.isArray(value),
  ),
  callable: is((value) => value instanceof Callable),
  odd: is((value) => remainder(value, 2) === 1),
  even: is((value) => remainder(value, 2) === 0),
  divisibleby: builtin('num', (value, [by]) => remainder(value, toInteger(by ?? null, 'num')) === 0),
  lower: is(
    (value) => typeof value === 'string' && value !== value.toUpperCase() && value === value.toLowerCase(),
  ),
  upper: is(
    (value) => typeof value === 'string' && value !== value.toLowerCase() && value === value.toUpperCase(),
  ),
  sameas: builtin('other', (value, [other]) => value === (other ?? null)),
  escaped: is(() => false),
  in: builtin('seq', (value, [container], { budget }) => isIn(value, container ?? null, budget)),
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
