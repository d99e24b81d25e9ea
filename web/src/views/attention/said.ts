/** One attention in a sentence, as a table and as code. */

import { make } from '../../drawing/dom.js';
import { filled } from '../../drawing/filled.js';
import type { CodeSample, NumberTable } from '../../page/frame.js';
import { figures } from '../../reading/figures.js';
import type { Inputs } from '../../reading/inputs.js';
import { percent } from '../../reading/tokens.js';
import { words } from '../../words/words.js';
import type { Numbers } from './numbers.js';
import { rowOf } from './rows.js';

export function sentenceOf(
  inputs: Inputs,
  numbers: Numbers,
  { chosen, text, isTiled, read }: { chosen: number; text: string; isTiled: boolean; read: number },
): (Node | string)[] {
  const { weights, dots, scores } = numbers;
  if (weights.every((weight) => weight === 0)) return [words.attention.allHidden];
  const best = weights.indexOf(Math.max(...weights));
  const about = [
    ...filled(words.attention.looksMost, {
      title: inputs.title,
      query: make('b', { class: 'query' }, inputs.queryNames[chosen] ?? ''),
      key: make('b', { class: 'key' }, inputs.keyNames[best] ?? ''),
      dot: figures(dots[best] ?? 0),
      scale: text,
      score: figures(scores[best] ?? 0),
      weight: percent(weights[best] ?? 0),
    }),
  ];
  if (!isTiled) return about;
  const rest = inputs.keyNames.length - read;
  return [
    ...about,
    words.marks.gap,
    words.attention.afterKeys(read, figures(numbers.largest), figures(numbers.sum)),
    rest > 0 ? words.attention.toCome(rest) : words.attention.allRead,
  ];
}

export function tableOf(inputs: Inputs, numbers: Numbers, chosen: number): NumberTable {
  const { dots, scores, exps, weights } = numbers;
  const name = inputs.queryNames[chosen] ?? '';
  const width = Array.from({ length: inputs.keys.shape[1] ?? 0 }, (_, i) => i + 1);
  const columns = ['k', 'v'].flatMap((letter) => width.map((i) => `${letter}${i}`));
  return {
    caption: words.attention.table(
      inputs.title,
      name,
      [...rowOf(inputs.queries, chosen)].map((value) => value.toPrecision(6)).join(', '),
      [...numbers.output].map((value) => value.toPrecision(6)).join(', '),
    ),
    columns: [
      'q · k',
      words.attention.columns.score,
      words.attention.columns.exp,
      words.attention.columns.weight,
      ...columns,
    ],
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
