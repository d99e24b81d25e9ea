/** Builds the layers in the engine that turn images or audio into vectors. */

import type { Handle, Host } from '../engine/host.js';
import type { Plan } from '../plans/family.js';
import {
  type FrontEndConfig,
  type FrontLinear,
  type FrontTable,
  frontLinears,
  frontTables,
} from '../plans/front_end_config.js';
import { fail } from '../values/errors.js';
import type { TensorData } from '../values/tensor.js';

/** A front end: its layers in the engine, and the learned numbers that it computes with, by name. */
export interface FrontEnd {
  readonly config: FrontEndConfig;
  readonly layers: ReadonlyMap<string, Handle<'Linear'>>;
  readonly tables: ReadonlyMap<string, TensorData>;
}

/**
 * Moves the front end's tensors out of the weights.
 *
 * @throws TransformerError `bad_checkpoint` if a tensor is missing or its shape does not match config.json.
 */
export async function makeFrontEnd(
  host: Host,
  weights: Handle<'Weights'>,
  plan: Plan,
): Promise<FrontEnd | null> {
  const config = plan.frontEnd ?? plan.tower?.frontEnd;
  if (!config) return null;
  const layers = new Map<string, Handle<'Linear'>>();
  const tables = new Map<string, TensorData>();
  try {
    for (const table of frontTables(config))
      tables.set(table.name, await takeTable(host, weights, table, plan));
    for (const linear of frontLinears(config))
      layers.set(linear.name, await makeLinear(host, weights, linear, plan));
    return { config, layers, tables };
  } catch (error) {
    await Promise.all([...layers.values()].map((layer) => host.release(layer)));
    throw error;
  }
}

async function takeTable(
  host: Host,
  weights: Handle<'Weights'>,
  { name, shape }: FrontTable,
  plan: Plan,
): Promise<TensorData> {
  checkShape(`front.${name}`, shape, plan);
  return host.invoke(weights, 'take', `front.${name}`, [...shape]);
}

async function makeLinear(
  host: Host,
  weights: Handle<'Weights'>,
  linear: FrontLinear,
  plan: Plan,
): Promise<Handle<'Linear'>> {
  const { name, ...config } = linear;
  const { inFeatures, outFeatures, bias } = config;
  const shapes = { weight: [outFeatures, inFeatures], ...(bias ? { bias: [outFeatures] } : {}) };
  for (const [part, shape] of Object.entries(shapes)) {
    const stored = `front.${name}.${part}`;
    checkShape(stored, shape, plan);
    // A standalone layer looks up its weights without a prefix.
    await host.invoke(weights, 'rename', stored, part);
  }
  return host.create('Linear', config, weights);
}

export function checkShape(stored: string, shape: readonly number[], { slices, storedName }: Plan): void {
  const slice = slices.find(({ name }) => name === stored);
  if (!slice)
    fail('bad_checkpoint', `the tensor '${storedName?.(stored) ?? stored}' of shape [${shape}] is missing`);
  if (slice.shape.join() !== shape.join()) {
    fail('bad_checkpoint', `the tensor '${slice.name}' has the shape [${slice.shape}], expected [${shape}]`);
  }
}
