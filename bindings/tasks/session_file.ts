/** A session as bytes: its options, its turns with their tokens, and what the model remembers of them. */

import type { Loaded } from '../checkpoint/loaded.js';
import { isJsonObject } from '../files/json_object.js';
import { sha256 } from '../files/sha256.js';
import { fail } from '../values/errors.js';
import { concatenated, describe } from '../values/tensor.js';
import { identityOf, weightsOf } from './session_identity.js';
import type { SessionOptions, Turn } from './session_options.js';

/** The first bytes, with the number of the format. */
const magic = 'twsession2\n';
/** In hexadecimal digits: of all that follows it. */
const hashLength = 64;
/** Of the length of the JSON after it. */
const lengthDigits = 10;

interface Content {
  readonly options: SessionOptions;
  readonly turns: readonly Turn[];
}

/**
 * The bytes: the magic, a hash of the rest, the length of the JSON that follows, the JSON, and the pages of keys and
 * values, as many as the JSON says.
 *
 * @param withCache whether what the model remembers of the conversation is saved too
 */
export async function savedSession(
  model: Loaded,
  { options, turns }: Content,
  withCache: boolean,
): Promise<Uint8Array> {
  const { signal: _, assistantModel: __, prefixAllowedTokens: ___, ...kept } = options;
  const pages = withCache ? await pagesOf(model, turns.at(-1)?.known.ids ?? []) : [];
  const weights = pages.length > 0 ? await weightsOf(model) : null;
  const saved = { model: await identityOf(model), weights, pages: pages.length, options: kept, turns };
  const encoder = new TextEncoder();
  const text = encoder.encode(JSON.stringify(saved));
  const length = encoder.encode(`${text.length}`.padStart(lengthDigits, '0'));
  const begin = new Uint8Array(magic.length + hashLength);
  const bytes = concatenated([begin, length, text, ...pages], Uint8Array);
  // The pages are large: hashed where they are, not copied once more.
  bytes.set(encoder.encode(magic + (await sha256(bytes.subarray(begin.length)))));
  return bytes;
}

/** What the model remembers of the tokens, page by page. */
async function pagesOf({ host, handle }: Loaded, ids: readonly number[]): Promise<Uint8Array[]> {
  const given = Int32Array.from(ids);
  const pages: Uint8Array[] = [];
  for (;;) {
    const { data } = await host.invoke(handle, 'storedPrefix', given, pages.length);
    if (data.length === 0) return pages;
    pages.push(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
}

/**
 * What `save` wrote. The model remembers what was saved of its cache, as far as it has room for it.
 *
 * @throws TransformerError `invalid_argument` for bytes that are none or are damaged, and for those of another model
 */
export async function readSession(model: Loaded, bytes: Uint8Array): Promise<Content> {
  const { saved, cache } = await contentOf(bytes);
  const { turns, options, weights, pages } = saved;
  if (saved.model !== (await identityOf(model))) refuseModel();
  if (!Array.isArray(turns) || !turns.every(isTurn) || !isJsonObject(options)) return refuse();
  if (isJsonObject(weights)) await restore(model, { turns, weights, count: Number(pages), cache });
  return { options, turns };
}

const isTurn = (turn: unknown): turn is Turn =>
  isJsonObject(turn) &&
  isJsonObject(turn.question) &&
  isJsonObject(turn.answer) &&
  isJsonObject(turn.known) &&
  typeof turn.known.text === 'string' &&
  Array.isArray(turn.known.ids) &&
  turn.known.ids.every((id) => Number.isSafeInteger(id) && id >= 0);

async function contentOf(bytes: Uint8Array) {
  if (!(bytes instanceof Uint8Array))
    fail('invalid_argument', `a saved session must be a Uint8Array, got ${describe(bytes)}`);
  const begin = magic.length + hashLength;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    const before = decoder.decode(bytes.subarray(0, begin));
    const rest = bytes.subarray(begin);
    if (before !== magic + (await sha256(rest))) return refuse();
    const end = lengthDigits + Number(decoder.decode(rest.subarray(0, lengthDigits)));
    const saved: unknown = JSON.parse(decoder.decode(rest.subarray(lengthDigits, end)));
    if (isJsonObject(saved)) return { saved, cache: rest.subarray(end) };
  } catch (error) {
    return refuse(error);
  }
  return refuse();
}

const refuse = (cause?: unknown): never =>
  fail('invalid_argument', 'the bytes are no session that save() wrote, or they are damaged', cause);

const refuseModel = (): never => fail('invalid_argument', 'the session was saved with another model');

interface Cache {
  readonly turns: readonly Turn[];
  readonly weights: Readonly<Record<string, unknown>>;
  readonly count: number;
  readonly cache: Uint8Array;
}

/** Where the same weights give other bits, as in another engine or another format, the text is read again instead. */
async function restore(model: Loaded, { turns, weights, count, cache }: Cache): Promise<void> {
  const own = await weightsOf(model);
  if (weights.engine !== own.engine || weights.bytes !== own.bytes) return;
  if (weights.bits !== own.bits) refuseModel();
  const ids = Int32Array.from(turns.at(-1)?.known.ids ?? []);
  const size = cache.length / count;
  if (!Number.isSafeInteger(size / Float32Array.BYTES_PER_ELEMENT)) refuse();
  for (let place = 0; place < count; place++) {
    const data = new Float32Array(cache.slice(place * size, (place + 1) * size).buffer);
    const page = { data, shape: [data.length] };
    if (!(await model.host.invoke(model.handle, 'restorePrefix', ids, place, page))) return;
  }
}
