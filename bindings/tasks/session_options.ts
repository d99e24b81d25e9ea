/** The options and the turns of a session. */

import type { StreamChunk } from '../generation/results.js';
import { fail } from '../values/errors.js';
import { toObject } from '../values/options.js';
import { describe } from '../values/tensor.js';
import type { ChatMessage, ChatOptions, ChatReply, Known } from './chat.js';

/**
 * What becomes of a conversation that the model has no room for: `'error'` refuses the next turn, `'drop'` leaves out
 * the oldest turns, `{ keep }` leaves out tokens after the first `keep` of them.
 */
export type WhenFull = 'error' | 'drop' | { keep: number };

export interface SessionOptions extends ChatOptions {
  /** What the model is told before the first turn. */
  system?: string;
  /** Default: `'error'`. */
  whenFull?: WhenFull;
  /** The most tokens that the model reads and writes together; default: its positions. */
  maxTokens?: number;
}

export interface SaveOptions {
  /** Default: false. */
  cache?: boolean;
}

export interface SessionChunk extends StreamChunk {
  /** How many turns, or tokens, were left out for want of room. */
  dropped: number;
}

export interface SessionReply extends ChatReply {
  /** How many turns, or tokens, were left out for want of room. */
  dropped: number;
}

/** A question, and what the model has answered. */
export interface Turn {
  readonly question: ChatMessage;
  readonly answer: ChatMessage;
  /** The conversation up to the answer as the model has read and written it. */
  readonly known: Known;
}

/** @throws TransformerError `invalid_argument` */
export function checked(options: SessionOptions): SessionOptions {
  const { system, whenFull = 'error', maxTokens } = toObject(options, 'options') as SessionOptions;
  if (system !== undefined && typeof system !== 'string')
    fail('invalid_argument', `system must be a string, got ${describe(system)}`);
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && maxTokens > 0))
    fail('invalid_argument', `maxTokens must be a positive integer, got ${describe(maxTokens)}`);
  const keep: unknown = typeof whenFull === 'object' ? toObject(whenFull, 'whenFull').keep : 0;
  const isKnown = whenFull === 'error' || whenFull === 'drop' || typeof whenFull === 'object';
  if (!isKnown || !Number.isSafeInteger(keep) || Number(keep) < 0)
    fail(
      'invalid_argument',
      `whenFull must be 'error', 'drop' or { keep: a count }, got ${describe(whenFull)}`,
    );
  return options;
}
