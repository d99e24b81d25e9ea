/** Which values a JSON Schema takes, for those that it lists, and whether two schemas share any. */

import { formatForm } from './formats.js';
import { machineOf, takes } from './machine.js';
import { formOfRegex } from './regex.js';
import { type All, type Facts, isEqual, type JsonType, typesOf } from './schema_facts.js';
import type { SchemaReader } from './schema_reader.js';

/** Properties of properties that are compared: schemas may contain themselves. */
const deepest = 3;

export class SchemaValues {
  constructor(private readonly reader: () => SchemaReader) {}

  accepts(all: All, value: unknown): boolean {
    return this.reader()
      .alternatives(all)
      .some((facts) => this.holds(facts, value));
  }

  holds(facts: Facts, value: unknown): boolean {
    if (facts.values && !facts.values.some((wanted) => isEqual(wanted, value))) return false;
    if (facts.types && !typesOfValue(value).some((type) => facts.types?.has(type))) return false;
    if (typeof value === 'number')
      return (
        value >= facts.minimum &&
        value <= facts.maximum &&
        value > facts.exclusiveMinimum &&
        value < facts.exclusiveMaximum
      );
    if (typeof value === 'string') {
      const length = Array.from(value).length;
      const forms = [
        ...facts.patterns.map((pattern) => formOfRegex(pattern, false)),
        ...facts.formats.map(formatForm),
      ];
      return (
        length >= facts.minLength &&
        length <= facts.maxLength &&
        forms.every((form) => takes(machineOf(form), value))
      );
    }
    if (Array.isArray(value)) return this.#holdsOfItems(facts, value);
    return typeof value !== 'object' || value === null || this.#holdsOfProperties(facts, value);
  }

  #holdsOfItems({ prefix, items, minItems, maxItems }: Facts, value: readonly unknown[]): boolean {
    const isOf = (item: unknown, i: number) => this.accepts(prefix[i] ?? items ?? [], item);
    return value.length >= minItems && value.length <= maxItems && value.every(isOf);
  }

  #holdsOfProperties(facts: Facts, value: object): boolean {
    const entries = Object.entries(value);
    return (
      [...facts.required].every((name) => Object.hasOwn(value, name)) &&
      entries.length >= facts.minProperties &&
      entries.length <= facts.maxProperties &&
      entries.every(([name, inner]) =>
        this.accepts(facts.properties.get(name) ?? facts.additional ?? [], inner),
      )
    );
  }

  /** Whether no value that is written for one is valid for the other, as far as that can be told. */
  areDisjoint(one: Facts, other: Facts): boolean {
    return this.#excludes(one, other, 0) && this.#excludes(other, one, 0);
  }

  /** Whether nothing that is written for the first is valid for the second. */
  #excludes(one: Facts, other: Facts, depth: number): boolean {
    if (one.values) return !one.values.some((value) => this.holds(one, value) && this.holds(other, value));
    if (other.values)
      return !other.values.some((value) => this.holds(one, value) && this.holds(other, value));
    return [...typesOf(one)].every(
      (type) => !mayBe(other.types, type) || (type === 'object' && this.#excludesObjects(one, other, depth)),
    );
  }

  #excludesObjects(one: Facts, other: Facts, depth: number): boolean {
    if (depth > deepest) return false;
    const never = (name: string) =>
      !one.properties.has(name) &&
      !one.required.has(name) &&
      !one.additional?.length &&
      one.properties.size > 0;
    const isWrong = (name: string) => {
      const [mine, theirs] = [one.properties.get(name), other.properties.get(name)];
      if (!mine || !theirs) return false;
      const [some, others] = [mine, theirs].map((all) => this.reader().alternatives(all));
      return (some ?? []).every((a) => (others ?? []).every((b) => this.#excludes(a, b, depth + 1)));
    };
    return [...other.required].some(never) || [...one.required].some(isWrong);
  }
}

const mayBe = (types: Facts['types'], type: JsonType): boolean =>
  !types ||
  types.has(type) ||
  (type === 'integer' && types.has('number')) ||
  (type === 'number' && types.has('integer'));

function typesOfValue(value: unknown): JsonType[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number'];
  if (typeof value === 'boolean' || typeof value === 'string') return [typeof value as 'boolean' | 'string'];
  return ['object'];
}
