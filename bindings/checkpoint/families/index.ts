/** The model families there are. Adding one is one file and one line here. */

import { fail } from '../../engine/errors.js';
import type { JsonObject } from '../folder.js';
import type { Shapes } from '../torch_names.js';
import type { Family, Plan } from './family.js';
import { transformer } from './transformer.js';

const families: readonly Family[] = [transformer];

/**
 * Reads a checkpoint's config.json and tensor names in its family's way.
 *
 * @throws TransformerError `unsupported` where the family is not among ours.
 */
export function planModel(config: JsonObject, shapes: Shapes): Plan {
  const { model_type: modelType } = config;
  const family = families.find((candidate) => candidate.modelType === modelType);
  if (family) return family.plan(config, shapes);
  const known = families.map((candidate) => `'${candidate.modelType}'`).join(', ');
  if (typeof modelType !== 'string') {
    fail(
      'bad_checkpoint',
      `config.json does not say what the model is: model_type is missing; known are ${known}`,
    );
  }
  fail('unsupported', `models of the type '${modelType}' are not supported; known are ${known}`);
}
