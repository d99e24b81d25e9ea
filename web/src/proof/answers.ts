/** What a receipt holds, and how it is recomputed: the same code in Node.js (npm run receipts, npm test real) and on the page. */

import type { Model } from 'transformer-wasm';
import { digitsOf, numberOf, promptOf, width } from '../views/adder/sums.js';

/** A question to a model. `task` is one of the names of `tasks`. */
export interface Example {
  readonly task: string;
  /** A text, also of a sum; the ids of a prompt; of a picture, the number of the pattern that is drawn. */
  readonly input: string | readonly number[] | number;
  readonly maxNewTokens?: number;
}

export interface Answer {
  /** Of generated sequences, prompt and end token included. */
  readonly ids?: readonly number[];
  readonly text?: string;
  /** SHA-256 of the computed float32 numbers, little-endian: scores of the tokens, logits, or an embedding. */
  readonly bits: string;
}

export interface Receipt {
  /** The id at the model hub, or the folder of web/public/models. */
  readonly model: string;
  /** Of the hub's repository; `null` for our own. */
  readonly revision: string | null;
  /** SHA-256 of each file that was read, in hexadecimal digits. */
  readonly files: Readonly<Record<string, string>>;
  /** How the weights were held: 'float32' as they are stored, or 'int8'. */
  readonly dtype: string;
  readonly answers: readonly (Example & Answer)[];
  readonly engine: { readonly version: string; readonly wasm: string };
  /** The commit of this repository, who ran it, where, and on which day. */
  readonly commit: string;
  readonly by: string;
  readonly host: string;
  readonly date: string;
}

/**
 * Receipts are of the variant without relaxed SIMD: relaxed instructions may round in another way on another processor.
 * The number of threads changes nothing.
 */
export const engineOptions = { simd: 'simd128' } as const;

const hex = (bytes: ArrayBuffer) =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Every machine that runs WebAssembly or V8 stores numbers with the lowest byte first. */
async function bitsOf(numbers: Iterable<number>): Promise<string> {
  return hex(await crypto.subtle.digest('SHA-256', Float32Array.from(numbers)));
}

/** A picture that needs no file: three patterns of whole numbers. */
function picture(pattern: number) {
  const [width, height] = [28, 28];
  const data = new Uint8Array(width * height);
  for (let at = 0; at < data.length; at++) {
    const [x, y] = [at % width, Math.floor(at / width)];
    const isInk = [
      Math.abs(x - 14) < 2 && y > 4 && y < 24,
      Math.abs(Math.hypot(x - 14, y - 14) - 7) < 1.5,
      (Math.abs(y - 6) < 2 && x > 7 && x < 21) || (Math.abs(x + y / 2 - 22) < 2 && y >= 6 && y < 24),
    ][pattern];
    data[at] = isInk ? 255 : 0;
  }
  return { data, width, height, channels: 1 as const };
}

/** A list of ids is an input as it is; `input` of other tasks is a text. */
async function generate(model: Model, { input, maxNewTokens }: Example): Promise<Answer> {
  const given = typeof input === 'string' ? input : [...(input as readonly number[])];
  const { sequences } = await model.generate(given, {
    numBeams: 1,
    ...(maxNewTokens === undefined ? {} : { maxNewTokens }),
  });
  const [best] = sequences;
  if (!best) throw new Error('The model generated nothing.');
  const { ids, text, tokenScores } = best;
  return { ids, text, bits: await bitsOf(tokenScores) };
}

/** `a + b`, as our adding model reads and writes it: digits, the lowest first. */
async function add(model: Model, { task, input }: Example): Promise<Answer> {
  const [a = '', b = ''] = String(input).split('+');
  const prompt = promptOf({ a: digitsOf(a), b: digitsOf(b) });
  const answer = await generate(model, { task, input: prompt, maxNewTokens: width });
  return { ...answer, text: numberOf(answer.ids?.slice(-width) ?? []) };
}

async function logits(model: Model, { input }: Example): Promise<Answer> {
  const { ids } = model.tokenizer?.encode(String(input)) ?? { ids: input as readonly number[] };
  const { logits: scores } = await model.forward({ inputIds: [[...ids]] });
  if (!scores) throw new Error('The model has no logits.');
  return { ids: [...ids], bits: await bitsOf(scores.data) };
}

async function embed(model: Model, { input }: Example): Promise<Answer> {
  const { data } = await model.embed(String(input));
  return { bits: await bitsOf(data) };
}

async function classifyImage(model: Model, { input }: Example): Promise<Answer> {
  const labels = await model.classifyImage(picture(Number(input)));
  return { text: labels[0]?.label ?? '', bits: await bitsOf(labels.map(({ score }) => score)) };
}

/** A second of a rising tone: no speech, but every layer is computed. */
async function transcribe(model: Model): Promise<Answer> {
  const samples = Float32Array.from({ length: 16_000 }, (_, at) => ((at * at) % 32_000) / 32_000 - 0.5);
  const { text, segments } = await model.transcribe({ samples, sampleRate: 16_000 });
  return { text, bits: await bitsOf(segments.map(({ averageLogProbability }) => averageLogProbability)) };
}

const tasks: Readonly<Record<string, (model: Model, example: Example) => Promise<Answer>>> = {
  generate,
  add,
  logits,
  embed,
  classifyImage,
  transcribe,
};

/** @throws Error for a task that is not one of `tasks` */
export async function answerOf(model: Model, example: Example): Promise<Answer> {
  const task = tasks[example.task];
  if (!task) throw new Error(`'${example.task}' is not a task: ${Object.keys(tasks).join(', ')}`);
  return task(model, example);
}

/** The ways in which two answers differ, each as a sentence; none if they are the same. */
export function differences(expected: Answer, found: Answer): string[] {
  const parts = ['ids', 'text', 'bits'] as const;
  return parts
    .filter((part) => JSON.stringify(expected[part]) !== JSON.stringify(found[part]))
    .map((part) => `${part}: ${JSON.stringify(found[part])} instead of ${JSON.stringify(expected[part])}`);
}

/** As the engine's option `integrity` takes them: with it, other files are refused. */
export const integrityOf = ({ files }: Receipt): Record<string, string> =>
  Object.fromEntries(
    Object.entries(files).map(([name, digits]) => {
      const bytes = digits.match(/../g)?.map((pair) => String.fromCharCode(Number.parseInt(pair, 16))) ?? [];
      return [name, `sha256-${btoa(bytes.join(''))}`];
    }),
  );
