/** One attention in a sentence, as a table and as code. */

import { make } from '../../drawing/dom.js';
import type { CodeSample, NumberTable } from '../../page/frame.js';
import { figures } from '../../reading/figures.js';
import type { Inputs } from '../../reading/inputs.js';
import { percent } from '../../reading/tokens.js';
import type { Numbers } from './numbers.js';
import { rowOf } from './rows.js';

export function sentenceOf(
  inputs: Inputs,
  numbers: Numbers,
  { chosen, text, isTiled, read }: { chosen: number; text: string; isTiled: boolean; read: number },
): (Node | string)[] {
  const { weights, dots, scores } = numbers;
  if (weights.every((weight) => weight === 0))
    return ['Every key is hidden: nothing may be seen, so all weights and the output are zero.'];
  const best = weights.indexOf(Math.max(...weights));
  const about = [
    `${inputs.title}: `,
    make('b', { class: 'query' }, inputs.queryNames[chosen] ?? ''),
    ' looks most at ',
    make('b', { class: 'key' }, inputs.keyNames[best] ?? ''),
    `: q · k = ${figures(dots[best] ?? 0)}, ${text} = ${figures(scores[best] ?? 0)}, weight ${percent(weights[best] ?? 0)}.`,
  ];
  if (!isTiled) return about;
  const rest = inputs.keyNames.length - read;
  return [
    ...about,
    ` After ${read} keys the running softmax remembers the largest score ${figures(numbers.largest)}, the sum ${figures(numbers.sum)} and the output. `,
    rest > 0 ? `${rest} keys are to come.` : 'All keys are read: the same numbers as all at once.',
  ];
}

export function tableOf(inputs: Inputs, numbers: Numbers, chosen: number): NumberTable {
  const { dots, scores, exps, weights } = numbers;
  const name = inputs.queryNames[chosen] ?? '';
  const width = Array.from({ length: inputs.keys.shape[1] ?? 0 }, (_, i) => i + 1);
  const columns = ['k', 'v'].flatMap((letter) => width.map((i) => `${letter}${i}`));
  return {
    caption: `${inputs.title}: the attention of ${name}. q: ${[...rowOf(inputs.queries, chosen)].map((value) => value.toPrecision(6)).join(', ')}. Output: ${[...numbers.output].map((value) => value.toPrecision(6)).join(', ')}.`,
    columns: ['q · k', 'score', 'exp(score − largest)', 'weight', ...columns],
    rows: inputs.keyNames.map((key, i) => ({
      name: key,
      values: [
        dots[i],
        scores[i],
        exps[i],
        weights[i],
        ...rowOf(inputs.keys, i),
        ...rowOf(inputs.values, i),
      ].map((value) => (value ?? 0).toPrecision(6)),
    })),
  };
}

export const codeOf = (width: number, factor: number, isUsual: boolean): CodeSample => ({
  ours: `const { output, weights } = await engine.scaledDotProductAttention(Q, K, V, {
  needWeights: true,${isUsual ? ` // scale: 1 / Math.sqrt(${width}) is the default` : `\n  scale: ${factor},`}
});`,
  pytorch: `scores = Q @ K.T * ${isUsual ? `${width} ** -0.5` : factor}
weights = scores.softmax(-1)
output = weights @ V  # F.scaled_dot_product_attention(Q, K, V) gives the same without the weights`,
});
