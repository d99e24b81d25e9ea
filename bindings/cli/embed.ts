/** `transformer-wasm embed`. */

import { poolings } from '../tasks/pooling.js';
import { command } from './command.js';
import { anyModelFlags, filtering, isSet, oneOf, text } from './flags.js';
import { textOrInput } from './read_input.js';
import { withModel } from './run_model.js';

export const embed = command({
  args: '[TEXT... | -] --model DIR',
  summary: 'turns texts into vectors',
  about: `Writes the embedding of TEXT: numbers separated by spaces, or with --json an object with text and embedding.`,
  flags: {
    ...anyModelFlags,
    pooling: oneOf(
      poolings,
      "how the vectors of the tokens become one; default: as the model's files say, else mean",
    ),
    normalize: isSet('bring vectors to length 1'),
    prompt: text('TEXT', 'a text to put before each text'),
    ...filtering,
  },
  examples: [
    'embed "The cat sat on the mat." --model path/to/model',
    'cat sentences.txt | transformer-wasm embed --model path/to/model --json - > embeddings.jsonl',
  ],
  async run(positionals, values) {
    const { pooling, normalize, prompt } = values;
    const options = {
      ...(pooling && { pooling }),
      ...(normalize && { normalize }),
      ...(prompt !== undefined && { prompt }),
    };
    const input = textOrInput(positionals, 'the text to embed');
    await withModel(values, (model) =>
      input.answer<number[]>(values, {
        field: 'text',
        run: async (texts) => (await model.embed(texts as string[], options)).tolist() as number[][],
        text: (vector) => vector.join(' '),
        json: (embedding, text) => ({ text, embedding }),
      }),
    );
  },
});
