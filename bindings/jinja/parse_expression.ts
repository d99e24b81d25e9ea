/** Reads expressions, by Jinja's grammar; each function reads one level of precedence. */

import { type Arguments, type Comparison, type Expression, type Filter, noArguments } from './syntax.js';
import type { TokenReader } from './token_reader.js';
import { Float, type Value, wholeNumber } from './values.js';

export function parseExpression(tokens: TokenReader, allowsChoice = true): Expression {
  return tokens.budget.within(() => (allowsChoice ? parseChoice(tokens) : parseOr(tokens)));
}

/** Expressions with commas between them are a tuple. */
export function parseTuple(tokens: TokenReader, allowsChoice = true): Expression {
  const first = parseExpression(tokens, allowsChoice);
  if (!tokens.is('operator', ',')) return first;
  const items = [first];
  while (tokens.skip(',')) {
    if (tokens.is('close') || tokens.is('operator', ')', ']', '=') || tokens.is('name', 'in')) break;
    items.push(parseExpression(tokens, allowsChoice));
  }
  return { kind: 'tuple', items };
}

function parseChoice(tokens: TokenReader): Expression {
  let yes = parseOr(tokens);
  while (tokens.skipName('if')) {
    const test = parseOr(tokens);
    const no = tokens.skipName('else') ? parseExpression(tokens) : null;
    yes = { kind: 'choice', test, yes, no };
  }
  return yes;
}

/** A level of operators that are read from left to right. */
const level =
  (inner: (tokens: TokenReader) => Expression, isName: boolean, ...signs: readonly string[]) =>
  (tokens: TokenReader): Expression => {
    let left = inner(tokens);
    while (tokens.is(isName ? 'name' : 'operator', ...signs)) {
      const sign = tokens.take().text;
      left = { kind: 'binary', sign, left, right: inner(tokens) };
    }
    return left;
  };

const parsePower = level((tokens) => parseUnary(tokens, true), false, '**');
const parseProduct = level(parsePower, false, '*', '/', '//', '%');
const parseJoined = level(parseProduct, false, '~');
const parseSum = level(parseJoined, false, '+', '-');
const parseAnd = level(parseNot, true, 'and');
const parseOr = level(parseAnd, true, 'or');

function parseNot(tokens: TokenReader): Expression {
  if (!tokens.skipName('not')) return parseComparison(tokens);
  return { kind: 'unary', sign: 'not', of: tokens.budget.within(() => parseNot(tokens)) };
}

const comparisons = ['==', '!=', '<', '<=', '>', '>='];

function parseComparison(tokens: TokenReader): Expression {
  const first = parseSum(tokens);
  const rest: Comparison[] = [];
  for (;;) {
    let sign: string;
    if (tokens.is('operator', ...comparisons)) sign = tokens.take().text;
    else if (tokens.skipName('in')) sign = 'in';
    else if (tokens.is('name', 'not') && tokens.next.kind === 'name' && tokens.next.text === 'in') {
      tokens.take();
      tokens.take();
      sign = 'not in';
    } else break;
    rest.push({ sign, right: parseSum(tokens) });
  }
  return rest.length === 0 ? first : { kind: 'compare', first, rest };
}

function parseUnary(tokens: TokenReader, withFilters: boolean): Expression {
  const sign = tokens.is('operator', '-', '+') ? tokens.take().text : null;
  const plain: Expression = sign
    ? { kind: 'unary', sign, of: tokens.budget.within(() => parseUnary(tokens, false)) }
    : parsePrimary(tokens);
  const whole = parsePostfix(tokens, plain);
  return withFilters ? parseFiltersAndTests(tokens, whole) : whole;
}

export const constants: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);

function parsePrimary(tokens: TokenReader): Expression {
  const { kind, text } = tokens.current;
  if (kind === 'name') {
    tokens.take();
    const value = constants.get(text);
    return value === undefined ? { kind: 'name', name: text } : { kind: 'constant', value };
  }
  if (kind === 'string') {
    let value = '';
    while (tokens.is('string')) value += tokens.take().text;
    return { kind: 'constant', value };
  }
  if (kind === 'integer') {
    tokens.take();
    return { kind: 'constant', value: wholeNumber(Number(text)) };
  }
  if (kind === 'float') {
    tokens.take();
    return { kind: 'constant', value: new Float(Number(text)) };
  }
  if (tokens.skip('(')) return parseParentheses(tokens);
  if (tokens.skip('[')) return { kind: 'list', items: parseItems(tokens, ']') };
  if (tokens.skip('{')) return parseMapping(tokens);
  throw tokens.error(`unexpected ${tokens.shown()}`);
}

function parseParentheses(tokens: TokenReader): Expression {
  if (tokens.skip(')')) return { kind: 'tuple', items: [] };
  const inner = parseTuple(tokens);
  tokens.expect('operator', ')');
  return inner;
}

function parseItems(tokens: TokenReader, close: string): Expression[] {
  const items: Expression[] = [];
  while (!tokens.skip(close)) {
    items.push(parseExpression(tokens));
    if (!tokens.is('operator', close)) tokens.expect('operator', ',');
  }
  return items;
}

function parseMapping(tokens: TokenReader): Expression {
  const entries: [Expression, Expression][] = [];
  while (!tokens.skip('}')) {
    const key = parseExpression(tokens);
    tokens.expect('operator', ':');
    entries.push([key, parseExpression(tokens)]);
    if (!tokens.is('operator', '}')) tokens.expect('operator', ',');
  }
  return { kind: 'mapping', entries };
}

function parsePostfix(tokens: TokenReader, start: Expression): Expression {
  let of = start;
  for (;;) {
    if (tokens.skip('.')) {
      if (tokens.is('integer'))
        of = { kind: 'item', of, key: { kind: 'constant', value: Number(tokens.take().text) } };
      else of = { kind: 'attribute', of, name: tokens.name() };
    } else if (tokens.skip('[')) of = parseItem(tokens, of);
    else if (tokens.is('operator', '(')) of = { kind: 'call', of, given: parseArguments(tokens) };
    else return of;
  }
}

/** The content of brackets: a key, or up to three bounds of a slice. */
function parseItem(tokens: TokenReader, of: Expression): Expression {
  const bounds: (Expression | null)[] = [];
  const bound = () => (tokens.is('operator', ':', ']') ? null : parseTuple(tokens));
  bounds.push(bound());
  while (tokens.skip(':')) bounds.push(bound());
  tokens.expect('operator', ']');
  const [key] = bounds;
  if (bounds.length > 3) throw tokens.error('a slice has three bounds at most');
  if (bounds.length > 1) return { kind: 'slice', of, bounds };
  // Python's library takes `x[]` for the key `()`.
  return { kind: 'item', of, key: key ?? { kind: 'tuple', items: [] } };
}

function parseArguments(tokens: TokenReader): Arguments {
  tokens.expect('operator', '(');
  const positional: Expression[] = [];
  const spread: Expression[] = [];
  const spreadNamed: Expression[] = [];
  const named = new Map<string, Expression>();
  while (!tokens.skip(')')) {
    if (tokens.skip('**')) spreadNamed.push(parseExpression(tokens));
    else if (tokens.skip('*')) spread.push(parseExpression(tokens));
    else if (tokens.is('name') && tokens.next.kind === 'operator' && tokens.next.text === '=') {
      const name = tokens.name();
      tokens.take();
      if (named.has(name)) throw tokens.error(`the argument '${name}' is there twice`);
      named.set(name, parseExpression(tokens));
    } else {
      if (named.size + spread.length > 0)
        throw tokens.error('an argument without a name after one with a name');
      positional.push(parseExpression(tokens));
    }
    if (!tokens.is('operator', ')')) tokens.expect('operator', ',');
  }
  return { positional, spread, spreadNamed, named };
}

function parseFiltersAndTests(tokens: TokenReader, start: Expression): Expression {
  let of = start;
  for (;;) {
    if (tokens.skip('|')) of = { kind: 'filter', of, ...parseFilter(tokens) };
    else if (tokens.skipName('is')) of = parseTest(tokens, of);
    else if (tokens.is('operator', '(')) of = { kind: 'call', of, given: parseArguments(tokens) };
    else return of;
  }
}

/** A filter's name and arguments. */
export function parseFilter(tokens: TokenReader): Filter {
  const name = tokens.name();
  return { name, given: tokens.is('operator', '(') ? parseArguments(tokens) : noArguments };
}

function parseTest(tokens: TokenReader, of: Expression): Expression {
  const isNegated = tokens.skipName('not');
  const name = tokens.name();
  const test: Expression = { kind: 'test', of, name, given: parseTestArguments(tokens) };
  return isNegated ? { kind: 'unary', sign: 'not', of: test } : test;
}

/** A test's single argument needs no parentheses. */
function parseTestArguments(tokens: TokenReader): Arguments {
  if (tokens.is('operator', '(')) return parseArguments(tokens);
  const begins =
    tokens.is('string') || tokens.is('integer') || tokens.is('float') || tokens.is('operator', '[', '{');
  if (tokens.is('name', 'is')) throw tokens.error("tests cannot be chained with 'is'");
  const isName = tokens.is('name') && !tokens.is('name', 'else', 'or', 'and');
  if (!begins && !isName) return noArguments;
  return { ...noArguments, positional: [parsePostfix(tokens, parsePrimary(tokens))] };
}
