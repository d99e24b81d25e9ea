/**
 * The state of a training as a file: a safetensors file with the weights and the moments of Adam, a tensor of bytes
 * with what else must be the same, and at the end the SHA-256 of all that is before it.
 */

import { ByteReader } from '../files/byte_reader.js';
import type { JsonObject } from '../files/json_object.js';
import { isJsonObject } from '../files/json_object.js';
import { Sha256 } from '../files/sha256_stream.js';
import { fail, messageOf } from '../values/errors.js';
import { elements } from '../values/tensor.js';
import { readHeader } from '../weights/safetensors.js';
import { safetensorsOf } from '../weights/safetensors_written.js';
import type { TrainedParameter, TrainingState } from './embind.js';
import { readSettings, type TrainingSettings } from './settings.js';

export { safetensorsOf } from '../weights/safetensors_written.js';

const version = 1;
const file = 'the state';
const parts = ['value', 'mean', 'square'] as const;
const hashBytes = 32;

export interface SavedState {
  readonly config: JsonObject;
  readonly settings: TrainingSettings;
  readonly state: TrainingState;
}

/** @param parameters in the order of the state's tensors, of which each has three */
export function writeState(
  { config, settings, state }: SavedState,
  parameters: readonly TrainedParameter[],
): Uint8Array {
  const about = { version, steps: state.steps, config, settings };
  const tensors = state.tensors.map((tensor, i) => ({
    ...tensor,
    name: `${parameters[Math.floor(i / parts.length)]?.name}.${parts[i % parts.length]}`,
  }));
  const written = safetensorsOf(tensors, {
    training: new TextEncoder().encode(JSON.stringify(about)),
    sha256: new Uint8Array(hashBytes),
  });
  written.set(hashOf(written.subarray(0, -hashBytes)), written.length - hashBytes);
  return written;
}

function hashOf(bytes: Uint8Array): Uint8Array {
  const sha = new Sha256();
  sha.add(bytes);
  return Uint8Array.from(sha.end().match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
}

/** @throws TransformerError `bad_checkpoint` for bytes that are no state, or a damaged one */
export async function readState(bytes: Uint8Array): Promise<SavedState> {
  const damaged = (why: string) => fail('bad_checkpoint', `${file} of the training is damaged: ${why}`);
  if (bytes.length < 8 + hashBytes) damaged(`it has ${bytes.length} bytes`);
  const hash = hashOf(bytes.subarray(0, -hashBytes));
  if (hash.some((byte, i) => byte !== bytes[bytes.length - hashBytes + i])) damaged('its SHA-256 is another');
  const tensors = await readHeader(new ByteReader(streamOf(bytes), file), file, bytes.length);
  const dataOf = ({ storage: { begin, bytes: count } }: (typeof tensors)[number]) =>
    // A copy of its own: a Buffer's `slice` is none.
    new Uint8Array(bytes.subarray(begin, begin + count));
  const about = tensors.find(({ name }) => name === 'training');
  const { steps, config, settings, ...rest } = parse(about ? dataOf(about) : new Uint8Array(), damaged);
  if (rest.version !== version)
    fail('unsupported', `${file} is of version ${rest.version}; this package reads ${version}`);
  if (typeof steps !== 'number' || !isJsonObject(config)) damaged('its description is incomplete');
  const floats = tensors
    .filter(({ name }) => parts.some((part) => name.endsWith(`.${part}`)))
    .map((tensor) => ({ data: new Float32Array(dataOf(tensor).buffer), shape: [...tensor.shape] }));
  return {
    config: config as JsonObject,
    settings: readSettings(settings),
    state: {
      steps: Number(steps),
      tensors: floats.filter(({ data, shape }) => data.length === elements(shape)),
    },
  };
}

function parse(bytes: Uint8Array, damaged: (why: string) => never): JsonObject {
  try {
    const read: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (isJsonObject(read)) return read;
  } catch (error) {
    damaged(messageOf(error));
  }
  return damaged('it has no description');
}

async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}
