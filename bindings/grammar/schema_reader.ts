/** Reads JSON Schema (2020-12): references, alternatives and keywords become facts. */

import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';
import { describe } from '../values/tensor.js';
import { refuse } from './form.js';
import { type All, both, type Facts, type JsonType, noFacts, type Schema } from './schema_facts.js';

/** Keywords that say nothing of what is valid. */
const annotations = new Set(
  'title description default examples $schema $id $comment $defs definitions deprecated readOnly writeOnly'.split(
    ' ',
  ),
);
const types: readonly string[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];
/** Alternatives of one value, once those within are multiplied out. */
const mostAlternatives = 2000;

export class SchemaReader {
  /** Schemas whose branches were compared, or are: they may contain themselves. */
  readonly #disjoint = new WeakSet<JsonObject>();

  /** @param isDisjoint whether no text that is written for one is valid for the other */
  constructor(
    private readonly root: Schema,
    private readonly isDisjoint: (one: Facts, other: Facts) => boolean,
  ) {}

  /**
   * The alternatives of a value for which all schemas hold.
   *
   * @throws TransformerError `invalid_argument`, `unsupported` for what is not covered, by name
   */
  alternatives(all: All, through: readonly unknown[] = []): Facts[] {
    let found: Facts[] = [noFacts];
    for (const schema of all) found = this.#together(found, this.#of(schema, through));
    return found;
  }

  #together(some: readonly Facts[], others: readonly Facts[]): Facts[] {
    if (some.length * others.length > mostAlternatives)
      refuse(`jsonSchema has more than ${mostAlternatives} alternatives of one value`);
    return some.flatMap((one) => others.map((other) => both(one, other)));
  }

  /** @param through the schemas that this one was reached through without a step into the value */
  #of(schema: Schema, through: readonly unknown[]): Facts[] {
    if (schema === true) return [noFacts];
    if (schema === false) return [];
    if (through.includes(schema)) refuse('a $ref of jsonSchema leads to itself');
    const inside = [...through, schema];
    let found: Facts[] = [this.#ownFacts(schema)];
    const { $ref, allOf, anyOf, oneOf } = schema;
    if ($ref !== undefined) found = this.#together(found, this.#of(this.#target($ref), inside));
    if (allOf !== undefined)
      for (const part of listOf(allOf, 'allOf')) found = this.#together(found, this.#of(part, inside));
    if (anyOf !== undefined)
      found = this.#together(
        found,
        listOf(anyOf, 'anyOf').flatMap((part) => this.#of(part, inside)),
      );
    if (oneOf !== undefined) {
      const isKnown = this.#disjoint.has(schema);
      this.#disjoint.add(schema);
      const branches = listOf(oneOf, 'oneOf').map((part) => this.#together(found, this.#of(part, inside)));
      if (!isKnown) this.#requireDisjoint(branches);
      found = branches.flat();
    }
    return found;
  }

  #requireDisjoint(branches: readonly (readonly Facts[])[]): void {
    for (const [i, one] of branches.entries())
      for (const other of branches.slice(i + 1))
        for (const a of one)
          for (const b of other)
            if (!this.isDisjoint(a, b))
              refuse('oneOf of jsonSchema has branches that may hold at the same time; use anyOf');
  }

  #target(ref: unknown): Schema {
    if (typeof ref !== 'string' || !/^#(?:\/|$)/.test(ref))
      return refuse(
        `the $ref ${JSON.stringify(ref)} of jsonSchema is not supported: only places in the schema are`,
      );
    let place: unknown = this.root;
    for (const part of ref.split('/').slice(1)) {
      const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
      const owner: unknown = place;
      place =
        typeof owner === 'object' && owner !== null && Object.hasOwn(owner, name)
          ? Reflect.get(owner, name)
          : fail('invalid_argument', `constrain.jsonSchema has no ${ref}`);
    }
    return schemaOf(place, ref);
  }

  #ownFacts(schema: JsonObject): Facts {
    const facts: { -readonly [Name in keyof Facts]: Facts[Name] } = { ...noFacts };
    for (const [name, value] of Object.entries(schema)) {
      if (annotations.has(name) || combinations.has(name)) continue;
      const read = Object.hasOwn(keywords, name) ? keywords[name] : undefined;
      if (!read) refuse(`the keyword ${name} of jsonSchema is not supported`);
      else Object.assign(facts, read(value, name));
    }
    return facts;
  }
}

const combinations = new Set(['$ref', 'allOf', 'anyOf', 'oneOf']);

type Keyword = (value: unknown, name: string) => Partial<Facts>;

const number: Keyword = (value, name) =>
  typeof value === 'number' && Number.isFinite(value) ? { [name]: value } : wrong(name, 'a number', value);

const count: Keyword = (value, name) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? { [name]: value } : wrong(name, 'a count', value);

const keywords: Readonly<Record<string, Keyword>> = {
  type: (value, name) => {
    const list: unknown[] = [value].flat();
    const known = list.filter((type): type is JsonType => types.includes(String(type)));
    return known.length === list.length && list.length > 0
      ? { types: new Set(known) }
      : wrong(name, `one of ${types.join(', ')}`, value);
  },
  enum: (value, name) => (Array.isArray(value) ? { values: value } : wrong(name, 'a list', value)),
  const: (value) => ({ values: [value] }),
  ...{ minimum: number, maximum: number, exclusiveMinimum: number, exclusiveMaximum: number },
  ...{ minLength: count, maxLength: count, minItems: count, maxItems: count },
  ...{ minProperties: count, maxProperties: count },
  pattern: (value, name) => ({ patterns: [textOf(value, name)] }),
  format: (value, name) => ({ formats: [textOf(value, name)] }),
  properties: (value, name) => {
    if (!isJsonObject(value)) return wrong(name, 'an object of schemas', value);
    const entries = Object.entries(value);
    return { properties: new Map(entries.map(([key, part]) => [key, [schemaOf(part, `${name}.${key}`)]])) };
  },
  required: (value, name) =>
    Array.isArray(value) && value.every((key) => typeof key === 'string')
      ? { required: new Set(value) }
      : wrong(name, 'a list of names', value),
  additionalProperties: (value, name) => ({ additional: [schemaOf(value, name)] }),
  items: (value, name) => ({ items: [schemaOf(value, name)] }),
  prefixItems: (value, name) => ({ prefix: listOf(value, name).map((part) => [part]) }),
  // Where these are false, or 1, they say nothing.
  uniqueItems: (value, name) =>
    value === false ? {} : refuse(`the keyword ${name} of jsonSchema is not supported`),
};

function schemaOf(value: unknown, name: string): Schema {
  return typeof value === 'boolean' || isJsonObject(value) ? value : wrong(name, 'a schema', value);
}

function listOf(value: unknown, name: string): Schema[] {
  if (!Array.isArray(value) || value.length === 0) return wrong(name, 'a list of schemas', value);
  return value.map((part, i) => schemaOf(part, `${name}[${i}]`));
}

const textOf = (value: unknown, name: string): string =>
  typeof value === 'string' ? value : wrong(name, 'a string', value);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function wrong(name: string, wanted: string, value: unknown): never {
  return fail(
    'invalid_argument',
    `${name} of constrain.jsonSchema must be ${wanted}, got ${describe(value)}`,
  );
}
