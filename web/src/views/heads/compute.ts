/** The weights that are shown of a head, and their code. */

import type { CodeSample } from '../../page/frame.js';
import type { Reading } from '../../reading/reading.js';
import type { Token } from '../../reading/tokens.js';
import { attentionPath, type Head, headLabel, layerLabel } from '../../selection/heads.js';
import { words } from '../../words/words.js';
import type { Picture } from './save.js';

/** What is shown: a head or the mean of its layer, perhaps without the special tokens. */
export interface Shown extends Picture {
  /** Indices of the shown queries among all. */
  readonly rows: readonly number[];
  readonly columns: readonly number[];
}

export function shownOf(
  reading: Pick<Reading, 'maps'>,
  head: Head,
  { isMean, isBare }: { isMean: boolean; isBare: boolean },
): Shown {
  const map = reading.maps[head.kind];
  if (!map) return { title: '', queries: [], keys: [], weights: new Float32Array(), rows: [], columns: [] };
  const all = map.of(head.layer, isMean ? 'mean' : head.head);
  const kept = (tokens: readonly Token[]) =>
    [...tokens.keys()].filter((i) => !isBare || !tokens[i]?.isSpecial);
  const [rows, columns] = [kept(map.queries), kept(map.keys)];
  const weights = rows.flatMap((row) => columns.map((column) => all[row * map.keys.length + column] ?? 0));
  return {
    title: isMean ? words.heads.meanOf(layerLabel(head.kind, head.layer), map.heads) : headLabel(head),
    queries: rows.map((row) => map.queries[row]?.label ?? ''),
    keys: columns.map((column) => map.keys[column]?.label ?? ''),
    weights: Float32Array.from(weights),
    rows,
    columns,
  };
}

export function codeFor({ text }: Reading, { kind, layer, head }: Head): CodeSample {
  const list = { encoder: 'encoderAttentions', decoder: 'decoderAttentions', cross: 'crossAttentions' }[kind];
  const theirs = { encoder: 'encoder_attentions', decoder: 'decoder_attentions', cross: 'cross_attentions' }[
    kind
  ];
  return {
    ours: `const model = await loadModel('models/en-fr');
const result = await model.translate(${JSON.stringify(text)}, { outputAttentions: true });
const { data, shape: [, heads, queries, keys] } = result.${list}[${layer}];
const head = data.subarray(${head} * queries * keys, ${head + 1} * queries * keys);
// the same, traced: '${attentionPath(kind, layer)}.weights'`,
    pytorch: `inputs = tokenizer(${JSON.stringify(text)}, return_tensors="pt")
ids = model.generate(**inputs)
out = model(**inputs, decoder_input_ids=ids[:, :-1], output_attentions=True)
head = out.${theirs}[${layer}][0, ${head}]   # [queries, keys]`,
  };
}
