/** Families whose layers with a window rotate queries and keys by angles of their own, or whose other layers do not. */

import { Fields } from '../files/fields.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import type { StackConfig } from '../modules/embind.js';
import { readRotation } from './rope.js';

/** The positions of a stack's layers. */
type LayerPositions = Pick<StackConfig, 'positions'> &
  Partial<Pick<StackConfig, 'otherPositions' | 'otherLayers'>>;

/** The numbers of the layers that are marked. */
export const numbersOf = (layers: readonly boolean[]): number[] =>
  layers.flatMap((isMarked, layer) => (isMarked ? [layer] : []));

/** The positions of a stack in which some layers do not rotate, besides those that it has. */
export const unrotated = (
  layers: readonly boolean[],
): Pick<StackConfig, 'otherPositions' | 'otherLayers'> => ({
  otherPositions: { none: {} },
  otherLayers: numbersOf(layers),
});

/** What older files say about the rotation of each kind of layer, under the names that all families know. */
interface RotationFields {
  readonly full: JsonObject;
  readonly sliding: JsonObject;
}

/**
 * Newer files have `rope_parameters` for each kind of layer.
 *
 * @param sliding whether each layer has a window
 * @param older the fields of files that do not
 */
export function rotationsByLayer(
  fields: Fields,
  dHead: number,
  sliding: readonly boolean[],
  older: RotationFields,
): LayerPositions {
  const parameters = fields.raw('rope_parameters');
  const given = isJsonObject(parameters) ? parameters : {};
  // For all layers, of which those with a window take the base alone.
  const common =
    given.rope_theta === undefined ? {} : { full: given, sliding: { rope_theta: given.rope_theta } };
  const read = (kind: keyof RotationFields) => {
    const own = given[`${kind}_attention`] ?? common[kind];
    const length = fields.raw('max_position_embeddings');
    const rope = isJsonObject(own) ? { rope_parameters: own } : older[kind];
    return readRotation(
      new Fields({ max_position_embeddings: length, ...rope } as JsonObject, 'config.json'),
      dHead,
    ).rotary;
  };
  const full = read('full');
  return {
    positions: { rotary: full },
    otherPositions: { rotary: { ...read('sliding'), maxLength: full.maxLength } },
    otherLayers: numbersOf(sliding),
  };
}
