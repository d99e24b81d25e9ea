/** `transformer-wasm generate`. */

import { hasEncoder } from '../checkpoint/loaded.js';
import { newText } from '../generation/new_text.js';
import type { GenerationOptions } from '../generation/options.js';
import type { GenerationResult } from '../generation/results.js';
import type { Model } from '../model/model.js';
import { command } from './command.js';
import { asText } from './filter.js';
import { anyModelFlags, filtering, generationOptionsOf, languages, sampling, searching } from './flags.js';
import { textOrInput } from './read_input.js';
import { withModel } from './run_model.js';
import { print } from './terminal.js';

export const generate = command({
  args: '[TEXT... | -] --model DIR',
  summary: 'continues a text, or answers it',
  about: `Continues TEXT with a decoder, or answers it with an encoder and a decoder. The text is written as it is generated.`,
  flags: { ...anyModelFlags, ...searching, ...languages, ...sampling, ...filtering },
  examples: [
    'generate "Once upon a time" --model path/to/model --max-new-tokens 50',
    'cat articles.jsonl | transformer-wasm generate --model path/to/t5 --jsonl - > summaries.jsonl',
  ],
  async run(positionals, values) {
    const options = generationOptionsOf(values);
    const input = textOrInput(positionals, 'the text to continue or to answer');
    await withModel(values, async (model) => {
      if (input.texts !== null && !values.json) {
        for (const text of input.texts) await streamed(model, text, options);
        return;
      }
      return input.answer<GenerationResult>(values, {
        field: 'text',
        run: async (texts) =>
          model.generate(
            texts.map((given) => asText(given, 'text')),
            options,
          ),
        text: (result) => newTextOf(model, result),
        json: ({ sequences, unknownWords, seed }, text) => ({
          source: text,
          text: sequences[0]?.text ?? '',
          sequences,
          unknownWords,
          ...(seed !== undefined && { seed }),
        }),
      });
    });
  },
});

async function streamed(model: Model, text: string, options: GenerationOptions): Promise<void> {
  for await (const chunk of model.stream(text, options)) print(chunk.text);
  print('\n');
}

/** The text without the prompt that a decoder continues. */
function newTextOf(model: Model, { sequences: [best], inputIds }: GenerationResult): string {
  const before = hasEncoder(model.loaded) ? '' : (model.tokenizer?.decode(inputIds) ?? '');
  return newText(before, best?.text ?? '');
}
