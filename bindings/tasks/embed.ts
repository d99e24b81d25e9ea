/** Embeddings: a vector for each text, so that texts of similar meaning have similar vectors. */

import type { Loaded } from '../checkpoint/loaded.js';
import { fail } from '../values/errors.js';
import { choiceOf, type FieldsOf, integerFrom, readFields, toBe, toBoolean } from '../values/options.js';
import { Tensor, type TensorLike, toTensor } from '../values/tensor.js';
import {
  checkText,
  cut,
  inOrder,
  type Row,
  requireEncoder,
  roomOf,
  rowReader,
  runRows,
} from './batch_encoder.js';
import { toSignal } from './classify.js';
import { normalized, type Pooling, pool, poolings } from './pooling.js';
import { type Precision, precisions, type QuantizedEmbeddings, quantized } from './quantized_embeddings.js';
import { readSentenceFolder, type SentenceFolder } from './sentence_folder.js';

export interface EmbedOptions {
  /** How the vectors of the tokens become one; default: as the folder says, else the mean. */
  pooling?: Pooling;
  /** Whether to bring the vectors to length 1; default: as the folder says. */
  normalize?: boolean;
  /** A text to put before each text: `'query: '`. */
  prompt?: string;
  /** The name of one of the folder's prompts; default: the folder's default, if it has one. */
  promptName?: string;
  /** How many of the numbers to keep, the first ones, for models that were trained so (Matryoshka). */
  truncateDim?: number;
  /** The numbers as integers or bits: {@link QuantizedEmbeddings}. Default: `'float32'`. */
  precision?: Precision;
  /** [2, width], for `int8` and `uint8`: the least and the greatest number of each dimension; default: of these texts. */
  ranges?: TensorLike;
  signal?: AbortSignal;
}

const toText = toBe('a string', (value): value is string => typeof value === 'string');

const readers = {
  pooling: choiceOf(poolings),
  normalize: toBoolean,
  prompt: toText,
  promptName: toText,
  truncateDim: integerFrom(1),
  precision: choiceOf(precisions),
  ranges: (value: unknown) => toTensor(value as TensorLike, 'ranges'),
  signal: toSignal,
};

type ReadOptions = FieldsOf<typeof readers>;

const folders = new WeakMap<Loaded, Promise<SentenceFolder>>();

/** Its small files, read once. */
function sentenceFolderOf(model: Loaded): Promise<SentenceFolder> {
  const known = folders.get(model);
  if (known) return known;
  const read = readSentenceFolder(model.folder);
  folders.set(model, read);
  read.catch(() => folders.delete(model));
  return read;
}

/**
 * The embeddings [texts, width]. A text that is too long is cut at its end.
 *
 * @throws TransformerError `invalid_argument`, `unsupported`; the signal's reason.
 */
export async function embed(
  model: Loaded,
  texts: readonly string[],
  given: EmbedOptions = {},
): Promise<Tensor | QuantizedEmbeddings> {
  const options = readFields(given, readers);
  checkTogether(options);
  if (model.tower) return embedForPictures(model, texts, options);
  const tokenizer = requireEncoder(model, 'embed texts', 'all');
  const folder = await sentenceFolderOf(model);
  const prompt = promptOf(folder, options);
  const row = rowReader(tokenizer, options.signal);
  const read = (text: string) => row(folder.lowerCase ? text.toLowerCase() : text);
  const room = Math.min(roomOf(model), folder.maxTokens ?? Number.POSITIVE_INFINITY);
  const rows = await inOrder(texts, async (text) =>
    cut(await read(prompt + checkText(text, 'the text')), room),
  );
  // The library counts the prompt's tokens with those that begin a text.
  const skipped = prompt === '' || folder.countsPrompt ? 0 : lengthOf(await read(prompt));
  const ways = options.pooling ? [options.pooling] : folder.pooling;
  const vectors: Float32Array[] = [];
  for await (const { row, vector } of runRows(model, rows, 'lastHiddenState', options.signal)) {
    const tokens = row.ids.map((_, token) => vector(token)).slice(Math.min(skipped, row.ids.length - 1));
    const pooled = pool(tokens, ways);
    const steps =
      options.normalize === false ? folder.steps.filter((step) => step !== normalized) : folder.steps;
    const made = steps.reduce((x, step) => step(x), pooled);
    vectors.push(made);
  }
  return finished(vectors, options, false);
}

/** The number of tokens up to the end of the text. */
const lengthOf = ({ ids, sources }: Row) => sources.lastIndexOf(0) + 1 || ids.length;

/** What would have no effect is refused. */
function checkTogether({ prompt, promptName, ranges, precision = 'float32' }: ReadOptions): void {
  if (prompt !== undefined && promptName !== undefined)
    fail('invalid_argument', 'give prompt or promptName, not both');
  if (ranges && precision !== 'int8' && precision !== 'uint8')
    fail('invalid_argument', `ranges needs the precision int8 or uint8, got ${precision}`);
}

/** What all vectors have in common. */
function finished(
  vectors: readonly Float32Array[],
  { normalize, truncateDim, precision = 'float32', ranges }: ReadOptions,
  isNormalized: boolean,
): Tensor | QuantizedEmbeddings {
  const kept = vectors.map((vector) => {
    const part = vector.subarray(0, truncateDim);
    return (normalize ?? isNormalized) ? normalized(part) : part;
  });
  const width = kept[0]?.length ?? 0;
  const data = new Float32Array(kept.length * width);
  for (const [i, vector] of kept.entries()) data.set(vector, i * width);
  const shape = [kept.length, width];
  return precision === 'float32' ? new Tensor(data, shape) : quantized({ data, shape }, precision, ranges);
}

/** Of a model that compares texts with pictures, which says how a text becomes a vector, at length 1. */
async function embedForPictures(
  model: Loaded,
  texts: readonly string[],
  { prompt = '', ...options }: ReadOptions,
): Promise<Tensor | QuantizedEmbeddings> {
  for (const name of ['pooling', 'promptName'] as const)
    if (options[name] !== undefined) fail('unsupported', `a model of texts and pictures has no ${name}`);
  const { textFeatures } = await import('./tower_texts.js');
  const whole = texts.map((text) => prompt + checkText(text, 'the text'));
  return finished(await textFeatures(model, whole, options.signal), options, true);
}

function promptOf(
  { prompts, defaultPrompt }: SentenceFolder,
  { prompt, promptName }: Pick<EmbedOptions, 'prompt' | 'promptName'>,
): string {
  if (prompt !== undefined) return prompt;
  const name = promptName ?? defaultPrompt;
  if (name === null || name === undefined) return '';
  const known = Object.keys(prompts).join(', ') || 'none';
  return (
    prompts[name] ??
    fail('invalid_argument', `there is no prompt '${name}'; the folder's prompts are: ${known}`)
  );
}
