/** Translates texts: generates and keeps the text. */

import { hasDecoder, hasEncoder, type Loaded, requireTokenizer } from '../checkpoint/loaded.js';
import { fail } from '../values/errors.js';
import { generate } from './generate.js';
import type { GenerationOptions } from './options.js';
import type { GenerationResult, Translation } from './results.js';

/** @throws TransformerError; the signal's reason. */
export async function translate(
  model: Loaded,
  texts: readonly string[],
  options: GenerationOptions,
): Promise<Translation[]> {
  if (!hasEncoder(model) || !hasDecoder(model)) {
    fail('unsupported', 'only a model with an encoder and a decoder can translate');
  }
  const tokenizer = requireTokenizer(model, 'it cannot translate text');
  for (const text of texts) {
    if (typeof text !== 'string')
      fail('invalid_argument', `the text to translate must be a string, got ${typeof text}`);
  }
  const results = await generate(model, texts, options);
  const isWord = (token: string) => !tokenizer.isSpecial(tokenizer.idOf(token) ?? -1);
  return results.map((result) => translationOf(result, isWord));
}

function translationOf(result: GenerationResult, isWord: (token: string) => boolean): Translation {
  const { sequences, inputTokens, inputOffsets, unknownWords } = result;
  const { axes, encoderAttentions, decoderAttentions, crossAttentions } = result;
  const { encoderHiddenStates, decoderHiddenStates, trace } = result;
  const states = { encoderHiddenStates, decoderHiddenStates, trace };
  const captured = Object.fromEntries(Object.entries(states).filter(([, value]) => value !== undefined));
  const all = sequences.map(({ text, tokens, score }) => ({ text, tokens: tokens.filter(isWord), score }));
  const [best] = all;
  return {
    ...(best ?? { text: '', tokens: [], score: 0 }),
    sourceTokens: inputTokens,
    sourceOffsets: inputOffsets,
    unknownWords,
    ...(all.length > 1 ? { alternatives: all } : {}),
    ...(axes ? { axes, encoderAttentions, decoderAttentions, crossAttentions, ...captured } : {}),
  };
}
