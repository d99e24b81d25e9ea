/** A vocabulary of the kind 't5' as a tokenizer.json: SentencePiece's Unigram, as T5 and XLM-RoBERTa have it. */

import type { Steps } from '../../engine/steps.js';
import type { JsonObject } from '../../files/json_object.js';
import { fail } from '../../values/errors.js';
import { addedTokens, templateOf } from './template.js';
import { flagOf, type GgufVocabulary, listOf, numbersOf, tokenOf } from './vocabulary.js';

const space = '\u2581';

/** @throws TransformerError `bad_checkpoint` */
export function* unigramJson(vocabulary: GgufVocabulary): Steps<JsonObject> {
  const { tokens, file } = vocabulary;
  const scores = numbersOf('scores', vocabulary);
  const unknown =
    tokenOf('unknown', vocabulary) ??
    fail('bad_checkpoint', `${file} has no tokenizer.ggml.unknown_token_id`);
  yield;
  const scheme = flagOf('add_space_prefix', true, vocabulary) ? 'always' : 'never';
  return {
    added_tokens: addedTokens(vocabulary),
    normalizer: { type: 'Sequence', normalizers: normalizersOf(vocabulary) },
    pre_tokenizer: { type: 'Metaspace', replacement: space, prepend_scheme: scheme, split: true },
    post_processor: templateOf(vocabulary, { bos: false, eos: true }, 'separator'),
    decoder: { type: 'Metaspace', replacement: space, prepend_scheme: scheme },
    model: {
      type: 'Unigram',
      unk_id: tokens.indexOf(unknown),
      vocab: tokens.map((token, id) => [token, scores[id]]),
      byte_fallback: false,
    },
  };
}

const replaced = (pattern: string, content: string): JsonObject => ({
  type: 'Replace',
  pattern: { Regex: pattern },
  content,
});

function normalizersOf(vocabulary: GgufVocabulary): JsonObject[] {
  const steps: JsonObject[] = [];
  if (vocabulary.metadata.has('tokenizer.ggml.precompiled_charsmap')) {
    // Files have signed bytes or unsigned ones.
    const bytes = listOf<number>('precompiled_charsmap', 'number', vocabulary);
    const letters = bytes.map((byte) => String.fromCharCode(byte & 255));
    steps.push({ type: 'Precompiled', precompiled_charsmap: btoa(letters.join('')) });
  }
  if (flagOf('remove_extra_whitespaces', true, vocabulary))
    steps.push(replaced('^ +| +$', ''), replaced(' {2,}', ' '));
  return steps;
}
