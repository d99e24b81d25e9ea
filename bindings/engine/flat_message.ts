/** Messages written into memory that two threads share: as JSON, and behind it the numbers of their typed arrays. */

const kinds = { Float32Array, Int32Array, Uint8Array } as const;
type Kind = keyof typeof kinds;

/** What stands in the JSON for a typed array, `at` bytes behind the text, or for `undefined`. */
type Mark = { readonly $: Kind; readonly at: number; readonly length: number } | { readonly $: 'undefined' };

/** The text's length in UTF-16 units, then the text, then the arrays, each at a multiple of 4 bytes. */
const textBegin = Int32Array.BYTES_PER_ELEMENT;
const aligned = (bytes: number) => (bytes + 3) & ~3;

/** A message that JSON and these kinds of arrays cannot say exactly. */
class NotFlat extends Error {}

/** Writes a message; `false` if it is too long, or holds more than plain objects, arrays, finite numbers, texts and typed arrays. */
export function writeFlat(message: unknown, memory: Uint8Array<SharedArrayBuffer>): boolean {
  const arrays: { readonly bytes: Uint8Array; readonly at: number }[] = [];
  let arrayBytes = 0;

  function flat(value: unknown): unknown {
    if (value === undefined) return { $: 'undefined' } satisfies Mark;
    if (typeof value === 'number') return isExactInJson(value) ? value : notFlat();
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
    if (typeof value !== 'object') return notFlat();
    if (ArrayBuffer.isView(value)) return markOf(value);
    if (Array.isArray(value)) return value.map(flat);
    if ('$' in value || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return notFlat();
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, flat(field)]));
  }

  function markOf(view: ArrayBufferView): Mark {
    const kind = kindOf(view);
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    const at = arrayBytes;
    arrayBytes += aligned(bytes.length);
    if (arrayBytes > memory.length) notFlat();
    arrays.push({ bytes, at });
    return { $: kind, at, length: bytes.length / kinds[kind].BYTES_PER_ELEMENT };
  }

  let text: string;
  try {
    text = JSON.stringify(flat(message));
  } catch (error) {
    if (error instanceof NotFlat) return false;
    throw error;
  }
  const arraysBegin = textBegin + aligned(2 * text.length);
  if (arraysBegin + arrayBytes > memory.length) return false;
  new Int32Array(memory.buffer, memory.byteOffset, 1)[0] = text.length;
  const units = new Uint16Array(memory.buffer, memory.byteOffset + textBegin, text.length);
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  for (const { bytes, at } of arrays) memory.set(bytes, arraysBegin + at);
  return true;
}

/** Reads a message that `writeFlat` wrote. Its typed arrays are copies, or views of the shared memory. */
export function readFlat(memory: Uint8Array<SharedArrayBuffer>, arrays: 'copies' | 'views'): unknown {
  const [length = 0] = new Int32Array(memory.buffer, memory.byteOffset, 1);
  const units = new Uint16Array(memory.buffer, memory.byteOffset + textBegin, length);
  let text = '';
  // In pieces, since there is a limit to the number of arguments.
  for (let i = 0; i < length; i += 4096) text += String.fromCharCode(...units.subarray(i, i + 4096));
  const arraysBegin = memory.byteOffset + textBegin + aligned(2 * length);

  function restored(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(restored);
    if ('$' in value) return arrayOf(value as Mark);
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, restored(field)]));
  }

  function arrayOf(mark: Mark): unknown {
    if (mark.$ === 'undefined') return undefined;
    // TypeScript takes the constructors together, and only their common parameters.
    const shared = memory.buffer as ArrayBufferLike as ArrayBuffer;
    const view = new kinds[mark.$](shared, arraysBegin + mark.at, mark.length);
    return arrays === 'views' ? view : view.slice();
  }

  return restored(JSON.parse(text));
}

function kindOf(view: ArrayBufferView): Kind {
  if (view instanceof Float32Array) return 'Float32Array';
  if (view instanceof Int32Array) return 'Int32Array';
  return view instanceof Uint8Array ? 'Uint8Array' : notFlat();
}

const isExactInJson = (number: number) => Number.isFinite(number) && !Object.is(number, -0);

function notFlat(): never {
  throw new NotFlat();
}
