/** Which layers see only a window of the text. */

import type { Fields } from '../files/fields.js';
import type { StackConfig } from '../modules/embind.js';
import { fail } from '../values/errors.js';

/** Beyond any model; a list of as many numbers is made. */
const mostLayers = 65536;

const kinds = ['full_attention', 'sliding_attention'];

/**
 * Whether each layer has a window: by `layer_types`, or in files without it by the rule of the family.
 *
 * @throws TransformerError `unsupported` for layers of another kind, by name
 */
export function slidingLayers(
  fields: Fields,
  numLayers: number,
  rule: (layer: number) => boolean,
): boolean[] {
  const types = fields.raw('layer_types');
  if (types === undefined) return byRule(numLayers, rule);
  if (!Array.isArray(types) || types.length !== numLayers)
    fail('bad_checkpoint', `config.json: layer_types must be a list of ${numLayers} names`);
  const other = types.find((type) => !kinds.includes(type));
  if (other !== undefined)
    fail('unsupported', `config.json: layer_types has '${other}'; known are ${kinds.join(' and ')}`);
  return types.map((type) => type === 'sliding_attention');
}

/** A flag for each layer: by a list of 0 and 1 under that name, or in files without it by the rule of the family. */
export function markedLayers(
  fields: Fields,
  name: string,
  numLayers: number,
  rule: (layer: number) => boolean,
): boolean[] {
  const marks = fields.raw(name);
  if (marks === undefined) return byRule(numLayers, rule);
  if (!Array.isArray(marks) || marks.length !== numLayers)
    fail('bad_checkpoint', `config.json: ${name} must be a list of ${numLayers} numbers`);
  return marks.map((mark) => mark === 1 || mark === true);
}

function byRule(numLayers: number, rule: (layer: number) => boolean): boolean[] {
  if (numLayers > mostLayers)
    fail('bad_checkpoint', `config.json: ${numLayers} layers are more than any model has`);
  return Array.from({ length: numLayers }, (_, layer) => rule(layer));
}

/** How far each layer sees: the last `window` tokens, its own included, in the layers that have one. */
export const windowsOf = (window: number, sliding: readonly boolean[]): Pick<StackConfig, 'windows'> => ({
  windows: sliding.map((isSliding) => (isSliding ? window - 1 : -1)),
});
