/** A checkpoint in the engine, from which a model's functions start. */

import type { Handle, Host } from '../engine/host.js';
import type { Folder } from '../files/folder.js';
import type { JsonObject } from '../files/json_object.js';
import type { GenerationConfig } from '../generation/settings/generation_config.js';
import type { Plan } from '../plans/family.js';
import { layersIn } from '../plans/model_shape.js';
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { fail } from '../values/errors.js';
import type { LexicalShortlist } from '../weights/lexical_shortlist.js';
import type { ModelHandle, Tower } from './build_model.js';

export interface Loaded {
  readonly host: Host;
  /** The engine's model, a transformer or not. */
  readonly handle: ModelHandle;
  /** The encoder of pictures beside one of texts. */
  readonly tower: Tower | null;
  /** The content of config.json. */
  readonly config: JsonObject;
  readonly plan: Plan;
  readonly generation: GenerationConfig;
  readonly tokenizer: Tokenizer | null;
  /** The tokens that may translate those of a source; `null` for a model without a lexicon. */
  readonly shortlist: LexicalShortlist | null;
  /** The folder it was loaded from, for the small files that only some tasks read. */
  readonly folder: Folder;
  /** @throws TransformerError `disposed` */
  checkAlive(): void;
}

/** A model that `loadModel` made. */
export interface LoadedModel {
  /** @internal */
  readonly loaded: Loaded;
}

export const hasEncoder = ({ plan }: Loaded) => layersIn(plan, 'encoder') > 0;
export const hasDecoder = ({ plan }: Loaded) => layersIn(plan, 'decoder') > 0;

/** Tokens of ids in the target vocabulary; the ids themselves if there is no tokenizer. */
export function tokensOf(model: Loaded, ids: ArrayLike<number>): string[] {
  return Array.from(ids, (id) => model.tokenizer?.tokenOf(id) ?? `${id}`);
}

/** @throws TransformerError `unsupported` for a model without a tokenizer. */
export function requireTokenizer({ tokenizer }: Loaded, what: string): Tokenizer {
  return tokenizer ?? fail('unsupported', `the model has no tokenizer, so ${what}; pass token ids`);
}

/**
 * @param vocabulary number of tokens in the vocabulary
 * @throws TransformerError `invalid_argument` for an id outside of the vocabulary (the message names it), for too many
 *   ids and for none.
 */
export function checkIds(
  ids: ArrayLike<number>,
  name: string,
  vocabulary: number,
  maxPositions: number | null,
): void {
  if (ids.length === 0) fail('invalid_argument', `${name} is empty: it needs at least one token`);
  for (const [i, id] of Array.from(ids).entries()) {
    if (!Number.isSafeInteger(id) || id < 0 || id >= vocabulary) {
      fail(
        'invalid_argument',
        `${name} contains token id ${id} at index ${i}; the vocabulary has ids 0 to ${vocabulary - 1}`,
      );
    }
  }
  if (maxPositions !== null && ids.length > maxPositions) {
    fail('invalid_argument', `${name} is ${ids.length} tokens long; the model's maximum is ${maxPositions}`);
  }
}

/** @throws TransformerError `unsupported` for a recurrent model. */
export function transformerOf({ handle }: Loaded): Handle<'Transformer'> {
  const isTransformer = (model: ModelHandle): model is Handle<'Transformer'> =>
    model.className === 'Transformer';
  return isTransformer(handle) ? handle : fail('unsupported', 'this model is not a transformer');
}
