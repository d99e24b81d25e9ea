/**
 * What a tokenizer.json made of a vocabulary has besides its model: tokens that are found in a text, and those around
 * it.
 */

import type { JsonObject } from '../../files/json_object.js';
import { flagOf, type GgufVocabulary, tokenKinds, tokenOf } from './vocabulary.js';

/** The tokens that are found before a text is split. */
export const addedTokens = ({ tokens, kinds }: GgufVocabulary): JsonObject[] =>
  tokens.flatMap((content, id) => {
    const special = kinds[id] === tokenKinds.control;
    return special || kinds[id] === tokenKinds.user ? [{ id, content, special, normalized: false }] : [];
  });

/**
 * The tokens around a text, and around two; `null` if there are none.
 *
 * @param adds whether a text begins and ends with a token where the file does not say
 * @param between the role of a token that stands between two texts, besides those around them
 */
export function templateOf(
  vocabulary: GgufVocabulary,
  adds: { readonly bos: boolean; readonly eos: boolean },
  between?: string,
): JsonObject | null {
  const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  const tokenIf = (role: 'bos' | 'eos') => {
    const token = flagOf(`add_${role}_token`, adds[role], vocabulary) ? tokenOf(role, vocabulary) : null;
    return token === null ? [] : [special(token)];
  };
  const [before, after] = [tokenIf('bos'), tokenIf('eos')];
  if (before.length + after.length === 0) return null;
  const separator = between === undefined ? null : tokenOf(between, vocabulary);
  const text = (id: string) => ({ Sequence: { id, type_id: 0 } });
  const middle = separator === null ? before : [special(separator)];
  const ids = [...before, ...after, ...middle].map(({ SpecialToken: { id } }) => id);
  return {
    type: 'TemplateProcessing',
    single: [...before, text('A'), ...after],
    pair: [...before, text('A'), ...after, ...middle, text('B'), ...after],
    special_tokens: Object.fromEntries(
      ids.map((id) => [id, { id, ids: [vocabulary.tokens.indexOf(id)], tokens: [id] }]),
    ),
  };
}
