/** An entry of a tokenizer.json: a step with its settings, checked as they are read. */

import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';
import { describe } from '../values/tensor.js';

/** Steps of a sequence, or pieces of a template; published files have up to ten. */
const mostParts = 100;

/** Letters that a step writes in place of others; published ones write one. */
const longestText = 1000;

export class StepEntry {
  readonly type: string;
  readonly file: string;
  readonly #entry: JsonObject;

  /** @throws TransformerError `bad_checkpoint` */
  constructor(entry: unknown, file: string) {
    this.file = file;
    if (!isJsonObject(entry))
      fail('bad_checkpoint', `${file}: a step must be an object, got ${describe(entry)}`);
    if (typeof entry.type !== 'string') fail('bad_checkpoint', `${file}: a step has no type`);
    this.#entry = entry;
    this.type = entry.type;
  }

  /** The value of a setting, unless it is missing or null. */
  get(name: string): unknown {
    return this.#entry[name] ?? undefined;
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.get(name) ?? fallback;
    return typeof value === 'boolean' ? value : this.#refuse(name, 'true or false', value);
  }

  /** @param fallback if it is missing; without one it must be there. */
  text(name: string, fallback?: string): string {
    const value = this.get(name) ?? fallback;
    if (typeof value !== 'string') return this.#refuse(name, 'a string', value);
    if (value.length > longestText)
      fail(
        'unsupported',
        `${this.file}: ${this.type} writes ${value.length} characters; at most ${longestText} are supported`,
      );
    return value;
  }

  letter(name: string, fallback?: string): string {
    const value = this.text(name, fallback);
    return value.length === String.fromCodePoint(value.codePointAt(0) ?? 0).length && value !== ''
      ? value
      : this.#refuse(name, 'one character', value);
  }

  count(name: string, fallback: number, least = 0): number {
    const value = this.get(name) ?? fallback;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
    return this.#refuse(name, least > 0 ? 'a positive integer' : 'an integer from 0 on', value);
  }

  choice<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const value = this.get(name) ?? fallback;
    const found = choices.find((one) => one === value);
    return found ?? this.#refuse(name, `one of ${choices.join(', ')}`, value);
  }

  list(name: string): readonly unknown[] {
    const value = this.get(name);
    if (!Array.isArray(value)) return this.#refuse(name, 'a list', value);
    if (value.length > mostParts)
      fail(
        'unsupported',
        `${this.file}: ${this.type} has ${value.length} parts; at most ${mostParts} are supported`,
      );
    return value;
  }

  /** @throws TransformerError `unsupported`, naming the type */
  refuseType(step: string): never {
    return fail('unsupported', `${this.file}: ${step}s of the type '${this.type}' are not supported`);
  }

  #refuse(name: string, what: string, value: unknown): never {
    return fail(
      'bad_checkpoint',
      `${this.file}: the ${name} of ${this.type} must be ${what}, got ${describe(value)}`,
    );
  }
}

/**
 * A step and those of sequences in it, as one list.
 *
 * @param list the setting of a `Sequence` that holds its steps
 * @param step what the steps are called in messages
 */
export function stepsOf(
  entry: unknown,
  { list, step, file }: { list: string; step: string; file: string },
): StepEntry[] {
  const steps: StepEntry[] = [];
  let count = 0;
  const add = (given: unknown, depth: number) => {
    count++;
    if (depth > mostParts)
      fail('unsupported', `${file}: the ${step} has sequences in each other ${depth} deep`);
    const one = new StepEntry(given, file);
    if (one.type === 'Sequence') for (const inner of one.list(list)) add(inner, depth + 1);
    else if (steps.length <= mostParts) steps.push(one);
  };
  if (entry !== null && entry !== undefined) add(entry, 0);
  if (count > mostParts)
    fail('unsupported', `${file}: the ${step} has ${count} steps; at most ${mostParts} are supported`);
  return steps;
}

/** Letters that all steps together may make of one; NFKC makes up to 18. */
const mostGrowth = 100;

/** Steps as one; it stops if they multiply what they are given. */
export function inSteps<T>(steps: readonly ((given: T) => T)[], lengthOf: (made: T) => number, who: string) {
  return (given: T): T => {
    const length = lengthOf(given);
    return steps.reduce((before, step) => {
      const made = step(before);
      const letters = lengthOf(made);
      if (letters <= mostGrowth * (length + 100)) return made;
      return fail(
        'unsupported',
        `${who} makes ${letters} characters of ${length}; at most ${mostGrowth} for each are supported`,
      );
    }, given);
  };
}
