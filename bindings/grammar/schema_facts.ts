/** What a JSON Schema without references and alternatives says, and what two of them say together. */

import type { JsonObject } from '../files/json_object.js';

export type Schema = JsonObject | boolean;
export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/** Schemas that all hold. */
export type All = readonly Schema[];

export interface Facts {
  /** `null`: any. */
  readonly types: ReadonlySet<JsonType> | null;
  /** The only values; `null`: any. */
  readonly values: readonly unknown[] | null;
  readonly minimum: number;
  readonly maximum: number;
  readonly exclusiveMinimum: number;
  readonly exclusiveMaximum: number;
  readonly minLength: number;
  readonly maxLength: number;
  readonly patterns: readonly string[];
  readonly formats: readonly string[];
  readonly properties: ReadonlyMap<string, All>;
  readonly required: ReadonlySet<string>;
  /** Of other properties; `null`: the schema says nothing of them. */
  readonly additional: All | null;
  readonly minProperties: number;
  readonly maxProperties: number;
  /** Of the first items. */
  readonly prefix: readonly All[];
  /** Of the items after them; `null`: the schema says nothing of them. */
  readonly items: All | null;
  readonly minItems: number;
  readonly maxItems: number;
}

export const noFacts: Facts = {
  types: null,
  values: null,
  minimum: Number.NEGATIVE_INFINITY,
  maximum: Number.POSITIVE_INFINITY,
  exclusiveMinimum: Number.NEGATIVE_INFINITY,
  exclusiveMaximum: Number.POSITIVE_INFINITY,
  minLength: 0,
  maxLength: Number.POSITIVE_INFINITY,
  patterns: [],
  formats: [],
  properties: new Map(),
  required: new Set(),
  additional: null,
  minProperties: 0,
  maxProperties: Number.POSITIVE_INFINITY,
  prefix: [],
  items: null,
  minItems: 0,
  maxItems: Number.POSITIVE_INFINITY,
};

/** What both say. */
export function both(one: Facts, other: Facts): Facts {
  const least = (name: MaximumName) => Math.min(one[name], other[name]);
  const most = (name: MinimumName) => Math.max(one[name], other[name]);
  const prefixLength = Math.max(one.prefix.length, other.prefix.length);
  return {
    types: commonTypes(one.types, other.types),
    values: commonValues(one.values, other.values),
    minimum: most('minimum'),
    maximum: least('maximum'),
    exclusiveMinimum: most('exclusiveMinimum'),
    exclusiveMaximum: least('exclusiveMaximum'),
    minLength: most('minLength'),
    maxLength: least('maxLength'),
    patterns: [...new Set([...one.patterns, ...other.patterns])],
    formats: [...new Set([...one.formats, ...other.formats])],
    properties: commonProperties(one, other),
    required: new Set([...one.required, ...other.required]),
    additional: joined(one.additional, other.additional),
    minProperties: most('minProperties'),
    maxProperties: least('maxProperties'),
    prefix: Array.from({ length: prefixLength }, (_, i) => joined(itemAt(one, i), itemAt(other, i)) ?? []),
    items: joined(one.items, other.items),
    minItems: most('minItems'),
    maxItems: least('maxItems'),
  };
}

type MinimumName = 'minimum' | 'exclusiveMinimum' | 'minLength' | 'minProperties' | 'minItems';
type MaximumName = 'maximum' | 'exclusiveMaximum' | 'maxLength' | 'maxProperties' | 'maxItems';

const itemAt = ({ prefix, items }: Facts, i: number): All | null => prefix[i] ?? items;

const joined = (one: All | null, other: All | null): All | null =>
  one && other ? [...one, ...other] : (one ?? other);

function commonTypes(one: Facts['types'], other: Facts['types']): Facts['types'] {
  if (!one || !other) return one ?? other;
  const takes = (types: ReadonlySet<JsonType>, type: JsonType) =>
    types.has(type) || (type === 'integer' && types.has('number'));
  return new Set([
    ...[...one].filter((type) => takes(other, type)),
    ...[...other].filter((type) => takes(one, type)),
  ]);
}

function commonValues(one: Facts['values'], other: Facts['values']): Facts['values'] {
  if (!one || !other) return one ?? other;
  return one.filter((value) => other.some((wanted) => isEqual(value, wanted)));
}

function commonProperties(one: Facts, other: Facts): Facts['properties'] {
  const names = new Set([...one.properties.keys(), ...other.properties.keys()]);
  return new Map(
    Array.from(names, (name) => {
      const all = joined(
        one.properties.get(name) ?? one.additional,
        other.properties.get(name) ?? other.additional,
      );
      return [name, all ?? []];
    }),
  );
}

/** Whether two values of JSON are the same; the order of properties does not count. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [a, b] = [Object.entries(one), new Map(Object.entries(other))];
  return a.length === b.size && a.every(([name, value]) => b.has(name) && isEqual(value, b.get(name)));
}

/** The types that a schema's keywords speak of, where it does not name any. */
export function typesOf(facts: Facts): ReadonlySet<JsonType> {
  if (facts.types) return facts.types;
  const { properties, required, additional, prefix, items, patterns, formats } = facts;
  const isLimited = (...names: (MinimumName | MaximumName)[]) =>
    names.some((name) => facts[name] !== noFacts[name]);
  const found = new Set<JsonType>();
  if (properties.size + required.size > 0 || additional || isLimited('minProperties', 'maxProperties'))
    found.add('object');
  if (prefix.length > 0 || items || isLimited('minItems', 'maxItems')) found.add('array');
  if (patterns.length + formats.length > 0 || isLimited('minLength', 'maxLength')) found.add('string');
  if (isLimited('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum')) found.add('number');
  return found.size > 0 ? found : new Set(['null', 'boolean', 'number', 'string', 'array', 'object']);
}
