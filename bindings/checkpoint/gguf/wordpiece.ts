/**
 * A vocabulary of the kind 'bert' as a tokenizer.json: WordPiece, whose words begin with a mark instead of ending
 * without one.
 */

import type { Steps } from '../../engine/steps.js';
import type { JsonObject } from '../../files/json_object.js';
import { fail } from '../../values/errors.js';
import { type GgufVocabulary, tokenKinds, tokenOf } from './vocabulary.js';

/** @throws TransformerError `bad_checkpoint` */
export function* wordPieceJson(vocabulary: GgufVocabulary): Steps<JsonObject> {
  const { tokens, kinds, file } = vocabulary;
  const role = (name: string) =>
    tokenOf(name, vocabulary) ?? fail('bad_checkpoint', `${file} has no tokenizer.ggml.${name}_token_id`);
  const special = (id: string, type_id: number) => ({ SpecialToken: { id, type_id } });
  const text = (id: string, type_id: number) => ({ Sequence: { id, type_id } });
  // Without these names a file has those of BERT, which begin and end a text as any other does.
  const [cls, sep] = [
    tokenOf('cls', vocabulary) ?? role('bos'),
    tokenOf('separator', vocabulary) ?? role('eos'),
  ];
  const single = [special(cls, 0), text('A', 0), special(sep, 0)];
  return {
    added_tokens: tokens.flatMap((content, id) =>
      kinds[id] === tokenKinds.control ? [{ id, content, special: true, normalized: false }] : [],
    ),
    normalizer: { type: 'BertNormalizer', lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: { type: 'TemplateProcessing', single, pair: [...single, text('B', 1), special(sep, 1)] },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: role('unknown'),
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 1000,
      vocab: Object.fromEntries(tokens.map((token, id) => [unmarked(token), id])),
    },
  };
}

/** Names in brackets have no mark. */
function unmarked(token: string): string {
  if (token.startsWith('\u2581')) return token.slice(1);
  return token.length > 2 && token.startsWith('[') && token.endsWith(']') ? token : `##${token}`;
}
