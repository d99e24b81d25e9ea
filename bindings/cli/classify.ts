/** `transformer-wasm classify`. */

import type { LabelScore } from '../tasks/labels.js';
import { classifyZeroShot } from '../tasks/zero_shot.js';
import { countOf, type Values } from './arguments.js';
import { textOrInput } from './read_input.js';
import { requireModel, withModel } from './run_model.js';

export async function classify(positionals: readonly string[], values: Values): Promise<void> {
  requireModel('classify', values);
  const topK = values.top === undefined ? undefined : countOf('top', values.top, 1);
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
}
