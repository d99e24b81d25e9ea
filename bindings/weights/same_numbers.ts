/** Whether two stored tensors hold the same numbers. */

import { scaleName } from './quantization.js';
import { readTensors } from './read_tensors.js';
import type { StoredTensor } from './stored_tensor.js';
import type { WeightFiles } from './weight_file.js';

/**
 * Reads both tensors, unless they are two names of the same bytes or differ in type or shape.
 *
 * @throws TransformerError `bad_checkpoint`; the signal's reason.
 */
export async function haveSameNumbers(
  files: WeightFiles,
  [first, second]: readonly [string, string],
  signal?: AbortSignal,
): Promise<boolean> {
  const tensorOf = (wanted: string) => files.tensors.find(({ name }) => name === wanted);
  const [one, other] = [tensorOf(first), tensorOf(second)];
  if (!one || !other) return false;
  if (one.storage === other.storage && one.offset === other.offset) return true;
  if (one.dtype !== other.dtype || one.shape.join() !== other.shape.join()) return false;
  const found = await fingerprints(files, [...namesOf(one), ...namesOf(other)], signal);
  const all = (tensor: StoredTensor) =>
    namesOf(tensor)
      .map((name) => found.get(name)?.text)
      .join();
  return all(one) === all(other);
}

/** Integers have the same numbers if their scales have. */
const namesOf = ({ name, dtype, packed }: StoredTensor) =>
  packed?.parts.map((part) => part.name) ?? (dtype === 'I8' ? [name, scaleName(name)] : [name]);

async function fingerprints(
  { files }: WeightFiles,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, Fingerprint>> {
  const found = new Map<string, Fingerprint>();
  for (const file of files) {
    if (!file.tensors.some(({ name }) => names.includes(name))) continue;
    for await (const { tensor, bytes } of readTensors(file, ({ name }) => names.includes(name))) {
      signal?.throwIfAborted();
      const fingerprint = found.get(tensor.name) ?? new Fingerprint();
      fingerprint.add(bytes);
      found.set(tensor.name, fingerprint);
    }
  }
  return found;
}

/** 64 bits of the bytes: FNV-1a and a second function of its kind, which mixes downwards too. */
class Fingerprint {
  #first = 0x811c9dc5;
  #second = 0x9747b28c;

  add(bytes: Uint8Array): void {
    let [first, second] = [this.#first, this.#second];
    for (const byte of bytes) {
      first = Math.imul(first ^ byte, 0x01000193);
      second = Math.imul(second ^ byte, 0x5bd1e995);
      second ^= second >>> 15;
    }
    [this.#first, this.#second] = [first, second];
  }

  get text(): string {
    return `${this.#first} ${this.#second}`;
  }
}
