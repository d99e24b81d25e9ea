/** Text generation: a decoder continues a text, or answers a conversation. */

import { hasEncoder, type Loaded, requireTokenizer } from '../checkpoint/loaded.js';
import { generate } from '../generation/generate.js';
import { newText } from '../generation/new_text.js';
import type { GenerationOptions } from '../generation/options.js';
import { fail } from '../values/errors.js';
import { checkText } from './batch_encoder.js';

/**
 * The continuations of each text, best first.
 *
 * @param isWhole whether the text is part of the result
 * @throws TransformerError `invalid_argument`, `unsupported`; the signal's reason.
 */
export async function continueText(
  model: Loaded,
  texts: readonly string[],
  isWhole: boolean,
  options: GenerationOptions,
): Promise<string[][]> {
  if (hasEncoder(model)) fail('unsupported', 'only a decoder alone can continue a text');
  const tokenizer = requireTokenizer(model, 'it cannot continue text');
  const results = await generate(
    model,
    texts.map((text) => checkText(text, 'the text')),
    options,
  );
  return results.map(({ sequences, inputIds }, i) => {
    const before = tokenizer.decode(inputIds);
    return sequences.map(({ text }) => {
      const written = newText(before, text);
      // The tokenizer may have changed the text; the result keeps it as it was written.
      return isWhole ? (texts[i] ?? '') + written : written;
    });
  });
}
