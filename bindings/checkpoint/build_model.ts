/** Builds a checkpoint's model in the engine. */

import type { LoadDtype } from '../engine/dtype.js';
import type { Handle, Host } from '../engine/host.js';
import type { Plan, TowerPlan } from '../plans/family.js';
import { fail } from '../values/errors.js';
import { loadWeights } from '../weights/load_weights.js';
import type { Slice } from '../weights/slices.js';
import type { WeightFiles } from '../weights/weight_file.js';
import { blameConfig, inNamesOfFiles } from './blame.js';
import { checkSize } from './weight_memory.js';

/** A model in the engine. */
export type ModelHandle = Handle<'Transformer' | 'RecurrentModel'>;

export type Report = (file: string, loaded: number, total: number | null) => void;

interface BuildTarget {
  readonly signal?: AbortSignal | undefined;
  readonly host: Host;
  readonly isQuantized: boolean;
  readonly dtype: LoadDtype;
  readonly report: Report;
}

/** The encoder of pictures beside one of texts. */
export interface Tower {
  readonly plan: TowerPlan;
  readonly handle: Handle<'Transformer'>;
}

export interface Built {
  readonly handle: ModelHandle;
  /** The encoder of pictures beside one of texts. */
  readonly tower: Tower | null;
  /** Engine names of the weights that were not used. */
  readonly left: readonly string[];
  /** Total bytes of the weight files. */
  readonly bytes: number;
}

/** Streams the weights into the engine and builds the transformer. */
export async function buildModel(
  files: WeightFiles,
  plan: Plan,
  { host, isQuantized, signal, dtype, report }: BuildTarget,
): Promise<Built> {
  checkSize(files, plan, dtype);
  if (dtype === 'bergamot') requireMultipliers(files, plan);
  const weights = await host.create('Weights', dtype, undefined);
  let handle: ModelHandle | undefined;
  try {
    const onBytes = (file: { readonly name: string }, loaded: number) =>
      report(file.name, loaded, files.size);
    const bytes = await loadWeights(files, plan.slices, { host, weights, isQuantized, signal, onBytes });
    signal?.throwIfAborted();
    handle = await makeModel(host, plan.model, weights).catch(blameConfig);
    const tower = plan.tower ? await makeTower(host, plan.tower, weights).catch(blameConfig) : null;
    return { handle, tower, left: await host.invoke(weights, 'names'), bytes };
  } catch (error) {
    if (handle) await host.release(handle);
    throw inNamesOfFiles(error, files, plan);
  } finally {
    await host.release(weights);
  }
}

/** @throws TransformerError `unsupported` for weights that cannot be multiplied as Bergamot does. */
function requireMultipliers({ name, tensors }: WeightFiles, { slices }: Plan): void {
  const stored = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const isFixed = ({ from }: Slice) => (stored.get(from)?.integers?.activations ?? null) !== null;
  const matrices = slices.filter(({ shape }) => shape.length === 2);
  const [embeddings, factors] = [true, false].map((isTable) =>
    matrices.filter(({ purpose }) => (purpose === 'embedding') === isTable),
  );
  // An embedding is multiplied only where it is the output projection, too.
  if (factors?.every(isFixed) && embeddings?.some(isFixed)) return;
  fail(
    'unsupported',
    `dtype 'bergamot' needs weights of 8 bits with the multipliers of activations (intgemm.alphas), which ${name} does not have`,
  );
}

export const makeModel = (
  host: Host,
  model: Plan['model'],
  weights: Handle<'Weights'>,
): Promise<ModelHandle> =>
  'recurrent' in model
    ? host.create('RecurrentModel', model.recurrent, weights)
    : host.create('Transformer', model, weights);

export const makeTower = async (host: Host, plan: TowerPlan, weights: Handle<'Weights'>): Promise<Tower> => ({
  plan,
  handle: await host.create('Transformer', plan.model, weights),
});

/** Frees a model's memory in the engine. */
export async function release(host: Host, { handle, tower }: Pick<Built, 'handle' | 'tower'>): Promise<void> {
  await Promise.all([handle, ...(tower ? [tower.handle] : [])].map((one) => host.release(one)));
}
