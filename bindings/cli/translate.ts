/** `transformer-wasm translate`. */

import { hashOf } from '../engine/fingerprint.js';
import type { Translation } from '../texts/results.js';
import { generationOptionsOf, type Values } from './arguments.js';
import { areFiles } from './document_files.js';
import { textOrInput } from './read_input.js';
import { warnOfUnknownWords, withModel } from './run_model.js';
import { translateFiles } from './translate_files.js';

export async function translate(positionals: readonly string[], values: Values): Promise<void> {
  const options = {
    ...generationOptionsOf(values),
    ...(values['no-split'] && { split: false }),
    ...(values.wrapped && { wrapped: true }),
  };
  if (areFiles(positionals, values)) return translateFiles(positionals, values, options);
  const input = textOrInput(positionals, 'the text to translate');
  await withModel(values, (model) =>
    input.answer<Translation>(values, {
      field: 'text',
      run: async (texts) => {
        const translations = await model.translate(texts as string[], options);
        warnOfUnknownWords([...new Set(translations.flatMap(({ unknownWords }) => unknownWords))]);
        return translations;
      },
      text: ({ text, ...result }) => `${text.trimEnd()}${values.hash ? `\n${bitsOf(result)}` : ''}`,
      json: ({ sourceOffsets: _, sentences, ...translation }, source) => ({
        source,
        ...translation,
        sentences: sentences.map(({ source, target, score, confidence }) => ({
          source,
          target,
          score,
          confidence,
        })),
        ...(values.hash && { hash: bitsOf(translation) }),
      }),
    }),
  );
}

/** A hash of the tokens and the bits of their score. */
const bitsOf = ({ tokens, score }: Pick<Translation, 'tokens' | 'score'>) =>
  hashOf([new TextEncoder().encode(JSON.stringify(tokens)), new Uint8Array(Float32Array.of(score).buffer)]);
