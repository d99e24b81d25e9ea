/** The tokenizer of a GGUF file as the files of a folder. */

import { type Steps, withPauses } from '../../engine/steps.js';
import type { JsonObject } from '../../files/json_object.js';
import type { OpenGguf } from '../../weights/gguf_file.js';
import { byteLevelJson } from './byte_level.js';
import { sentencePieceOf } from './pieces.js';
import type { Contents } from './sentence.js';
import { unigramJson } from './unigram.js';
import { type GgufVocabulary, tokenizerConfig, type VocabularyKind, vocabularyOf } from './vocabulary.js';
import { wordPieceJson } from './wordpiece.js';

/** @param file its name, for messages */
export function tokenizerFiles(file: string): Contents {
  const vocabularies = new WeakMap<OpenGguf, Promise<GgufVocabulary>>();
  const vocabulary = (gguf: OpenGguf): Promise<GgufVocabulary> => {
    const known = vocabularies.get(gguf);
    const read = known ?? withPauses(vocabularyOf(gguf.header.metadata, file), undefined);
    vocabularies.set(gguf, read);
    return read;
  };
  /** Of a kind of vocabularies. */
  const of =
    (model: VocabularyKind, make: (tokens: GgufVocabulary) => Steps<JsonObject | Uint8Array>) =>
    async (gguf: OpenGguf) => {
      const tokens = await vocabulary(gguf);
      return tokens.model === model ? withPauses(make(tokens), undefined) : null;
    };
  const kinds = [of('gpt2', byteLevelJson), of('bert', wordPieceJson), of('t5', unigramJson)];
  return {
    'tokenizer_config.json': async (gguf) => {
      const tokens = await vocabulary(gguf);
      return tokens.model && tokenizerConfig(tokens);
    },
    'tokenizer.json': async (gguf) => {
      for (const kind of kinds) {
        const made = await kind(gguf);
        if (made) return made;
      }
      return null;
    },
    'tokenizer.model': of('llama', sentencePieceOf),
  };
}
