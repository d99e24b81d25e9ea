/** Fields of a checkpoint's JSON file, checked by type; errors name the file and the field. */

import { fail } from '../values/errors.js';
import { isIndex } from '../values/tensor.js';
import type { JsonObject } from './json_object.js';
import { showJson } from './show_json.js';

export class Fields {
  readonly #values: JsonObject;
  readonly #file: string;

  constructor(values: JsonObject, file: string) {
    this.#values = values;
    this.#file = file;
  }

  /** `null` counts as missing, as Python writes it. */
  has(name: string): boolean {
    return (this.#values[name] ?? null) !== null;
  }

  /** An integer, at least `least`. Without a fallback the field is required. */
  count(name: string, fallback?: number, least = 1): number {
    const value = this.#get(name, fallback);
    const isCount = isIndex(value) && value >= least;
    return isCount ? value : this.#wrong(name, `an integer from ${least} to 2^31 - 1`);
  }

  number(name: string, fallback?: number): number {
    const value = this.#get(name, fallback);
    return typeof value === 'number' && Number.isFinite(value) ? value : this.#wrong(name, 'a number');
  }

  flag(name: string, fallback?: boolean): boolean {
    const value = this.#get(name, fallback);
    return typeof value === 'boolean' ? value : this.#wrong(name, 'true or false');
  }

  text(name: string, fallback?: string): string {
    const value = this.#get(name, fallback);
    return typeof value === 'string' ? value : this.#wrong(name, 'a string');
  }

  /** Rejects a setting that differs from the only supported value. */
  only(name: string, value: unknown): void {
    const given = this.#values[name] ?? value;
    if (given === value) return;
    fail('unsupported', `${this.#file}: ${name} ${showJson(given)} is not supported`);
  }

  /** The field's value, unchecked; `undefined` if it is missing. */
  raw(name: string): unknown {
    return this.#values[name] ?? undefined;
  }

  /** A boolean, or one of some words in its place. */
  flagOr<T extends string>(name: string, word: T, fallback: boolean): boolean | T {
    return this.#get(name, fallback) === word ? word : this.flag(name, fallback);
  }

  choice<const T extends string>(name: string, choices: readonly T[], fallback?: T): T {
    const value = this.#get(name, fallback);
    const found = choices.find((choice) => choice === value);
    return found ?? this.#wrong(name, `one of ${choices.join(', ')}`);
  }

  /** A token id, or `null` if there is none, which some files write as -1. */
  id(name: string): number | null {
    return this.has(name) && this.#values[name] !== -1 ? this.count(name, undefined, 0) : null;
  }

  /** One token id or a list of them; an empty list if there are none. */
  ids(name: string): number[] {
    const value = this.#values[name] ?? [];
    const list = Array.isArray(value) ? value : [value];
    return list.every(isIndex) ? list : this.#wrong(name, 'a token id or a list of them');
  }

  /** A list of lists of token ids; an empty list if there are none. */
  idLists(name: string): number[][] {
    const value = this.#values[name] ?? [];
    const isIds = (list: unknown) => Array.isArray(list) && list.every(isIndex);
    return Array.isArray(value) && value.every(isIds)
      ? value
      : this.#wrong(name, 'a list of lists of token ids');
  }

  #get(name: string, fallback: unknown): unknown {
    const value = this.#values[name] ?? fallback;
    if (value === undefined) fail('bad_checkpoint', `${this.#file} has no ${name}`);
    return value;
  }

  #wrong(name: string, wanted: string): never {
    fail('bad_checkpoint', `${this.#file}: ${name} must be ${wanted}, got ${showJson(this.#values[name])}`);
  }
}
