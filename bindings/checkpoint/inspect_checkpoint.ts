/** Describes the folder of a checkpoint without reading the weights. */

import { familyOf } from '../families/index.js';
import type { CheckpointSource } from '../files/folder.js';
import type { JsonObject } from '../files/json_object.js';
import { openFolder } from '../files/open_folder.js';
import { readTokenizer } from '../tokenizers/read_tokenizer.js';
import { TransformerError } from '../values/errors.js';
import { elements } from '../values/tensor.js';
import { shapesOf } from '../weights/weight_file.js';
import { storedDtypes } from './checkpoint_info.js';
import { type AsFolder, asFolder, weightsOf, withoutPacking } from './folder_weights.js';
import { configOf, generationOf, studentWithoutConfig } from './inspected_settings.js';
import { describeTensors, type InspectedTensor } from './inspected_tensors.js';
import { missingTensors } from './outline_model.js';
import { withoutCopies } from './own_projection.js';

export interface Inspection {
  readonly folder: string;
  /** The commit that the files are of; `null` where no hub tells it. */
  readonly commit: string | null;
  /** SHA-256 by file name, in hexadecimal digits, as the hub tells it. */
  readonly sha256: Readonly<Record<string, string>>;
  /** `model_type` of config.json; `null` if it is missing. */
  readonly family: string | null;
  readonly config: JsonObject | null;
  /** Number of parameters in the tensors that are used. */
  readonly parameters: number;
  readonly weights: {
    readonly file: string;
    readonly bytes: number | null;
    readonly dtypes: readonly string[];
  } | null;
  readonly tensors: readonly InspectedTensor[];
  /** `null` for a model that takes token ids only. */
  readonly tokenizer: { readonly tokens: number } | null;
  /** Why the model cannot be loaded; empty if nothing in the headers prevents it. */
  readonly refusals: readonly string[];
  /** Generation settings that are not supported: the model loads, but refuses to generate with them. */
  readonly unsupportedSettings: readonly string[];
}

export async function inspectCheckpoint(source: CheckpointSource, signal?: AbortSignal): Promise<Inspection> {
  const given = await asFolder(await openFolder(source, { signal }));
  try {
    return await inspectFolder(given, signal);
  } finally {
    await given.close?.();
  }
}

export async function inspectFolder(given: AsFolder, signal?: AbortSignal): Promise<Inspection> {
  const { refusals, attempt } = collectRefusals();
  const student = await attempt(() => studentWithoutConfig(given, signal));
  const folder = student?.folder ?? given;
  const config = student?.config ?? (await attempt(() => configOf(folder, signal)));
  const family = await familyOf(config ?? {});
  const known = config && (await attempt(() => family.requireKnown() ?? family));
  const file = student?.files ?? (await attempt(() => weightsOf(folder, { signal })));
  const whole = file && (await attempt(() => withoutPacking(file, { config: config ?? {}, family })))?.files;
  const plan = known && whole && (await attempt(() => known.plan(shapesOf(whole))));
  const tokenizer = await attempt(() =>
    readTokenizer(folder, { config: config ?? {}, kind: family.tokenizer }, signal),
  );
  const generation = config && (await attempt(() => generationOf(student ?? folder, family.config, signal)));
  const used = plan && { ...plan, slices: withoutCopies(plan.slices) };
  const missing = whole && used && (await attempt(() => missingTensors(whole, used)));
  refusals.push(...(missing ?? []).map(({ message }) => message));
  await file?.close();
  const tensors = file ? describeTensors(whole ?? file, used?.slices ?? []) : [];
  return {
    folder: folder.name,
    commit: folder.commit?.() ?? null,
    sha256: { ...folder.hashes?.() },
    family: config && family.modelType,
    config,
    parameters: tensors
      .filter(({ becomes }) => becomes.length > 0)
      .reduce((sum, { shape }) => sum + elements(shape), 0),
    weights: file && {
      file: file.name,
      bytes: file.size,
      dtypes: storedDtypes(file),
    },
    tensors,
    tokenizer: tokenizer && { tokens: tokenizer.size },
    refusals,
    unsupportedSettings: generation?.unsupported ?? [],
  };
}

/** Records why an attempt is refused, so that the rest can still be described. */
function collectRefusals() {
  const refusals: string[] = [];
  const attempt = async <T>(work: () => T | Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TransformerError)) throw error;
      refusals.push(error.message);
      return null;
    }
  };
  return { refusals, attempt };
}
