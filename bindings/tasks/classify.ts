/** Text classification: which of its labels a model gives a text. */

import type { Loaded } from '../checkpoint/loaded.js';
import type { JsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';
import { choiceOf, integerFrom, type ReadersOf, readFields, toSignal } from '../values/options.js';
import { describe } from '../values/tensor.js';
import { checkText, cut, inOrder, requireEncoder, roomOf, rowReader, runRows } from './batch_encoder.js';
import { type LabelScore, labelsOf, ranked, sigmoid, softmax } from './labels.js';

/** A text, or a text and the one that it is compared with. */
export type ClassifiedText = string | { text: string; textPair?: string };

export interface ClassifyOptions {
  /** How many labels to return, best first; default: all. */
  topK?: number;
  /**
   * How logits become scores. Default: `'sigmoid'` if the labels are independent of each other (config.json's
   * `problem_type`) or there is only one, `'none'` for a regression, else `'softmax'`.
   */
  functionToApply?: 'softmax' | 'sigmoid' | 'none';
  /** A text with more tokens, special ones included, is cut at its end; default: the model's maximum. */
  maxLength?: number;
  signal?: AbortSignal;
}

export const classifyReaders = {
  topK: integerFrom(1),
  functionToApply: choiceOf(['softmax', 'sigmoid', 'none']),
  signal: toSignal,
} satisfies ReadersOf<Omit<ClassifyOptions, 'maxLength'>>;

/**
 * The labels of each text, best first. A text that is too long is cut at its end.
 *
 * @throws TransformerError `invalid_argument`, `unsupported`; the signal's reason.
 */
export async function classify(
  model: Loaded,
  texts: readonly ClassifiedText[],
  given: ClassifyOptions,
): Promise<LabelScore[][]> {
  const options = readFields(given, { ...classifyReaders, maxLength: integerFrom(1) });
  const { topK = Number.POSITIVE_INFINITY, functionToApply, signal } = options;
  const tokenizer = requireEncoder(model, 'classify texts', 'classifiers');
  const room = Math.min(roomOf(model), options.maxLength ?? Number.POSITIVE_INFINITY);
  const read = rowReader(tokenizer, signal);
  const rows = await inOrder(texts, async (one) => {
    const { text, textPair } = typeof one === 'string' ? { text: one } : pairOf(one);
    checkText(text, 'the text');
    if (textPair !== undefined) checkText(textPair, 'textPair');
    return cut(await read(text, textPair), room, textPair === undefined ? 0 : 1);
  });
  checkHead(model.config);
  const results: LabelScore[][] = [];
  for await (const { vector } of runRows(model, rows, 'logits', signal)) {
    const logits = vector(0);
    const scores = scoresOf(model.config, logits, functionToApply);
    results.push(ranked(labelsOf(model.config, logits.length), scores, topK));
  }
  return results;
}

function pairOf(given: ClassifiedText): Exclude<ClassifiedText, string> {
  if (typeof given === 'object' && given && 'text' in given) return given;
  return fail('invalid_argument', `the text must be a string or { text, textPair }, got ${describe(given)}`);
}

function checkHead({ architectures }: JsonObject): void {
  const [name] = Array.isArray(architectures) ? architectures : [];
  if (typeof name === 'string' && !/ForSequenceClassification$/.test(name))
    fail('unsupported', `a model of the class '${name}' does not classify texts`);
}

function defaultFunction({ problem_type: problem }: JsonObject, count: number) {
  if (problem === 'regression') return 'none';
  return problem === 'multi_label_classification' || count === 1 ? 'sigmoid' : 'softmax';
}

/** The scores of a classifier's logits; by default as the config says. */
export function scoresOf(
  config: JsonObject,
  logits: ArrayLike<number>,
  how: ClassifyOptions['functionToApply'] = defaultFunction(config, logits.length),
): number[] {
  if (how === 'none') return Array.from(logits);
  return how === 'softmax' ? softmax(logits) : sigmoid(logits);
}
