/**
 * Zero-shot classification (Yin et al. 2019): a model of natural-language inference says whether a text entails the
 * sentence that a label applies.
 */

import type { Loaded } from '../checkpoint/loaded.js';
import { isJsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';
import { type ReadersOf, readFields, toBoolean, toSignal, toTemplate } from '../values/options.js';
import { checkText, cut, inOrder, requireEncoder, roomOf, rowReader, runRows } from './batch_encoder.js';
import { largest, softmax } from './labels.js';

export interface ZeroShotOptions {
  /** The sentence that says that a label applies, with `{}` in its place; default: 'This example is {}.' */
  hypothesisTemplate?: string;
  /** Whether several labels may apply, so that each has a probability of its own; default: false. */
  multiLabel?: boolean;
  signal?: AbortSignal;
}

export interface ZeroShotResult {
  sequence: string;
  /** Best first. */
  labels: string[];
  /** The probabilities of the labels. */
  scores: number[];
}

const readers = {
  hypothesisTemplate: toTemplate,
  multiLabel: toBoolean,
  signal: toSignal,
} satisfies ReadersOf<ZeroShotOptions>;

/** @throws TransformerError `invalid_argument`, `unsupported`; the signal's reason. */
export async function classifyZeroShot(
  model: Loaded,
  texts: readonly string[],
  labels: readonly string[],
  given: ZeroShotOptions = {},
): Promise<ZeroShotResult[]> {
  const options = readFields(given, readers);
  const { hypothesisTemplate: template = 'This example is {}.', multiLabel = false, signal } = options;
  const tokenizer = requireEncoder(model, 'classify texts', 'classifiers');
  const entailment = entailmentOf(model);
  if (labels.length === 0) fail('invalid_argument', 'there must be at least one candidate label');
  const read = rowReader(tokenizer, signal);
  const pairs = texts.flatMap((text) => labels.map((label) => ({ text, label })));
  const rows = await inOrder(pairs, async ({ text, label }) => {
    const hypothesis = template.replaceAll('{}', () => checkText(label, 'a candidate label'));
    return cut(await read(checkText(text, 'the text'), hypothesis), roomOf(model));
  });
  const logits: Float32Array[] = [];
  for await (const { vector } of runRows(model, rows, 'logits', signal)) logits.push(vector(0).slice());
  return texts.map((sequence, i) => {
    const own = logits.slice(i * labels.length, (i + 1) * labels.length);
    const scores = multiLabel || labels.length === 1 ? own.map(apart) : softmax(own.map(entails));
    const order = largest(scores, labels.length);
    return {
      sequence,
      labels: order.map((label) => labels[label] ?? ''),
      scores: order.map((label) => scores[label] ?? 0),
    };
  });

  function entails(row: Float32Array): number {
    return row[entailment] ?? 0;
  }

  /** Against the contradiction alone: neutrality says nothing about the label. */
  function apart(row: Float32Array): number {
    const contradiction = row[entailment === 0 ? row.length - 1 : 0] ?? 0;
    return softmax([contradiction, entails(row)])[1] ?? 0;
  }
}

/** The class of entailment, by its name in config.json. */
function entailmentOf({ config: { label2id, id2label } }: Loaded): number {
  const ids = isJsonObject(label2id) ? Object.entries(label2id) : [];
  const names = isJsonObject(id2label)
    ? Object.entries(id2label).map(([id, label]) => [`${label}`, +id])
    : [];
  const [, id] = [...ids, ...names].find(([name]) => /^entail/i.test(`${name}`)) ?? [];
  if (typeof id === 'number') return id;
  return fail(
    'unsupported',
    'zero-shot classification needs a model of natural-language inference, one of whose labels is "entailment"',
  );
}
