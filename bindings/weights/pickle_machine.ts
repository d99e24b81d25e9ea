/** The stack machine that runs pickles, and its values. */

import { showJson } from '../files/show_json.js';
import { fail, TransformerError } from '../values/errors.js';
import { utf8Decoder } from '../values/utf8.js';

export type Value = null | boolean | number | bigint | string | Sequence | Dictionary | Name | Made;

/**
 * A list or a tuple. Once it is part of another value (`isPart`), nothing can be added to it, so no value can contain
 * itself.
 */
export class Sequence {
  isPart = false;
  constructor(readonly items: Value[]) {}
}

export class Dictionary {
  isPart = false;
  readonly items = new Map<string | number, Value>();
}

/** A class or function, as 'module name'. */
export class Name {
  constructor(readonly name: string) {}
}

/** Base class of the objects that a vocabulary creates. */
export abstract class Made {}

export interface Vocabulary {
  /** Every class and function that a pickle may name, with what it does to its arguments. */
  readonly names: ReadonlyMap<string, ((args: readonly Value[]) => Value) | null>;
  /** Resolves an object that is stored outside of the pickle. */
  persistent(id: Value): Value;
}

// State dicts are pickled in batches that take two thousand slots.
const maxStack = 1 << 17;
const maxLine = 200;

/** The pickle continues after the available bytes. */
export class CutOff extends TransformerError {}

export class Machine {
  place: number;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #file: string;
  readonly #vocabulary: Vocabulary;
  readonly #stack: Value[] = [];
  /** Stack heights at the marks. */
  readonly #marks: number[] = [];
  readonly #memo = new Map<number, Value>();

  constructor(bytes: Uint8Array, vocabulary: Vocabulary, { file, begin }: { file: string; begin: number }) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#file = file;
    this.#vocabulary = vocabulary;
    this.place = begin;
  }

  refuse(why: string): never {
    fail('bad_checkpoint', `${this.#file}: its pickle ${why} (byte ${this.place})`);
  }

  /** Advances and returns the previous offset. */
  #advance(count: number): number {
    const begin = this.place;
    if (count < 0 || count > this.#bytes.length - begin)
      throw new CutOff(
        'bad_checkpoint',
        `${this.#file} is cut off: its pickle continues after the last byte`,
      );
    this.place += count;
    return begin;
  }

  byte(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  uint16(): number {
    return this.#view.getUint16(this.#advance(2), true);
  }

  int32(): number {
    return this.#view.getInt32(this.#advance(4), true);
  }

  uint32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  float64(): number {
    return this.#view.getFloat64(this.#advance(8), false);
  }

  /** An integer in two's complement, of any reasonable length. */
  long(): number | bigint {
    const length = this.byte();
    if (length > 32) this.refuse(`holds a number of ${length} bytes`);
    let value = 0n;
    const begin = this.#advance(length);
    for (let i = length - 1; i >= 0; i--) value = (value << 8n) | BigInt(this.#view.getUint8(begin + i));
    value = BigInt.asIntN(8 * length, value);
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }

  text(length: number): string {
    const begin = this.#advance(length);
    try {
      return decodeUtf8(this.#bytes.subarray(begin, begin + length));
    } catch {
      return this.refuse('holds a string that is not UTF-8');
    }
  }

  /** A module and a name, one per line. */
  name(): Name {
    const [module, name] = [this.#line(), this.#line()];
    const full = `${module} ${name}`;
    if (this.#vocabulary.names.has(full)) return new Name(full);
    return this.refuse(
      `uses ${module}.${name}, which is not allowed: it is not a plain dictionary of tensors`,
    );
  }

  #line(): string {
    const end = this.#bytes.subarray(this.place, this.place + maxLine).indexOf(10);
    if (end < 0) {
      this.#advance(maxLine);
      this.refuse('holds a name without an end');
    }
    const line = this.text(end);
    this.#advance(1);
    return line;
  }

  protocol(): void {
    const protocol = this.byte();
    if (protocol !== 2) this.refuse(`has protocol ${protocol}; supported is 2`);
  }

  push(value: Value): void {
    if (this.#stack.length >= maxStack) this.refuse(`needs a stack of more than ${maxStack} entries`);
    this.#stack.push(value);
  }

  pop(): Value {
    const lowest = this.#marks.at(-1) ?? 0;
    const value = this.#stack.length > lowest ? this.#stack.pop() : undefined;
    return value === undefined ? this.refuse('pops from an empty stack') : value;
  }

  mark(): void {
    if (this.#marks.length >= maxStack) this.refuse('is nested too deeply');
    this.#marks.push(this.#stack.length);
  }

  popToMark(): Value[] {
    const height = this.#marks.pop();
    return height === undefined ? this.refuse('lacks a mark') : this.#stack.splice(height);
  }

  remember(index: number): void {
    const value = this.pop();
    this.#memo.set(index, value);
    this.#stack.push(value);
  }

  recall(index: number): void {
    const value = this.#memo.get(index);
    if (value === undefined) this.refuse(`recalls number ${index}, which was never stored`);
    this.push(value);
  }

  tuple(items: Value[]): void {
    const tuple = new Sequence(items);
    for (const item of items) closeOff(item);
    closeOff(tuple);
    this.push(tuple);
  }

  append(items: readonly Value[]): void {
    const list = this.pop();
    if (!(list instanceof Sequence)) this.refuse('appends to something that is not a list');
    for (const item of items) {
      closeOff(item);
      this.#checkOpen(list);
      list.items.push(item);
    }
    this.push(list);
  }

  setItems(items: readonly Value[]): void {
    const dictionary = this.pop();
    if (!(dictionary instanceof Dictionary)) this.refuse('sets items of something that is not a dictionary');
    if (items.length % 2 !== 0) this.refuse('holds a key without a value');
    for (let i = 0; i < items.length; i += 2) {
      const [key, value] = items.slice(i, i + 2);
      if (typeof key !== 'string' && typeof key !== 'number')
        this.refuse('holds a key that is neither a string nor a number');
      if (dictionary.items.has(key)) this.refuse(`holds ${showJson(key)} twice`);
      if (value === undefined) continue;
      closeOff(value);
      this.#checkOpen(dictionary);
      dictionary.items.set(key, value);
    }
    this.push(dictionary);
  }

  /** Calls a function of the vocabulary. */
  reduce(): void {
    const args = this.pop();
    const called = this.pop();
    const make = called instanceof Name ? this.#vocabulary.names.get(called.name) : undefined;
    if (!make) this.refuse('calls something that is not a tensor function');
    if (!(args instanceof Sequence)) this.refuse('calls a function without a tuple of arguments');
    this.push(make(args.items));
  }

  persistent(): void {
    this.push(this.#vocabulary.persistent(this.pop()));
  }

  /** Attributes of an object, such as a state dict's `_metadata`, are ignored. */
  build(): void {
    this.pop();
    const object = this.pop();
    if (!(object instanceof Dictionary)) this.refuse('sets attributes of something that is not a dictionary');
    this.push(object);
  }

  #checkOpen(container: Sequence | Dictionary): void {
    if (container.isPart) this.refuse('holds something that contains itself');
  }
}

function closeOff(value: Value): void {
  if (value instanceof Sequence || value instanceof Dictionary) value.isPart = true;
}

const decodeUtf8 = utf8Decoder({ fatal: true });
