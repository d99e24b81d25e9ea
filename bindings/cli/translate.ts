/** `transformer-wasm translate`. */

import { hashOf } from '../engine/fingerprint.js';
import type { Translation } from '../generation/results.js';
import { generationOptionsOf, type Values } from './arguments.js';
import { textOrInput } from './read_input.js';
import { warnOfUnknownWords, withModel } from './run_model.js';

export async function translate(positionals: readonly string[], values: Values): Promise<void> {
  const options = generationOptionsOf(values);
  const input = textOrInput(positionals, 'the text to translate');
  await withModel(values, (model) =>
    input.answer<Translation>(values, {
      field: 'text',
      run: async (texts) => {
        const translations = await model.translate(texts as string[], options);
        warnOfUnknownWords([...new Set(translations.flatMap(({ unknownWords }) => unknownWords))]);
        return translations;
      },
      text: (translation) => (values.hash ? `${translation.text}\n${bitsOf(translation)}` : translation.text),
      json: ({ sourceOffsets: _, ...translation }, source) => ({
        source,
        ...translation,
        ...(values.hash && { hash: bitsOf(translation) }),
      }),
    }),
  );
}

/** A hash of the tokens and the bits of their score. */
const bitsOf = ({ tokens, score }: Pick<Translation, 'tokens' | 'score'>) =>
  hashOf([new TextEncoder().encode(JSON.stringify(tokens)), new Uint8Array(Float32Array.of(score).buffer)]);
