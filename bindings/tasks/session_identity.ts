/** What tells models apart whose sessions cannot be exchanged. */

import { hasEncoder, type Loaded } from '../checkpoint/loaded.js';
import { hashOf } from '../engine/fingerprint.js';
import { sha256 } from '../files/sha256.js';
import { vocabularyOf } from '../plans/model_shape.js';

/** A hash of what the model's tokens and its shape are. */
export async function identityOf({ config, tokenizer, handle, host }: Loaded): Promise<string> {
  const parameters = await host.invoke(handle, 'parameterCount');
  const ends = [0, (tokenizer?.size ?? 1) - 1].map((id) => tokenizer?.tokenOf(id));
  const facts = [config, parameters, tokenizer?.size, ends];
  return sha256(new TextEncoder().encode(JSON.stringify(facts)));
}

/**
 * The instruction set, the memory that the weights take, which differs between their formats, and a hash of what the
 * model computes for a few tokens: where the first two are equal, the third tells other weights.
 */
export async function weightsOf(model: Loaded): Promise<{ engine: string; bytes: number; bits: string }> {
  const { host, handle, plan } = model;
  const vocabulary = vocabularyOf(plan, 'decoder');
  const ids = Int32Array.from({ length: 8 }, (_, i) => Math.floor((i * vocabulary) / 8));
  const sources = hasEncoder(model) ? [ids] : [];
  const [scored] = await host.invoke(handle, 'score', sources, [ids.slice(0, 4)], [ids.slice(4)]);
  const scores = scored?.tokenScores ?? new Float32Array();
  const bits = hashOf([new Uint8Array(scores.buffer, scores.byteOffset, scores.byteLength)]);
  return { engine: host.choice.fingerprint, bytes: await host.invoke(handle, 'weightBytes'), bits };
}
