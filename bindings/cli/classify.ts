/** `transformer-wasm classify`. */

import type { LabelScore } from '../tasks/labels.js';
import { classifyZeroShot } from '../tasks/zero_shot.js';
import { command } from './command.js';
import { anyModelFlags, count, filtering, text } from './flags.js';
import { textOrInput } from './read_input.js';
import { withModel } from './run_model.js';

export const classify = command({
  args: '[TEXT... | -] --model DIR',
  summary: 'says which labels a text has',
  about: `Writes the label of TEXT and its probability, separated by a tab; with --json an object with text and labels.`,
  flags: {
    ...anyModelFlags,
    labels: text(
      'A,B,C',
      'zero-shot classification: which of these labels applies, by a model of natural-language inference',
    ),
    top: count('how many labels to write, best first; default: 1, with --json all'),
    ...filtering,
  },
  examples: [
    'classify "I like it." --model path/to/model',
    'cat reviews.txt | transformer-wasm classify --model path/to/model --json - > labels.jsonl',
  ],
  async run(positionals, values) {
    const { top: topK } = values;
    const labels = values.labels
      ?.split(',')
      .map((label) => label.trim())
      .filter((label) => label !== '');
    const input = textOrInput(positionals, 'the text to classify');
    await withModel(values, (model) =>
      input.answer<LabelScore[]>(values, {
        field: 'text',
        async run(texts) {
          if (!labels) return model.classify(texts as string[], topK === undefined ? {} : { topK });
          const results = await classifyZeroShot(model.loaded, texts as string[], labels);
          return results.map((result) =>
            result.labels.slice(0, topK).map((label, i) => ({ label, score: result.scores[i] ?? 0 })),
          );
        },
        text: (found) => {
          const shown = found.slice(0, topK ?? 1);
          return shown.map(({ label, score }) => `${label}\t${score.toFixed(4)}`).join('\t');
        },
        json: (found, text) => ({ text, labels: found }),
      }),
    );
  },
});
