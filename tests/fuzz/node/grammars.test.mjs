// Schemas, expressions and grammars of any kind: each is compiled, or refused with a typed error, in bounded time; and texts that
// the automaton writes are valid, as Ajv or JavaScript's own expressions see them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { compileConstraint, keyOf } from '../../../build/modules/grammar/constraint.js';
import { toolFormats, toolKinds } from '../../../build/modules/tools/kinds.js';
import { callForm } from '../../../build/modules/tools/schemas.js';
import { TransformerError } from '../../../build/modules/values/errors.js';
import { parseAnswer } from '../../../dist/tools.js';
import { GrammarWalk } from '../../lib/grammar_walk.mjs';
import { randomNumbers } from '../../lib/random.mjs';
import { settings } from './settings.mjs';

const codes = new Set(['invalid_argument', 'unsupported']);
const writing = { alphabet: null, beginsWithSpace: false };
const ajv = new Ajv({ strict: false, logger: false });
addFormats(ajv);

/** The automaton; `null` where the form is refused. */
function compiled(constrain) {
  try {
    return new GrammarWalk(compileConstraint(keyOf(constrain), writing));
  } catch (error) {
    assert.ok(error instanceof TransformerError && codes.has(error.code), error.stack);
    return null;
  }
}

/** Some texts of a form. */
function textsOf(walk, seed, count = 4) {
  const random = randomNumbers(seed);
  const texts = Array.from({ length: count }, () => walk.sample(() => random.uniform(), 40));
  return texts.filter((text) => text !== null);
}

/** Ajv's test of a schema; `null` where it refuses a part that nothing refers to. */
function judgeOf(schema) {
  try {
    return ajv.compile(schema);
  } catch {
    return null;
  }
}

const limit = fc.oneof(
  fc.integer({ min: -20, max: 200 }),
  fc.constantFrom(-2.5, 0.07, 1e-3, 9007199254740991, 1e21),
);
const size = fc.integer({ min: 0, max: 6 });
const some = (fields) => fc.record(fields, { requiredKeys: [] });
const keys = fc.constantFrom('a', 'ab', 'b', '"', 'é', 'long name', '');
const value = fc.oneof(
  fc.constantFrom(1, 'a', null, true, 2.5, [1, 'x'], { a: [] }),
  fc.string({ maxLength: 3 }),
);
const { schema } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.boolean(),
    some({
      enum: fc.array(value, { minLength: 1, maxLength: 3 }),
      type: fc.constantFrom('string', 'integer', 'array'),
    }),
    fc.record({ const: value }),
    some({
      ...{ type: fc.constantFrom('integer', 'number'), minimum: limit, maximum: limit },
      ...{ exclusiveMinimum: limit, exclusiveMaximum: limit },
    }),
    some({
      ...{ type: fc.constant('string'), minLength: size, maxLength: size },
      pattern: fc.constantFrom('^[a-c]*$', 'x', '^(ab|"|\\\\)+', '\\d{2}', '[^é]$', '\\p{Lu}', '(?=a)', '('),
      format: fc.constantFrom('date', 'ipv4', 'uuid', 'iri'),
    }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(keys, tie('schema'), { maxKeys: 4 }),
      required: fc.uniqueArray(keys, { maxLength: 2 }),
    }),
    fc.record({
      properties: fc.dictionary(keys, tie('schema'), { maxKeys: 3 }),
      additionalProperties: tie('schema'),
    }),
    some({
      ...{ type: fc.constant('array'), items: tie('schema'), minItems: size, maxItems: size },
      prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
    }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({
      allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      type: fc.constantFrom('object', 'string'),
    }),
    fc.constantFrom(
      { $ref: '#' },
      { $ref: '#/$defs/d' },
      { $ref: '#/$defs/none' },
      { not: {} },
      { type: 'x' },
      { items: 3 },
    ),
  ),
}));

test('schemas', () => {
  let written = 0;
  fc.assert(
    fc.property(schema, schema, fc.nat(), (own, shared, seed) => {
      const whole = typeof own === 'boolean' ? own : { ...own, $defs: { d: shared } };
      const walk = compiled({ jsonSchema: whole });
      if (!walk) return;
      const isValid = judgeOf(whole);
      if (!isValid) return;
      for (const text of textsOf(walk, seed)) {
        assert.ok(isValid(JSON.parse(text)), `${text} for ${JSON.stringify(whole)}`);
        written++;
      }
    }),
    settings(150),
  );
  assert.ok(written > 0);
});

test('calls of tools that are no JSON', () => {
  let read = 0;
  const name = fc.constantFrom('a', 'ab', 'é', 'x_1', 'None', 'true', 'call', 'long name');
  const properties = fc.dictionary(name, schema, { maxKeys: 3 });
  const format = fc.constantFrom(...toolFormats.filter((one) => toolKinds[one].form));
  fc.assert(
    fc.property(properties, schema, format, fc.nat(), (own, shared, kind, seed) => {
      const parameters = { type: 'object', properties: own, required: Object.keys(own).slice(0, 1) };
      const whole = { ...parameters, $defs: { d: shared } };
      const walk = compiled(callForm(toolKinds[kind], [{ name: 'f', parameters: whole }, { name: 'g' }]));
      const isValid = walk && judgeOf(whole);
      if (!isValid) return;
      const { open, lead = '', close } = toolKinds[kind];
      for (const text of textsOf(walk, seed)) {
        const { toolCalls, text: rest } = parseAnswer(`${open}${lead}${text}${lead}${close}`, {
          format: kind,
        });
        assert.ok(toolCalls.length > 0 && rest === '', text);
        for (const { name: called, arguments: args } of toolCalls)
          assert.ok(
            called === 'g' || (called === 'f' && isValid(args)),
            `${text} for ${JSON.stringify(whole)}`,
          );
        read += toolCalls.length;
      }
    }),
    settings(150),
  );
  assert.ok(read > 0);
});

const { regex } = fc.letrec((tie) => ({
  regex: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      'a',
      '.',
      'é',
      '\\d',
      '\\W',
      '[^a-c]',
      '[\\s\\-x]',
      '\\u{1F600}',
      '\\x41',
      '日',
      '\\.',
      '[\\b]',
      '\\cA',
    ),
    fc.tuple(tie('regex'), tie('regex')).map((parts) => parts.join('')),
    fc.tuple(tie('regex'), tie('regex')).map((parts) => `(?:${parts.join('|')})`),
    fc
      .tuple(tie('regex'), fc.constantFrom('*', '+', '?', '{2}', '{0,3}', '{2,}', '*?'))
      .map(([part, sign]) => `(${part})${sign}`),
  ),
}));

test('regular expressions', () => {
  fc.assert(
    fc.property(regex, fc.nat(), (source, seed) => {
      const walk = compiled({ regex: source });
      assert.ok(walk, source);
      for (const text of textsOf(walk, seed)) {
        assert.match(text, new RegExp(`^(?:${source})$`, 'u'));
        assert.ok(walk.takes(text));
      }
    }),
    settings(150),
  );
});

const { gbnf } = fc.letrec((tie) => ({
  gbnf: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('"a"', '[b-d]', '[^x]', '.', 'root', 'other', '"\\n\\x41"', 'none', '"', '[', ')'),
    fc.tuple(tie('gbnf'), tie('gbnf')).map((parts) => parts.join(' ')),
    fc.tuple(tie('gbnf'), tie('gbnf')).map((parts) => `(${parts.join(' | ')})`),
    fc
      .tuple(tie('gbnf'), fc.constantFrom('*', '+', '?', '{2}', '{0,3}', '{20}'))
      .map((parts) => parts.join('')),
  ),
}));

test('grammars', () => {
  fc.assert(
    fc.property(gbnf, gbnf, fc.nat(), (root, other, seed) => {
      const walk = compiled({ gbnf: `root ::= ${root}\nother ::= ${other} # end` });
      if (walk) for (const text of textsOf(walk, seed, 2)) assert.equal(typeof text, 'string');
    }),
    settings(150),
  );
});

test('anything', () => {
  fc.assert(
    fc.property(fc.constantFrom('jsonSchema', 'regex', 'gbnf', 'choices'), fc.anything(), (name, given) => {
      compiled({ [name]: given });
    }),
    settings(150),
  );
});
