/** The option `constrain`: a form that answers keep to, in one of several notations. */

import { fail } from '../values/errors.js';
import { describe } from '../values/tensor.js';
import { compile } from './automaton.js';
import { formOfCalls } from './call_forms.js';
import type { CodePoints } from './code_points.js';
import { choice, type Form, literal, optional, type Rules, sequence } from './form.js';
import { formOfGbnf } from './gbnf.js';
import { formOfSchema } from './json_schema.js';
import { formOfRegex } from './regex.js';
import type { GrammarTables } from './tables.js';

/** `calls` is for the tools alone. */
const notations: Readonly<Record<string, (text: string, rules: Rules) => Form>> = {
  jsonSchema: formOfSchema,
  regex: (source) => formOfRegex(source, true),
  gbnf: formOfGbnf,
  choices: (json) => choice(...(JSON.parse(json) as string[]).map(literal)),
  calls: formOfCalls,
};

/** What the tokens of a model can write. */
export interface Writing {
  /** The characters that can be written in any order; `null`: all. */
  readonly alphabet: CodePoints | null;
  /** Whether the first token begins with a space that is not part of the text. */
  readonly beginsWithSpace: boolean;
}

/**
 * @param given `[notation, text]` as {@link keyOf} made them
 * @throws TransformerError `invalid_argument` for a form that no text has, and where the tokens cannot write it;
 *   `unsupported` for what is not covered
 */
export function compileConstraint(
  [notation, text]: Key,
  { alphabet, beginsWithSpace }: Writing,
): GrammarTables {
  const rules: Rules = new Map();
  const form = (notations[notation] ?? fail('internal', `constrain has no ${notation}`))(text, rules);
  const whole = beginsWithSpace ? sequence(optional(literal(' ')), form) : form;
  const tables = compile(whole, rules, alphabet ?? undefined);
  if (tables) return tables;
  if (alphabet && compile(whole, rules))
    fail('invalid_argument', `the model's tokens cannot write what constrain.${notation} asks for`);
  return fail('invalid_argument', `nothing satisfies constrain.${notation}`);
}

export type Key = readonly [notation: string, text: string];

/**
 * A notation and its text, by which a compiled form is found again.
 *
 * @throws TransformerError `invalid_argument`
 */
export function keyOf(given: Readonly<Record<string, unknown>>): Key {
  const names = Object.keys(given).filter((name) => given[name] !== undefined);
  const [name = ''] = names;
  if (names.length !== 1 || !Object.hasOwn(notations, name))
    return fail(
      'invalid_argument',
      `constrain must have one of jsonSchema, regex, gbnf, choices, got ${names.join(', ') || 'none'}`,
    );
  const value = given[name];
  if (name === 'regex' && value instanceof RegExp) {
    if (/[gimsvy]/.test(value.flags))
      fail('unsupported', `constrain.regex has the flags ${value.flags}; only u is supported`);
    return [name, value.source];
  }
  if (name === 'regex' || name === 'gbnf') {
    if (typeof value === 'string') return [name, value];
    return fail('invalid_argument', `constrain.${name} must be a string, got ${describe(value)}`);
  }
  if (name === 'choices' && !isChoices(value))
    return fail(
      'invalid_argument',
      `constrain.choices must be a list of texts, at least one, got ${describe(value)}`,
    );
  return [name, jsonOf(value, name)];
}

const isChoices = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((text) => typeof text === 'string' && text !== '');

function jsonOf(value: unknown, name: string): string {
  try {
    const json = JSON.stringify(value);
    if (typeof json === 'string') return json;
  } catch (error) {
    return fail('invalid_argument', `constrain.${name} cannot be written as JSON`, error);
  }
  return fail('invalid_argument', `constrain.${name} must be a value of JSON, got ${describe(value)}`);
}
