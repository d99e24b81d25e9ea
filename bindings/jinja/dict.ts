/** Python's mappings: keys that are equal are one key, so that `1`, `1.0` and `true` are, and tuples of them. */

import {
  Attributes,
  Callable,
  DictView,
  numberOf,
  Range,
  Stream,
  Tuple,
  typeOf,
  Undefined,
  type Value,
} from './values.js';

/** In a mapping, the key that was given first stays, with the value that was given last. */
export class Dict extends Map<Value, Value> {
  /** Keys as they were given, by what equal ones have in common; texts are their own. */
  readonly #given = new Map<unknown, Value>();

  /** @throws Error if a key is a list or a mapping */
  static of(entries: Iterable<readonly [Value, Value]>): Dict {
    const made = new Dict();
    for (const [key, value] of entries) made.set(key, value);
    return made;
  }

  override get(key: Value): Value | undefined {
    return super.get(this.#keyOf(key));
  }

  override has(key: Value): boolean {
    return super.has(this.#keyOf(key));
  }

  override set(key: Value, value: Value): this {
    if (typeof key !== 'string' && !this.has(key)) this.#given.set(hashOf(key), key);
    return super.set(this.#keyOf(key), value);
  }

  #keyOf(key: Value): Value {
    return typeof key === 'string' ? key : (this.#given.get(hashOf(key)) ?? key);
  }
}

/** Whether a value may be a key. */
export function isHashable(value: Value): boolean {
  if (value instanceof Tuple) return value.every(isHashable);
  return (
    !(value instanceof Map || value instanceof DictView) && (!Array.isArray(value) || value instanceof Range)
  );
}

/** A value that equal keys share. */
function hashOf(key: Value): unknown {
  if (!isHashable(key)) throw new Error(`unhashable type: '${typeOf(key)}'`);
  if (key instanceof Tuple) return JSON.stringify(key.map(hashInTuple));
  if (key instanceof Undefined) return Undefined;
  return numberOf(key) ?? key;
}

function hashInTuple(key: Value): unknown {
  if (key instanceof Callable || key instanceof Attributes || key instanceof Stream)
    throw new Error(`a tuple with a ${typeOf(key)} is not supported as a key`);
  const hash = hashOf(key);
  return key instanceof Tuple ? ['a tuple', hash] : key instanceof Undefined ? ['undefined'] : hash;
}
