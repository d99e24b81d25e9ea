/** Facts about a checkpoint that has been loaded. */

import { bitsOf, type QuantizedDtype, type StoredDtype } from '../engine/dtype.js';
import type { Host } from '../engine/host.js';
import type { Plan } from '../plans/family.js';
import { isKnownBuffer } from '../plans/torch_names.js';
import { scaleName } from '../weights/quantization.js';
import type { StoredTensor } from '../weights/stored_tensor.js';
import type { WeightFiles } from '../weights/weight_file.js';

export interface CheckpointInfo {
  /** `model_type` of config.json. */
  readonly family: string;
  readonly parameters: number;
  /** Total bytes of the weight files. */
  readonly bytes: number;
  /** Bytes of memory that the weights take in the engine. */
  readonly weightBytes: number;
  /** How matrices are stored in the engine, or most of them if the files mix types; everything else is float32. */
  readonly dtype: StoredDtype;
  /** Data types in the weight files. */
  readonly storedDtypes: readonly string[];
  /** The commit that the files are of, in 40 hexadecimal digits; `null` where no hub tells it. */
  readonly commit: string | null;
  /**
   * SHA-256 by file name, in hexadecimal digits: of files that `integrity` checked, and as the hub tells it of others.
   */
  readonly sha256: Readonly<Record<string, string>>;
  readonly loadMilliseconds: number;
  /** Names of tensors in the files that the model does not use. */
  readonly unusedTensors: readonly string[];
  /** Explanations: how integers are multiplied, why a download was not kept. */
  readonly notes: readonly string[];
}

/** Describes the activations' precision: the relaxed dot product takes 7 bits, and is not correct on every machine. */
export async function integerNote(host: Host, dtype: QuantizedDtype): Promise<string> {
  const isRelaxed = (await host.call('activationBits', 'int8')) === 7;
  const bits = `${bitsOf(dtype)} bits by activations of ${await host.call('activationBits', dtype)}`;
  const why = isRelaxed
    ? 'is available and passed its self-test'
    : 'is unavailable here or gives wrong results';
  return `Weights of ${bits} bits: the relaxed dot product ${why}.`;
}

export function storedDtypes({ tensors }: WeightFiles): string[] {
  return [...new Set(tensors.map(({ dtype }) => dtype))];
}

/** Tensors that the model does not use, apart from tables that are known to be computable. */
export function unusedTensors({ tensors }: WeightFiles, { slices }: Plan, left: readonly string[]): string[] {
  const used = new Set(slices.filter(({ name }) => !left.includes(name)).map(({ from }) => from));
  for (const { name, dtype } of tensors) if (dtype === 'I8' && used.has(name)) used.add(scaleName(name));
  const usedTensors = tensors.filter(({ name }) => used.has(name));
  // Another name for numbers that are used: torch.save keeps every name of a tied tensor.
  const isUsed = ({ storage, offset }: StoredTensor) =>
    usedTensors.some((other) => other.storage === storage && other.offset === offset);
  return tensors
    .filter((tensor) => !isUsed(tensor))
    .map(({ name }) => name)
    .filter((name) => !isKnownBuffer(name));
}
