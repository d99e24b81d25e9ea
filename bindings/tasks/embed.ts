/** Embeddings: a vector for each text, so that texts of similar meaning have similar vectors. */

import { hasDecoder, hasEncoder, type Loaded } from '../checkpoint/loaded.js';
import { widthOf } from '../plans/model_shape.js';
import { fail } from '../values/errors.js';
import {
  choiceOf,
  type FieldsOf,
  integerFrom,
  type ReadersOf,
  readFields,
  toBoolean,
  toSignal,
  toText,
} from '../values/options.js';
import { concatenated, Tensor, type TensorLike, toTensor } from '../values/tensor.js';
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
import { type Pooling, poolings } from './pooling.js';
import { type Precision, precisions, type QuantizedEmbeddings, quantized } from './quantized_embeddings.js';
import { loadSteps, readSentenceFolder, type SentenceFolder } from './sentence_folder.js';

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
  /**
   * [2, width], for `int8` and `uint8`: the least and the greatest number of each dimension; default: of these texts.
   */
  ranges?: TensorLike;
  signal?: AbortSignal;
}

const readers = {
  pooling: choiceOf(poolings),
  normalize: toBoolean,
  prompt: toText,
  promptName: toText,
  truncateDim: integerFrom(1),
  precision: choiceOf(precisions),
  ranges: (value: unknown) => toTensor(value as TensorLike, 'ranges'),
  signal: toSignal,
} satisfies ReadersOf<EmbedOptions>;

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
  if (hasEncoder(model) && hasDecoder(model))
    fail('unsupported', 'the model gives no hidden states of its texts, only logits');
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
  const pooling = options.pooling ? [options.pooling] : [...folder.pooling];
  await stepsOf(model, folder);
  const sentence = {
    pooling,
    skipped,
    unitSteps: options.normalize !== false && folder.steps.includes(null),
    dimensions: options.truncateDim ?? 0,
    unit: options.normalize === true,
  };
  const vectors: Float32Array[] = [];
  for await (const { vector } of runRows(model, rows, 'poolerOutput', options.signal, sentence))
    vectors.push(vector(0));
  return finished(vectors, options);
}

const loadedSteps = new WeakMap<Loaded, Promise<void>>();

/** Loads what follows the pooling, once. */
function stepsOf(model: Loaded, folder: SentenceFolder): Promise<void> {
  const known = loadedSteps.get(model);
  if (known) return known;
  const stack = hasDecoder(model) ? 'decoder' : 'encoder';
  const loading = loadSteps(model, folder, folder.pooling.length * widthOf(model.plan, stack));
  loadedSteps.set(model, loading);
  loading.catch(() => loadedSteps.delete(model));
  return loading;
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
  { truncateDim, precision = 'float32', ranges }: ReadOptions,
): Tensor | QuantizedEmbeddings {
  const kept = vectors.map((vector) => vector.subarray(0, truncateDim));
  const data = concatenated(kept);
  const shape = [kept.length, kept[0]?.length ?? 0];
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
  const { textVectors } = await import('./tower_texts.js');
  const whole = texts.map((text) => prompt + checkText(text, 'the text'));
  const dimensions = options.normalize === false ? null : (options.truncateDim ?? 0);
  return finished(await textVectors(model, whole, dimensions, options.signal), options);
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
