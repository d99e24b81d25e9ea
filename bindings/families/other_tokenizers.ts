/**
 * Families whose tokenizers are known although their weights are not supported, so that `inspect` can describe them.
 */

import {
  bertWords,
  blenderbotBytes,
  gpt2Bytes,
  llamaPieces,
  m2m100Pieces,
  mpnetWords,
  mt5Pieces,
  robertaBytes,
  t5Pieces,
} from '../tokenizers/kinds.js';
import type { TokenizerKind } from '../tokenizers/tokenizer_kind.js';

/** By `model_type`. */
export const otherTokenizers: ReadonlyMap<unknown, TokenizerKind> = new Map([
  ['blenderbot', blenderbotBytes],
  ['codegen', gpt2Bytes],
  ['gptj', gpt2Bytes],
  ['led', robertaBytes],
  ['longformer', robertaBytes],
  ['longt5', t5Pieces],
  ['mixtral', llamaPieces],
  ['mobilebert', bertWords],
  ['mpnet', mpnetWords],
  ['mvp', robertaBytes],
  ['nllb-moe', m2m100Pieces],
  ['squeezebert', bertWords],
  ['umt5', mt5Pieces],
  ['visual_bert', bertWords],
]);
