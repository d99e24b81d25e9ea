/** A checkpoint in the engine: what all the things that a model can do start from. */

import type { Plan } from '../checkpoint/families/family.js';
import { layersIn } from '../checkpoint/families/model_shape.js';
import type { FrontEnd } from '../checkpoint/front_end.js';
import type { GenerationConfig } from '../checkpoint/generation_config.js';
import type { Tokenizer } from '../checkpoint/tokenizers/tokenizer.js';
import { fail } from '../engine/errors.js';
import type { Handle, Host } from '../engine/host.js';

export interface Loaded {
  readonly host: Host;
  /** The engine's transformer. */
  readonly transformer: Handle<'Transformer'>;
  readonly frontEnd: FrontEnd | null;
  readonly plan: Plan;
  readonly generation: GenerationConfig;
  readonly tokenizer: Tokenizer | null;
  /** @throws TransformerError `disposed` */
  checkAlive(): void;
}

export const hasEncoder = ({ plan }: Loaded) => layersIn(plan, 'encoder') > 0;
export const hasDecoder = ({ plan }: Loaded) => layersIn(plan, 'decoder') > 0;

/** Tokens as the vocabulary has them; ids where there is none. */
export function namesOf(model: Loaded, ids: ArrayLike<number>): string[] {
  return Array.from(ids, (id) => model.tokenizer?.tokenOf(id) ?? `${id}`);
}

/** @throws TransformerError `unsupported` for a model without a tokenizer. */
export function requireTokenizer({ tokenizer }: Loaded, what: string): Tokenizer {
  return tokenizer ?? fail('unsupported', `the model has no tokenizer, so ${what}; give token ids`);
}

/**
 * @param vocabulary tokens that there are
 * @throws TransformerError `invalid_argument` naming the id, for ids that the vocabulary does not have, for too many and
 *   for none.
 */
export function checkIds(
  ids: ArrayLike<number>,
  name: string,
  vocabulary: number,
  maxPositions: number | null,
): void {
  if (ids.length === 0) fail('invalid_argument', `${name} holds no tokens`);
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] as number;
    if (!Number.isSafeInteger(id) || id < 0 || id >= vocabulary) {
      fail(
        'invalid_argument',
        `${name} holds the token id ${id} at place ${i}; the vocabulary has the ids 0 to ${vocabulary - 1}`,
      );
    }
  }
  if (maxPositions !== null && ids.length > maxPositions) {
    fail(
      'invalid_argument',
      `${name} is ${ids.length} tokens long; the model has positions for ${maxPositions}`,
    );
  }
}
