/** The added tokens that a tokenizer.json lists. */

import { isJsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';
import type { AddedToken } from './codec.js';
import { checkTokenId } from './token_id.js';

/** @throws TransformerError `bad_checkpoint` */
export function addedTokensOf(added: unknown, file: string): AddedToken[] {
  if (!Array.isArray(added)) return fail('bad_checkpoint', `${file}: added_tokens is not a list`);
  return added.map((token) => {
    const content = isJsonObject(token) ? token.content : undefined;
    if (typeof content !== 'string' || content === '')
      return fail('bad_checkpoint', `${file}: an added token has no content`);
    const id = checkTokenId(token.id, content, file);
    const special = Boolean(token.special);
    return {
      id,
      content,
      special,
      lstrip: Boolean(token.lstrip),
      rstrip: Boolean(token.rstrip),
      single_word: Boolean(token.single_word),
      normalized: Boolean(token.normalized ?? !special),
    };
  });
}
