/**
 * Families whose tokenizers are known although their weights are not supported, so that `inspect` can describe them.
 */

import { kinds } from '../tokenizers/kinds.js';
import type { TokenizerKind } from '../tokenizers/tokenizer_kind.js';

/** By `model_type`. */
export const otherTokenizers: ReadonlyMap<unknown, TokenizerKind> = new Map([
  ['led', kinds.robertaBytes],
  ['longformer', kinds.robertaBytes],
  ['longt5', kinds.t5Pieces],
  ['mixtral', kinds.llamaPieces],
  ['mobilebert', kinds.bertWords],
  ['mvp', kinds.robertaBytes],
  ['nllb-moe', kinds.m2m100Pieces],
  ['squeezebert', kinds.bertWords],
  ['visual_bert', kinds.bertWords],
]);
