/** Builds the layers in the engine that turn images or audio into vectors. */

import type { Handle, Host } from '../engine/host.js';
import type { Plan } from '../plans/family.js';
import { type FrontEndConfig, type FrontLinear, frontLinears } from '../plans/front_end_config.js';
import { fail } from '../values/errors.js';

/** A front end in the engine: its layers by name. */
export interface FrontEnd {
  readonly config: FrontEndConfig;
  readonly layers: ReadonlyMap<string, Handle<'Linear'>>;
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
  const { frontEnd: config } = plan;
  if (!config) return null;
  const layers = new Map<string, Handle<'Linear'>>();
  try {
    for (const linear of frontLinears(config))
      layers.set(linear.name, await makeLinear(host, weights, linear, plan));
    return { config, layers };
  } catch (error) {
    await Promise.all([...layers.values()].map((layer) => host.release(layer)));
    throw error;
  }
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

function checkShape(stored: string, shape: readonly number[], { slices, storedName }: Plan): void {
  const slice = slices.find(({ name }) => name === stored);
  if (!slice)
    fail('bad_checkpoint', `the tensor '${storedName?.(stored) ?? stored}' of shape [${shape}] is missing`);
  if (slice.shape.join() !== shape.join()) {
    fail('bad_checkpoint', `the tensor '${slice.name}' has the shape [${slice.shape}], expected [${shape}]`);
  }
}
