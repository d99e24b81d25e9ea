/** Embeddings: a vector for each text, so that texts of similar meaning have similar vectors. */

import type { Loaded } from '../checkpoint/loaded.js';
import { fail } from '../values/errors.js';
import { choiceOf, readFields, toBe, toBoolean } from '../values/options.js';
import { Tensor, type TensorLike, toTensor } from '../values/tensor.js';
import { checkText, cut, requireEncoder, roomOf, rowOf, runRows } from './batch_encoder.js';
import { toSignal } from './classify.js';
import { normalized, type Pooling, pool, poolings } from './pooling.js';
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
  signal?: AbortSignal;
}

const toText = toBe('a string', (value): value is string => typeof value === 'string');

const readers = {
  pooling: choiceOf(poolings),
  normalize: toBoolean,
  prompt: toText,
  promptName: toText,
  signal: toSignal,
};

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
): Promise<Tensor> {
  const options = readFields(given, readers);
  const tokenizer = requireEncoder(model, 'embed texts');
  const folder = await sentenceFolderOf(model);
  const prompt = promptOf(folder, options);
  const read = (text: string) => (folder.lowerCase ? text.toLowerCase() : text);
  const room = Math.min(roomOf(model), folder.maxTokens ?? Number.POSITIVE_INFINITY);
  const rows = texts.map((text) => cut(rowOf(tokenizer, read(prompt + checkText(text, 'the text'))), room));
  // The library counts the prompt's tokens with those that begin a text.
  const skipped = prompt === '' || folder.countsPrompt ? 0 : lengthOf(read(prompt));
  const ways = options.pooling ? [options.pooling] : folder.pooling;
  const isNormalized = options.normalize ?? false;
  const vectors: Float32Array[] = [];
  for await (const { row, vector } of runRows(model, rows, 'lastHiddenState', options.signal)) {
    const tokens = row.ids.map((_, token) => vector(token)).slice(Math.min(skipped, row.ids.length - 1));
    const pooled = pool(tokens, ways);
    const steps =
      options.normalize === false ? folder.steps.filter((step) => step !== normalized) : folder.steps;
    const made = steps.reduce((x, step) => step(x), pooled);
    vectors.push(isNormalized ? normalized(made) : made);
  }
  const width = vectors[0]?.length ?? 0;
  const data = new Float32Array(vectors.length * width);
  for (const [i, vector] of vectors.entries()) data.set(vector, i * width);
  return new Tensor(data, [vectors.length, width]);

  function lengthOf(text: string): number {
    const { ids, sources } = rowOf(tokenizer, text);
    return sources.lastIndexOf(0) + 1 || ids.length;
  }
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

/**
 * The cosine of the angle between each of some vectors and each of others: 1 for the same direction.
 *
 * @param a [n, width]
 * @param b [m, width]; default: `a`
 * @returns [n, m]
 * @throws TransformerError `invalid_argument`
 */
export function similarity(a: TensorLike, b: TensorLike = a): Tensor {
  const [left, right] = [rowsOf(a, 'a'), rowsOf(b, 'b')];
  const [width] = [left[0]?.length ?? 0];
  if (right.some((row) => row.length !== width))
    fail('invalid_argument', `b must have rows of ${width} numbers, as a has, got ${right[0]?.length}`);
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
  const [units, others] = [left.map(normalized), right.map(normalized)];
  const scores = units.flatMap((x) => others.map((y) => dot(x, y)));
  return new Tensor(scores, [left.length, right.length]);
}

function rowsOf(given: TensorLike, name: string): Float32Array[] {
  const { data, shape } = toTensor(given, name);
  const width = shape.at(-1) ?? 0;
  if (shape.length === 0 || shape.length > 2 || width === 0)
    fail('invalid_argument', `${name} must be vectors [count, width], got the shape [${shape.join(', ')}]`);
  return Array.from({ length: data.length / width }, (_, i) => data.subarray(i * width, (i + 1) * width));
}
