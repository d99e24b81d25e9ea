/** Messages in memory that two threads share: the numbers of their typed arrays, followed by the rest as JSON. */

const kinds = { Float32Array, Int32Array, Uint8Array } as const;
type Kind = keyof typeof kinds;
type Numbers = Float32Array | Int32Array | Uint8Array;

/** The JSON's stand-in for a typed array, `at` bytes from the beginning, or for `undefined`. */
type Mark = ArrayMark | { readonly $: 'undefined' };
type ArrayMark = { readonly $: Kind; readonly at: number; readonly length: number };

/** At the beginning: where the text is, and its length in UTF-16 units. Arrays are at multiples of 4 bytes. */
const arraysBegin = 2 * Int32Array.BYTES_PER_ELEMENT;
const aligned = (bytes: number) => (bytes + 3) & ~3;

/** A message that JSON and these kinds of arrays cannot say exactly, or that is too long. */
class NotFlat extends Error {}

/** Memory for one message at a time. */
export class FlatMessage {
  readonly #memory: Uint8Array<SharedArrayBuffer>;
  readonly #header: Int32Array;
  #end = arraysBegin;

  constructor(memory: Uint8Array<SharedArrayBuffer>) {
    this.#memory = memory;
    this.#header = new Int32Array(memory.buffer, memory.byteOffset, 2);
  }

  /** A copy of numbers which the next message can hold without another one; not in this memory if it is full. */
  place<T extends Float32Array | Int32Array>(numbers: T): T {
    const at = this.#end;
    if (at + numbers.byteLength > this.#memory.length) return numbers.slice() as T;
    this.#end = at + aligned(numbers.byteLength);
    const copy = viewOf(kindOf(numbers), this.#memory.buffer, this.#memory.byteOffset + at, numbers.length);
    copy.set(numbers);
    return copy as T;
  }

  /** Writes a message; `false` if it is too long or holds anything that JSON and typed arrays cannot. */
  write(message: unknown): boolean {
    try {
      this.#writeText(JSON.stringify(this.#flat(message)));
      return true;
    } catch (error) {
      if (error instanceof NotFlat) return false;
      throw error;
    } finally {
      this.#end = arraysBegin; // for the next message
    }
  }

  /** Reads a message. Its typed arrays are copies, or views of the shared memory. */
  read(arrays: 'copies' | 'views'): unknown {
    const [at = 0, length = 0] = this.#header;
    const units = new Uint16Array(this.#memory.buffer, this.#memory.byteOffset + at, length);
    let text = '';
    // In pieces, since there is a limit to the number of arguments.
    for (let i = 0; i < length; i += 4096)
      text += String.fromCharCode.apply(null, units.subarray(i, i + 4096) as unknown as number[]);
    return this.#restored(JSON.parse(text), arrays);
  }

  #flat(value: unknown): unknown {
    switch (typeof value) {
      case 'number':
        return isExactInJson(value) ? value : notFlat();
      case 'string':
      case 'boolean':
        return value;
      case 'undefined':
        return { $: 'undefined' } satisfies Mark;
      case 'object':
        return value === null ? null : this.#flatObject(value);
      default:
        return notFlat();
    }
  }

  // Loops, not `map` and `Object.entries`: a call of 4 kB crosses in half the time.
  #flatObject(value: object): unknown {
    if (ArrayBuffer.isView(value)) return this.#markOf(value);
    if (Array.isArray(value)) {
      const copy: unknown[] = [];
      for (let i = 0; i < value.length; i++) copy.push(this.#flat(value[i]));
      return copy;
    }
    if ('$' in value || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return notFlat();
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(value))
      copy[key === '__proto__' ? notFlat() : key] = this.#flat((value as Record<string, unknown>)[key]);
    return copy;
  }

  #markOf(view: ArrayBufferView): Mark {
    const kind = kindOf(view);
    const length = view.byteLength / kinds[kind].BYTES_PER_ELEMENT;
    if (this.#holds(view)) return { $: kind, at: view.byteOffset - this.#memory.byteOffset, length };
    const at = this.#end;
    if (at + view.byteLength > this.#memory.length) notFlat();
    this.#end = at + aligned(view.byteLength);
    this.#memory.set(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), at);
    return { $: kind, at, length };
  }

  #holds({ buffer, byteOffset }: ArrayBufferView): boolean {
    const from = byteOffset - this.#memory.byteOffset;
    return buffer === this.#memory.buffer && from >= arraysBegin && from < this.#end;
  }

  #writeText(text: string): void {
    const at = this.#end;
    if (at + 2 * text.length > this.#memory.length) notFlat();
    this.#header[0] = at;
    this.#header[1] = text.length;
    const units = new Uint16Array(this.#memory.buffer, this.#memory.byteOffset + at, text.length);
    for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  }

  /** Replaces the marks in what was parsed. */
  #restored(value: unknown, arrays: 'copies' | 'views'): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) value[i] = this.#restored(value[i], arrays);
      return value;
    }
    if ('$' in value) return this.#arrayOf(value as Mark, arrays);
    const fields = value as Record<string, unknown>;
    for (const key of Object.keys(fields)) fields[key] = this.#restored(fields[key], arrays);
    return fields;
  }

  #arrayOf(mark: Mark, arrays: 'copies' | 'views'): Numbers | undefined {
    if (mark.$ === 'undefined') return undefined;
    const view = viewOf(mark.$, this.#memory.buffer, this.#memory.byteOffset + mark.at, mark.length);
    if (arrays === 'views') return view;
    // `slice` takes several times as long from shared memory.
    const copy = viewOf(mark.$, new ArrayBuffer(view.byteLength), 0, mark.length);
    copy.set(view);
    return copy;
  }
}

// TypeScript takes the constructors together, and only their common parameters.
const viewOf = (kind: Kind, memory: ArrayBufferLike, begin: number, length: number): Numbers =>
  new kinds[kind](memory as ArrayBuffer, begin, length);

function kindOf(view: ArrayBufferView): Kind {
  if (view instanceof Float32Array) return 'Float32Array';
  if (view instanceof Int32Array) return 'Int32Array';
  return view instanceof Uint8Array ? 'Uint8Array' : notFlat();
}

const isExactInJson = (number: number) => Number.isFinite(number) && !Object.is(number, -0);

function notFlat(): never {
  throw new NotFlat();
}
