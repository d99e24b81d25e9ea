/** Texts as vectors that can be compared with those of pictures. */

import type { Loaded } from '../checkpoint/loaded.js';
import { fail } from '../values/errors.js';
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
import { specialTokens } from './special_tokens.js';

/**
 * The projected vector of each text. A text that is too long is cut.
 *
 * @param dimensions how many of the numbers are kept and brought to length 1 (0: all); `null`: the vectors as they are
 */
export async function textVectors(
  model: Loaded,
  texts: readonly string[],
  dimensions: number | null,
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const tokenizer = requireEncoder(model, 'embed texts');
  const length = model.tower?.plan.textLength ?? null;
  const pad = length === null ? 0 : await padOf(model, signal);
  const read = rowReader(tokenizer, signal);
  const rows = await inOrder(texts, async (text) =>
    padded(cut(await read(checkText(text, 'the text')), roomOf(model)), length, pad),
  );
  const vectors: Float32Array[] = [];
  const name = dimensions === null ? 'textFeatures' : 'textEmbeds';
  const sentence = dimensions ? { ...wholeSentence, dimensions, unit: true } : undefined;
  for await (const { vector } of runRows(model, rows, name, signal, sentence)) vectors.push(vector(0));
  return vectors;
}

const wholeSentence = { pooling: [], skipped: 0, unitSteps: false };

async function padOf(model: Loaded, signal?: AbortSignal): Promise<number> {
  const { pad_token: token } = await specialTokens(model.folder, signal);
  const named = token === undefined ? null : (model.tokenizer?.idOf(token) ?? null);
  return named ?? model.plan.tokens.pad ?? fail('bad_checkpoint', 'config.json has no pad_token_id');
}

/** With tokens that count, as in training. */
function padded(row: Row, length: number | null, pad: number): Row {
  const missing = (length ?? 0) - row.ids.length;
  if (missing <= 0) return row;
  const filled = <T>(list: readonly T[], value: T) => [
    ...list,
    ...Array.from({ length: missing }, () => value),
  ];
  return {
    ids: filled(row.ids, pad),
    tokens: filled(row.tokens, ''),
    offsets: filled(row.offsets, null),
    typeIds: filled(row.typeIds, 0),
    sources: filled(row.sources, -1),
    wordIds: filled(row.wordIds, null),
  };
}
