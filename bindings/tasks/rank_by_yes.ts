/** Ranking by a decoder: how probable "yes" is against "no" when asked whether a text answers a query (Qwen3). */

import { type Loaded, requireTokenizer } from '../checkpoint/loaded.js';
import { generate } from '../generation/generate.js';
import { fail } from '../values/errors.js';
import { roomOf } from './batch_encoder.js';

const prefix =
  '<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct provided. Note that the answer can only be "yes" or "no".<|im_end|>\n<|im_start|>user\n';
const suffix = '<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n';
const usualInstruction = 'Given a web search query, retrieve relevant passages that answer the query';

/** Whether a model is ranked with so; nothing in its folder says that it was trained to. */
export function isYesNoRanker({ config }: Loaded): boolean {
  const [name] = Array.isArray(config.architectures) ? config.architectures : [];
  return name === 'Qwen3ForCausalLM';
}

interface Question {
  readonly query: string;
  readonly texts: readonly string[];
  /** The most tokens of a question. */
  readonly room: number;
  readonly instruction: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The probability of "yes" as the next word, of "yes" and "no", for each text. */
export async function yesScores(
  model: Loaded,
  { query, texts, room, instruction = usualInstruction, signal }: Question,
): Promise<number[]> {
  const tokenizer = requireTokenizer(model, 'it cannot rank texts');
  const idOf = (word: string) =>
    tokenizer.idOf(word) ??
    fail('unsupported', `the model cannot rank texts: '${word}' is not one of its tokens`);
  const [yes, no] = [idOf('yes'), idOf('no')];
  const idsOf = async (text: string) =>
    (await tokenizer.encodeLong(text, { addSpecialTokens: false }, signal)).ids;
  const [before, after] = [await idsOf(prefix), await idsOf(suffix)];
  // The answer takes a place of its own.
  const left = Math.min(room, roomOf(model) - 1) - before.length - after.length;
  if (left < 1)
    fail('invalid_argument', `${room} tokens leave no room for a text: the question alone has more`);
  const scores: number[] = [];
  for (const text of texts) {
    signal?.throwIfAborted();
    const middle = await idsOf(`<Instruct>: ${instruction}\n<Query>: ${query}\n<Document>: ${text}`);
    const ids = [...before, ...middle.slice(0, left), ...after];
    // The only two words allowed: what the model gives the better one is its share of both.
    const [result] = await generate(model, [ids], {
      ...plain,
      maxNewTokens: 1,
      prefixAllowedTokens: () => [no, yes],
      ...(signal && { signal }),
    });
    const [sequence] = result?.sequences ?? [];
    const share = Math.exp(sequence?.tokenScores[0] ?? fail('internal', 'nothing was generated'));
    scores.push(sequence?.ids.at(-1) === yes ? share : 1 - share);
  }
  return scores;
}

/** Against the folder's own settings, which are for conversations. */
const plain = { doSample: false, numBeams: 1, numReturnSequences: 1, repetitionPenalty: 1, minNewTokens: 0 };
