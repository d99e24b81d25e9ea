/** Reads a template: texts, outputs and blocks. */

import type { Budget } from './budget.js';
import { tokenize } from './lexer.js';
import { constants, parseExpression, parseFilter, parseTuple } from './parse_expression.js';
import type { Block, Expression, Filter, Macro, Parameter, Statement, Target } from './syntax.js';
import { TokenReader } from './token_reader.js';

/** @throws Error that names the line */
export function parseTemplate(template: string, budget: Budget): Block {
  const tokens = new TokenReader(tokenize(template), budget);
  const block = parseBlock(tokens, []);
  if (!tokens.is('end')) throw tokens.error(`unexpected ${tokens.shown()}`);
  return block;
}

/** Statements up to a block with one of the names `ends`, whose name is the current token then. */
function parseBlock(tokens: TokenReader, ends: readonly string[]): Block {
  return tokens.budget.within(() => {
    const block: Statement[] = [];
    for (;;) {
      if (tokens.is('text')) block.push({ kind: 'text', text: tokens.take().text });
      else if (tokens.is('open', '{{')) block.push(parseOutput(tokens));
      else if (tokens.is('open', '{%')) {
        tokens.take();
        if (tokens.is('name', ...ends) && ends.length > 0) return block;
        block.push(parseStatement(tokens));
        tokens.expect('close', '%}');
      } else if (ends.length === 0) return block;
      else throw tokens.error(`'${ends.at(-1)}' is missing`);
    }
  });
}

/** A block of statements, and the name that ends it. */
function parseBody(tokens: TokenReader, ...ends: readonly string[]): Block {
  tokens.expect('close', '%}');
  return parseBlock(tokens, ends);
}

function parseOutput(tokens: TokenReader): Statement {
  tokens.take();
  const value = parseTuple(tokens);
  tokens.expect('close', '}}');
  return { kind: 'output', value };
}

const statements: Readonly<Record<string, (tokens: TokenReader) => Statement>> = {
  if: parseIf,
  for: parseFor,
  set: parseSet,
  macro(tokens) {
    const name = assignable(tokens, tokens.name());
    return { kind: 'macro', macro: parseMacroBody(tokens, name, parseParameters(tokens), 'endmacro') };
  },
  call(tokens) {
    const parameters = tokens.is('operator', '(') ? parseParameters(tokens) : [];
    const call = parseExpression(tokens);
    if (call.kind !== 'call') throw tokens.error('expected a call');
    return { kind: 'call', call, macro: parseMacroBody(tokens, 'caller', parameters, 'endcall') };
  },
  filter(tokens) {
    const filters = [parseFilter(tokens), ...parseFilters(tokens)];
    const body = parseBody(tokens, 'endfilter');
    tokens.take();
    return { kind: 'filtered', filters, body };
  },
  with: parseWith,
  generation(tokens) {
    const body = tokens.outsideOfLoops(() => parseBody(tokens, 'endgeneration'));
    tokens.take();
    return { kind: 'generation', body };
  },
  block: parseBlockStatement,
  autoescape(tokens) {
    // Escapes are a page's: with them, a conversation would not be what the model was trained with.
    const value = parseExpression(tokens);
    if (value.kind !== 'constant' || value.value !== false)
      throw tokens.error('autoescape is supported with false only');
    const body = parseBody(tokens, 'endautoescape');
    tokens.take();
    return { kind: 'with', values: [], body };
  },
  break: (tokens) => leave(tokens, 'break'),
  continue: (tokens) => leave(tokens, 'continue'),
};

function leave(tokens: TokenReader, kind: 'break' | 'continue'): Statement {
  if (!tokens.isInLoop) throw tokens.error(`'${kind}' outside of a loop`);
  return { kind };
}

/** Without inheritance, a block is a part with a name. */
function parseBlockStatement(tokens: TokenReader): Statement {
  const name = tokens.name();
  if (tokens.blocks.has(name)) throw tokens.error(`the block '${name}' is there twice`);
  tokens.blocks.add(name);
  const isScoped = tokens.skipName('scoped');
  if (tokens.skipName('required')) throw tokens.error(`nothing defines the required block '${name}'`);
  const body = tokens.outsideOfLoops(() => parseBody(tokens, 'endblock'));
  tokens.take();
  tokens.skipName(name);
  return { kind: 'block', name, isScoped, body };
}

function parseStatement(tokens: TokenReader): Statement {
  const name = tokens.is('name') ? tokens.current.text : '';
  const parse = Object.hasOwn(statements, name) ? statements[name] : undefined;
  if (!parse) throw tokens.error(`unexpected ${tokens.shown()}`);
  tokens.take();
  return parse(tokens);
}

function parseIf(tokens: TokenReader): Statement {
  const test = parseTuple(tokens, false);
  const body = parseBody(tokens, 'elif', 'else', 'endif');
  const end = tokens.name();
  if (end === 'endif') return { kind: 'if', test, body, otherwise: [] };
  if (end === 'elif')
    return { kind: 'if', test, body, otherwise: [tokens.budget.within(() => parseIf(tokens))] };
  const otherwise = parseBody(tokens, 'endif');
  tokens.take();
  return { kind: 'if', test, body, otherwise };
}

function parseFor(tokens: TokenReader): Statement {
  const target = parseTarget(tokens);
  checkLoopTarget(tokens, target);
  if (!tokens.skipName('in')) throw tokens.error(`expected 'in', got ${tokens.shown()}`);
  const over = parseTuple(tokens, false);
  const condition = tokens.skipName('if') ? parseExpression(tokens) : null;
  const isRecursive = tokens.skipName('recursive');
  const body = tokens.insideLoop(() => parseBody(tokens, 'else', 'endfor'));
  const otherwise = tokens.name() === 'else' ? parseBody(tokens, 'endfor') : [];
  if (tokens.is('name', 'endfor')) tokens.take();
  return { kind: 'for', target, over, condition, isRecursive, body, otherwise };
}

function checkLoopTarget(tokens: TokenReader, target: Target): void {
  if (target.kind === 'several') for (const inner of target.targets) checkLoopTarget(tokens, inner);
  else if (target.kind === 'attribute' || target.name === 'loop')
    throw tokens.error(`a loop cannot assign to '${target.name}'`);
}

function parseSet(tokens: TokenReader): Statement {
  const target = parseTarget(tokens);
  if (tokens.skip('=')) return { kind: 'set', target, value: parseTuple(tokens) };
  const filters = parseFilters(tokens);
  const body = parseBody(tokens, 'endset');
  tokens.take();
  return { kind: 'capture', target, filters, body };
}

function parseWith(tokens: TokenReader): Statement {
  const values: [Target, Expression][] = [];
  while (!tokens.is('close')) {
    if (values.length > 0) tokens.expect('operator', ',');
    const target = parseTarget(tokens, false);
    tokens.expect('operator', '=');
    values.push([target, parseExpression(tokens)]);
  }
  const body = parseBody(tokens, 'endwith');
  tokens.take();
  return { kind: 'with', values, body };
}

function parseFilters(tokens: TokenReader): Filter[] {
  const filters: Filter[] = [];
  while (tokens.skip('|')) filters.push(parseFilter(tokens));
  return filters;
}

function parseTarget(tokens: TokenReader, allowsSeveral = true): Target {
  const first = parseSingleTarget(tokens);
  if (!allowsSeveral || !tokens.is('operator', ',')) return first;
  const targets = [first];
  while (tokens.skip(',') && (tokens.is('name') || tokens.is('operator', '(')))
    targets.push(parseSingleTarget(tokens));
  return { kind: 'several', targets };
}

function parseSingleTarget(tokens: TokenReader): Target {
  if (tokens.skip('(')) {
    const inner = tokens.budget.within(() => parseTarget(tokens));
    tokens.expect('operator', ')');
    return inner;
  }
  const name = assignable(tokens, tokens.name());
  return tokens.skip('.') ? { kind: 'attribute', of: name, name: tokens.name() } : { kind: 'name', name };
}

function parseMacroBody(
  tokens: TokenReader,
  name: string,
  parameters: readonly Parameter[],
  end: string,
): Macro {
  const first = tokens.place;
  const body = tokens.outsideOfLoops(() => parseBody(tokens, end));
  const named = tokens.tokens.slice(first, tokens.place).filter(({ kind }) => kind === 'name');
  tokens.take();
  const uses = new Set(named.map(({ text }) => text).filter((text) => implicit.has(text)));
  const caller = parameters.find((parameter) => parameter.name === 'caller');
  if (caller && !caller.initial && uses.has('caller'))
    throw tokens.error("a parameter 'caller' that is used needs a default");
  return { name, parameters, uses, body };
}

/** What the body of a macro sees without declaring it. */
const implicit: ReadonlySet<string> = new Set(['caller', 'varargs', 'kwargs']);

/** @returns the name. @throws TemplateError for a constant's */
function assignable(tokens: TokenReader, name: string): string {
  if (constants.has(name)) throw tokens.error(`cannot assign to '${name}'`);
  return name;
}

function parseParameters(tokens: TokenReader): Parameter[] {
  tokens.expect('operator', '(');
  const parameters: Parameter[] = [];
  while (!tokens.skip(')')) {
    if (parameters.length > 0) tokens.expect('operator', ',');
    const name = assignable(tokens, tokens.name());
    if (parameters.some((parameter) => parameter.name === name))
      throw tokens.error(`the parameter '${name}' is there twice`);
    const initial = tokens.skip('=') ? parseExpression(tokens) : null;
    if (!initial && parameters.at(-1)?.initial)
      throw tokens.error(`the parameter '${name}' needs a default, as the one before it has one`);
    parameters.push({ name, initial });
  }
  return parameters;
}
