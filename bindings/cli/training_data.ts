/** The examples of a training: read from a file, and put together to batches in an order that follows from the seed. */

import { readFile } from 'node:fs/promises';
import type { TrainingBatch } from '../training/batch.js';

const fields = ['source', 'inputs', 'targets'] as const;

/** Token ids; which of them there are is the same for all examples. */
export type Example = { readonly [Name in (typeof fields)[number]]?: readonly number[] };

/** The lines of a file. */
export async function examplesIn(file: string): Promise<Example[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  const examples = lines.flatMap((line, i) =>
    line.trim() === '' ? [] : [toExample(line, `${file}, line ${i + 1}`)],
  );
  const kindOf = (example: Example) => fields.filter((name) => example[name]).join(', ');
  const [first] = examples;
  if (!first) throw new Error(`${file} has no examples`);
  const other = examples.find((example) => kindOf(example) !== kindOf(first));
  if (other) throw new Error(`${file}: some examples have ${kindOf(first)}, and others ${kindOf(other)}`);
  return examples;
}

function toExample(line: string, where: string): Example {
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch {
    throw new Error(`${where}: it is not JSON`);
  }
  const given = (Array.isArray(read) ? { inputs: read } : read) as Record<string, unknown>;
  const isIds = (value: unknown): value is number[] =>
    Array.isArray(value) && value.length > 0 && value.every((id) => Number.isInteger(id));
  const found = fields.flatMap((name) => (isIds(given?.[name]) ? [[name, given[name]] as const] : []));
  const names = Object.keys(given ?? {});
  if (found.length === 0 || found.length !== names.length)
    throw new Error(
      `${where}: expected arrays of token ids named ${fields.join(', ')}, got ${names.join(', ') || line}`,
    );
  return Object.fromEntries(found);
}

/** The batch of a step, counted from 0. Each example comes once before any comes again. */
export function batchOf(
  examples: readonly Example[],
  { size, seed, step }: { size: number; seed: number; step: number },
): TrainingBatch {
  const chosen = Array.from({ length: size }, (_, i) => {
    const place = step * size + i;
    const order = orderOf(examples.length, seed, Math.floor(place / examples.length));
    return examples[order[place % examples.length] ?? 0] ?? {};
  });
  const of = (name: (typeof fields)[number]) =>
    chosen.flatMap((example) => (example[name] ? [example[name]] : []));
  return Object.fromEntries(fields.filter((name) => chosen[0]?.[name]).map((name) => [name, of(name)]));
}

let known: { readonly key: string; readonly order: Int32Array } | undefined;

/** A permutation (Fisher and Yates), which follows from the seed and the number of the round. */
function orderOf(count: number, seed: number, round: number): Int32Array {
  const key = `${count} ${seed} ${round}`;
  if (known?.key === key) return known.order;
  const order = Int32Array.from({ length: count }, (_, i) => i);
  let state = (Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(round + 1, 0x85ebca6b)) >>> 0;
  for (let i = count - 1; i > 0; i--) {
    // Marsaglia's xorshift, after which the highest bits are used.
    state = (state || 1) ^ ((state || 1) << 13);
    state ^= state >>> 17;
    state = (state ^ (state << 5)) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (i + 1));
    [order[i], order[other]] = [order[other] ?? 0, order[i] ?? 0];
  }
  known = { key, order };
  return order;
}
