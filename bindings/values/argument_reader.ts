/** Copies an argument of a public call into plain objects and lists, so that no code of the caller's runs later. */

import { fail } from './errors.js';

/** Deeper nesting is no argument of ours, and would use up the stack. */
const maxDepth = 200;
/** Values in one argument, those of typed arrays not counted. */
export const maxValues = 2 ** 27;

export type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

/** Replacements for the parts of an argument that are not plain values. */
export interface Guests {
  /** @param where the place of the function, for messages */
  readonly ofFunction: (value: AnyFunction, where: string) => AnyFunction;
  readonly ofIterable: (value: Iterable<unknown>) => Iterable<unknown>;
  readonly ofAsyncIterable: (value: AsyncIterable<unknown>) => AsyncIterable<unknown>;
  readonly ofPromise: (value: Promise<unknown>) => Promise<unknown>;
  readonly ofSignal: (value: AbortSignal) => void;
}

/** An object that was read, and how many values are in it. */
interface Copied {
  readonly copy: unknown;
  readonly values: number;
}

export class ArgumentReader {
  readonly #guests: Guests;
  readonly #path: (string | number)[];
  /** `null` while an object is being read: who meets it then is inside it. */
  readonly #copied = new Map<object, Copied | null>();
  #values = 0;

  constructor(name: string, guests: Guests) {
    this.#path = [name];
    this.#guests = guests;
  }

  /**
   * Plain objects, lists and maps are copied; what has a class of its own and typed arrays stay as they are.
   *
   * @throws TransformerError `invalid_argument`; whatever a getter or an iterator throws.
   */
  read(value: unknown): unknown {
    if (typeof value === 'symbol') return this.#refuse('is a symbol');
    if (typeof value === 'function') return this.#function(value as AnyFunction);
    if (typeof value !== 'object' || value === null) return value;
    if (ArrayBuffer.isView(value)) return isDetached(value) ? this.#refuse('is a detached buffer') : value;
    const known = this.#copied.get(value);
    if (known === null) this.#refuse('contains itself');
    if (known) {
      this.#count(known.values);
      return known.copy;
    }
    if (this.#path.length > maxDepth) this.#refuse(`is nested more than ${maxDepth} levels deep`);
    const before = this.#values;
    this.#copied.set(value, null);
    const copy = this.#copyOf(value);
    this.#copied.set(value, { copy, values: this.#values - before });
    return copy;
  }

  /** `options.stop[0]` */
  get where(): string {
    const [name, ...inner] = this.#path;
    const shown = inner.slice(0, 8).map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`));
    return `${name}${shown.join('')}${inner.length > 8 ? '...' : ''}`;
  }

  #copyOf(value: object): unknown {
    if (Array.isArray(value)) return this.#list(value);
    if (value instanceof Map)
      return new Map(Array.from(value, ([key, inner]) => [this.read(key), this.#at(String(key), inner)]));
    if (value instanceof AbortSignal) this.#guests.ofSignal(value);
    if (value instanceof Promise) return this.#guests.ofPromise(value);
    if (Symbol.iterator in value) return this.#guests.ofIterable(value as Iterable<unknown>);
    if (Symbol.asyncIterator in value && !isLookedUp(value))
      return this.#guests.ofAsyncIterable(value as AsyncIterable<unknown>);
    if (!isPlain(value)) return value;
    const keys = Object.keys(value);
    this.#count(keys.length);
    return Object.fromEntries(
      keys.map((key) => [key, this.#at(key, (value as Record<string, unknown>)[key])]),
    );
  }

  #function(value: AnyFunction): AnyFunction {
    // It cannot be called.
    if (/^class\b/.test(Function.prototype.toString.call(value))) this.#refuse('is a class');
    return this.#guests.ofFunction(value, this.where);
  }

  #list(value: readonly unknown[]): unknown[] {
    const { length } = value;
    this.#count(length);
    const copy: unknown[] = [];
    for (let i = 0; i < length; i++) {
      const element = value[i];
      // A list may be long only because nothing is in it.
      if (element === undefined) this.#refuse(`has ${length} elements, but element ${i} is undefined`);
      copy.push(typeof element === 'number' ? element : this.#at(i, element));
    }
    return copy;
  }

  #at(key: string | number, value: unknown): unknown {
    this.#path.push(key);
    const copy = this.read(value);
    this.#path.pop();
    return copy;
  }

  #count(values: number): void {
    this.#values += values;
    if (this.#values > maxValues) this.#refuse(`holds more than ${maxValues} values`);
  }

  #refuse(why: string): never {
    fail('invalid_argument', `${this.where} ${why}`);
  }
}

/** Whether an object is one of `{}`, in any window: others have classes, and are not copied. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * Whether an object's own iteration is that over its entries: as the platform's collections have it (Web IDL), such as
 * a folder's handle. Things are looked up in it by their names, with its other methods; it is no series of values.
 */
const isLookedUp = (value: { readonly [Symbol.asyncIterator]?: unknown; readonly entries?: unknown }) =>
  value[Symbol.asyncIterator] === value.entries;

function isDetached({ buffer, byteLength }: ArrayBufferView): boolean {
  if (byteLength > 0) return false;
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}
