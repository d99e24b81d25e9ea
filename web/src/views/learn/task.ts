/** What can be learned: examples of it, those that are kept apart, and the model that is large enough for it. */

import type { TrainingBatch } from 'transformer-wasm/train';
import { randomFrom } from '../../reading/random.js';

/** Token ids: what is given, and what is to be written. */
export interface Example {
  readonly prompt: readonly number[];
  /** Empty where nobody knows the right answer. */
  readonly answer: readonly number[];
}

export interface Task {
  readonly tokens: readonly string[];
  /** As in a config.json. */
  readonly config: Readonly<Record<string, string | number | boolean>>;
  readonly learningRate: number;
  /** After so many steps it is over. */
  readonly steps: number;
  /** With an encoder that reads what is given; without one, the decoder reads it before it writes. */
  readonly hasEncoder: boolean;
  /** The longest answer. */
  readonly longest: number;
  /** The token that ends an answer; `null` where all answers are of the same length. */
  readonly end: number | null;
  /** What the batch of a step has: the same at every visit. */
  readonly examples: (step: number) => readonly Example[];
  /** All that it learns from, where they are few. */
  readonly learned?: readonly Example[];
  /** Never in a batch. The first one is what the figure shows. */
  readonly kept: readonly Example[];
  /** What a reader typed; `null` for what is no such thing. */
  readonly read: (text: string) => Example | null;
  /** The answer as it is written. */
  readonly said: (answer: readonly number[]) => string;
  /** What was given as it is written. */
  readonly asked: (prompt: readonly number[]) => string;
}

/** Up to `below`, without it. */
export const wholeFrom = (random: () => number, below: number) => Math.floor(random() * below);

/** One in ten, by a hash of what is given (FNV-1a, mixed): whether it is kept apart, whenever it comes up. */
function isTenth(prompt: readonly number[]): boolean {
  let hash = 0x811c9dc5;
  for (const id of prompt) hash = Math.imul(hash ^ id, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 12)) >>> 0) % 10 === 0;
}

const isSame = (a: readonly number[], b: readonly number[]) => a.join() === b.join();

/**
 * The examples of a task that has more of them than anybody could list.
 *
 * @param make an example from random numbers
 * @param first the one that the figure shows
 */
export function endless(make: (random: () => number) => Example, first: Example, size: number) {
  const isKept = ({ prompt }: Example) => isTenth(prompt) || isSame(prompt, first.prompt);
  const draw = (random: () => number, kept: boolean): Example => {
    for (;;) {
      const example = make(random);
      if (isKept(example) === kept) return example;
    }
  };
  const many = (count: number, seed: number, kept: boolean) => {
    const random = randomFrom(seed);
    return Array.from({ length: count }, () => draw(random, kept));
  };
  return {
    examples: (step: number) => many(size, step + 1, false),
    kept: distinct([first, ...many(150, 0, true)]).slice(0, 100),
  };
}

const distinct = (examples: readonly Example[]) => [
  ...new Map(examples.map((example) => [example.prompt.join(), example])).values(),
];

/** Tokens that do not count. */
const ignored = -100;

/** What a trainer takes: of each example, the answer counts. */
export function batchOf({ hasEncoder }: Task, examples: readonly Example[]): TrainingBatch {
  if (hasEncoder)
    return { source: examples.map(({ prompt }) => prompt), targets: examples.map(({ answer }) => answer) };
  return {
    inputs: examples.map(({ prompt, answer }) => [...prompt, ...answer.slice(0, -1)]),
    targets: examples.map(({ prompt, answer }) => [...prompt.slice(1).map(() => ignored), ...answer]),
  };
}
