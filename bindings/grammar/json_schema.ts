/** The texts that a JSON Schema describes: properties in the order of their declaration, white space bounded. */

import { fail } from '../values/errors.js';
import { single, union } from './code_points.js';
import {
  choice,
  empty,
  type Form,
  literal,
  type Machine,
  ofSet,
  type Rules,
  refuse,
  repeat,
  rule,
  sequence,
} from './form.js';
import { formatForm } from './formats.js';
import { numberForm } from './json_numbers.js';
import { stringRules } from './json_strings.js';
import { formOfRegex } from './regex.js';
import { type All, type Facts, type JsonType, noFacts, type Schema, typesOf } from './schema_facts.js';
import { SchemaReader } from './schema_reader.js';
import { SchemaValues } from './schema_values.js';
import { jsonStyle, type ValueStyle } from './value_styles.js';

/** A space, or a line break and what indents the next line; or nothing. */
const spaceForm = choice(
  ...[empty, literal(' ')],
  sequence(literal('\n'), repeat(ofSet(union(single(0x20), single(0x09))), 0, 20)),
);
/** Different values that a schema can describe, each of which is a rule. */
const mostRules = 20_000;

/**
 * @param json the schema, as JSON
 * @param rules where the form's rules are added
 * @throws TransformerError `invalid_argument`, `unsupported` for a keyword that is not covered, by name
 */
export function formOfSchema(json: string, rules: Rules): Form {
  const schema: unknown = JSON.parse(json);
  if (typeof schema !== 'boolean' && (typeof schema !== 'object' || schema === null || Array.isArray(schema)))
    return fail('invalid_argument', 'constrain.jsonSchema must be a JSON Schema: an object or a boolean');
  return schemaWriter(schema as Schema, rules, jsonStyle).valueOf([schema as Schema]);
}

export function schemaWriter(root: Schema, rules: Rules, style: ValueStyle): SchemaWriter {
  rules.set('space', spaceForm);
  for (const [name, form] of stringRules) rules.set(name, form);
  return new SchemaWriter(root, rules, style);
}

/** What stands around properties, and before the value of each. */
type Brackets = Pick<ValueStyle, 'key'> & { readonly open: string; readonly close: string };

class SchemaWriter {
  readonly #reader: SchemaReader;
  readonly #values: SchemaValues;
  readonly #numbers = new Map<Schema, number>();
  readonly #pending: (() => void)[] = [];
  readonly #comma: Form;

  constructor(
    root: Schema,
    private readonly rules: Rules,
    private readonly style: ValueStyle,
  ) {
    this.#comma = sequence(literal(','), style.space);
    this.#values = new SchemaValues(() => this.#reader);
    this.#reader = new SchemaReader(root, (one, other) => this.#values.areDisjoint(one, other));
  }

  /** A value for which all schemas hold, and all that it refers to. */
  valueOf(all: All): Form {
    const form = this.#ruleOf(all);
    this.finish();
    return form;
  }

  /** The properties of an object within other brackets; `finish` writes what they refer to. */
  argumentsOf(all: All, brackets: Brackets): Form {
    const objects = this.#reader.alternatives(all).filter((facts) => typesOf(facts).has('object'));
    if (objects.some(({ values }) => values)) refuse('arguments of a tool that are listed are not supported');
    return choice(...objects.map((facts) => this.#object(facts, brackets)));
  }

  finish(): void {
    for (let work = this.#pending.pop(); work; work = this.#pending.pop()) work();
  }

  #ruleOf(all: All): Form {
    const numbers = all.filter((schema) => schema !== true).map((schema) => this.#numberOf(schema));
    const name = `value ${[...new Set(numbers)].sort((a, b) => a - b)}`;
    if (!this.rules.has(name)) {
      if (this.rules.size >= mostRules) refuse(`jsonSchema describes more than ${mostRules} values`);
      this.rules.set(name, empty);
      this.#pending.push(() => {
        const alternatives = this.#reader.alternatives(all).map((facts) => this.#formOf(facts));
        this.rules.set(name, choice(...alternatives));
      });
    }
    return rule(name);
  }

  #numberOf(schema: Schema): number {
    const number = this.#numbers.get(schema) ?? this.#numbers.size;
    this.#numbers.set(schema, number);
    return number;
  }

  #formOf(facts: Facts): Form {
    if (facts.values) {
      const values = facts.values.filter((value) => this.#values.holds(facts, value));
      return choice(...values.map((value) => this.#literal(value)));
    }
    return choice(...[...typesOf(facts)].map((type) => this.#ofType(type, facts)));
  }

  #ofType(type: JsonType, facts: Facts): Form {
    switch (type) {
      case 'null':
        return literal(this.style.word(null));
      case 'boolean':
        return choice(...[true, false].map((value) => literal(this.style.word(value))));
      case 'integer':
      case 'number': {
        const limits = { isInteger: type === 'integer', ...limitsOf(facts) };
        return this.#once(`number ${Object.values(limits)}`, () => numberForm(limits));
      }
      case 'string': {
        const { minLength: min, maxLength: max, patterns, formats } = facts;
        const forms = () => [
          ...patterns.map((pattern) => formOfRegex(pattern, false)),
          ...formats.map(formatForm),
        ];
        return this.#once(`string ${JSON.stringify([min, max, patterns, formats])}`, () =>
          this.style.string({ min, max, patterns: forms() }),
        );
      }
      case 'array':
        return this.#array(facts);
      case 'object':
        return this.#object(facts);
    }
  }

  /** A form that several values share. */
  #once(name: string, make: () => Form): Form {
    if (!this.rules.has(name)) this.rules.set(name, make());
    return rule(name);
  }

  #array({ prefix, items, minItems, maxItems }: Facts): Form {
    const isOpen = items !== null || minItems > prefix.length || prefix.length === 0;
    const most = isOpen ? maxItems : Math.min(maxItems, prefix.length);
    const states = most === Number.POSITIVE_INFINITY ? Math.max(minItems, prefix.length, 1) : most;
    const itemAt = (i: number): Form => {
      const item = this.#ruleOf(prefix[i] ?? items ?? []);
      return i === 0 ? item : sequence(this.#comma, item);
    };
    const edges: { part: Form; target: number }[][] = [];
    for (let i = 0; i < states; i++) edges.push([{ part: itemAt(i), target: i + 1 }]);
    edges.push(most === Number.POSITIVE_INFINITY ? [{ part: itemAt(states), target: states }] : []);
    return this.#within('[', { edges, ends: edges.map((_, i) => i >= minItems) }, ']');
  }

  /** Two states before each property: whether one was written already. */
  #object(
    facts: Facts,
    { open, close, key }: Brackets = { open: '{', close: '}', key: this.style.key },
  ): Form {
    const { properties, required, additional } = facts;
    const entries = new Map<string, All>(properties);
    for (const name of required) if (!entries.has(name)) entries.set(name, additional ?? []);
    const isOpen = additional !== null || entries.size === 0;
    this.#checkCounts(facts, isOpen ? Number.POSITIVE_INFINITY : entries.size);
    const edges: { part: Form; target: number }[][] = [];
    for (const [name, all] of entries) {
      const member = sequence(key(name), this.#ruleOf(all));
      const [next, isRequired] = [edges.length + 2, required.has(name)];
      edges.push([
        { part: member, target: next + 1 },
        ...(isRequired ? [] : [{ part: empty, target: next }]),
      ]);
      edges.push([
        { part: sequence(this.#comma, member), target: next + 1 },
        ...(isRequired ? [] : [{ part: empty, target: next + 1 }]),
      ]);
    }
    const end = edges.length;
    const other = isOpen ? this.style.otherKey([...entries.keys()]) : null;
    if (other) {
      const member = sequence(other, this.#ruleOf(additional ?? []));
      const next = { part: sequence(this.#comma, member), target: end + 1 };
      edges.push([{ part: member, target: end + 1 }], [next]);
    } else edges.push([], []);
    return this.#within(open, { edges, ends: edges.map((_, i) => i >= end) }, close);
  }

  #checkCounts({ required, minProperties, maxProperties }: Facts, most: number): void {
    if (minProperties > required.size)
      refuse('the keyword minProperties of jsonSchema is not supported for properties that are not required');
    if (maxProperties < most)
      refuse('the keyword maxProperties of jsonSchema is not supported where there may be more');
  }

  /** A value as it is, but for white space. */
  #literal(value: unknown): Form {
    if (Array.isArray(value))
      return this.#listOf(
        '[',
        value.map((item) => this.#literal(item)),
        ']',
      );
    if (typeof value === 'string') return this.style.text(value);
    if (typeof value === 'boolean' || value === null) return literal(this.style.word(value));
    if (typeof value !== 'object') return literal(JSON.stringify(value));
    const members = Object.entries(value).map(([name, inner]) =>
      sequence(this.style.key(name), this.#literal(inner)),
    );
    return this.#listOf('{', members, '}');
  }

  #listOf(begin: string, parts: readonly Form[], end: string): Form {
    if (parts.length === 0) return literal(begin + end);
    const { space } = this.style;
    const separated = parts.map((part, i) => (i === 0 ? part : sequence(this.#comma, part)));
    return sequence(literal(begin), space, ...separated, space, literal(end));
  }

  /** What stands between brackets; nothing but the brackets where nothing is in them. */
  #within(begin: string, { edges, ends }: Machine, end: string): Form {
    const { space } = this.style;
    const inner = sequence(space, { kind: 'machine', machine: { edges, ends } }, space);
    return sequence(literal(begin), ends[0] === true ? choice(space, inner) : inner, literal(end));
  }
}

function limitsOf(facts: Facts) {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = facts;
  return {
    min: Math.max(minimum, exclusiveMinimum),
    max: Math.min(maximum, exclusiveMaximum),
    isAboveMin: exclusiveMinimum >= minimum && exclusiveMinimum !== noFacts.exclusiveMinimum,
    isBelowMax: exclusiveMaximum <= maximum && exclusiveMaximum !== noFacts.exclusiveMaximum,
  };
}
