/** A session as bytes: its options, its turns and their tokens. */

import type { Loaded } from '../checkpoint/loaded.js';
import { isJsonObject } from '../files/json_object.js';
import { sha256 } from '../files/sha256.js';
import { fail } from '../values/errors.js';
import { describe } from '../values/tensor.js';
import type { SessionOptions, Turn } from './session_options.js';

const format = 1;

interface Content {
  readonly options: SessionOptions;
  readonly turns: readonly Turn[];
}

export async function savedSession(model: Loaded, { options, turns }: Content): Promise<Uint8Array> {
  const { signal: _, assistantModel: __, ...kept } = options;
  const saved = { format, model: await identityOf(model), options: kept, turns };
  return new TextEncoder().encode(JSON.stringify(saved));
}

/**
 * What `save` wrote.
 *
 * @throws TransformerError `invalid_argument` for bytes that are none, and for those of another model
 */
export async function readSession(model: Loaded, bytes: Uint8Array): Promise<Content> {
  const saved = contentOf(bytes);
  if (saved.model !== (await identityOf(model)))
    fail('invalid_argument', 'the session was saved with another model');
  const isTurn = (turn: unknown): turn is Turn =>
    isJsonObject(turn) &&
    isJsonObject(turn.question) &&
    isJsonObject(turn.answer) &&
    isJsonObject(turn.known) &&
    typeof turn.known.text === 'string' &&
    Array.isArray(turn.known.ids) &&
    turn.known.ids.every((id) => Number.isSafeInteger(id) && id >= 0);
  const { turns, options } = saved;
  if (!Array.isArray(turns) || !turns.every(isTurn) || !isJsonObject(options))
    return fail('invalid_argument', 'the bytes are no session that save() wrote');
  return { options, turns };
}

function contentOf(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  if (!(bytes instanceof Uint8Array))
    fail('invalid_argument', `a saved session must be a Uint8Array, got ${describe(bytes)}`);
  try {
    const saved: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (isJsonObject(saved) && saved.format === format) return saved;
  } catch (error) {
    return fail('invalid_argument', 'the bytes are no session that save() wrote', error);
  }
  return fail('invalid_argument', 'the bytes are no session that this version knows');
}

/** A hash of what the model's tokens and its shape are. */
async function identityOf({ config, tokenizer, handle, host }: Loaded): Promise<string> {
  const parameters = await host.invoke(handle, 'parameterCount');
  const ends = [0, (tokenizer?.size ?? 1) - 1].map((id) => tokenizer?.tokenOf(id));
  const facts = [config, parameters, tokenizer?.size, ends];
  return sha256(new TextEncoder().encode(JSON.stringify(facts)));
}
