/** Finds the heads without which a translation changes, by translating once without each of them. */

import type { Model } from 'transformer-wasm';
import type { Reading } from '../../reading/reading.js';
import { generationOf } from '../../reading/request.js';
import { type Head, headName, kinds } from '../../selection/heads.js';

/** Beyond this, trying all heads of a larger model would take the visitor's battery for a detail. */
const most = 96;

export const allHeads = ({ maps }: Reading): Head[] =>
  kinds.flatMap((kind) => {
    const { layers = 0, heads = 0 } = maps[kind] ?? {};
    return Array.from({ length: layers * heads }, (_, i) => ({
      kind,
      layer: Math.floor(i / heads),
      head: i % heads,
    }));
  });

/**
 * @returns the names of these heads, and what the translation becomes without each
 * @throws the signal's reason
 */
export async function decisiveHeads(
  model: Model,
  reading: Reading,
  prefix: readonly number[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const changes = new Map<string, string>();
  const heads = allHeads(reading).map(headName);
  if (heads.length > most || reading.isRecurrent) return changes;
  const translate = async (off: readonly string[]) => {
    const { text } = await model.translate(reading.text, generationOf({ off, prefix, signal }));
    return text;
  };
  const whole = await translate(reading.off);
  for (const head of heads) {
    if (reading.off.includes(head)) continue;
    const text = await translate([...reading.off, head]);
    signal.throwIfAborted();
    if (text !== whole) changes.set(head, text);
  }
  return changes;
}
