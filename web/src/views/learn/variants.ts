/** The tasks, and what can be left out of the model. */

import type { TrainerOptions } from 'transformer-wasm/train';
import { addition } from './addition.js';
import { reversal } from './reversal.js';
import type { Task } from './task.js';
import { translation } from './translation.js';

export const tasks = { reverse: reversal, add: addition, translate: translation } as const;
export type TaskName = keyof typeof tasks;

/** What is left out, as the trainer is told. */
const without = {
  nothing: {},
  positions: { config: { positions: 'none' } },
  scale: { config: { attention_scale: 1 } },
  mask: { options: { causal: false } },
} as const;
export type Without = keyof typeof without;
export const variants = Object.keys(without) as Without[];

export const isTask = (name: string): name is TaskName => Object.hasOwn(tasks, name);
export const isWithout = (name: string): name is Without => Object.hasOwn(without, name);

export interface Variant {
  readonly task: TaskName;
  readonly without: Without;
}

/** Steps in which the rate of learning grows to what it is. */
const warmupSteps = 20;

/** What a trainer is made with. */
export function settingsOf(
  variant: Variant,
  seed: number,
): { config: Task['config']; options: TrainerOptions } {
  const { config, learningRate }: Task = tasks[variant.task];
  const left: { config?: Task['config']; options?: TrainerOptions } = without[variant.without];
  return {
    config: { ...config, ...left.config },
    options: { seed, learningRate, warmupSteps, ...left.options },
  };
}

/** What the scores are divided by: the root of a head's width. */
export const scaleOf = (name: TaskName): number => {
  const { d_model, num_heads } = tasks[name].config;
  return Math.sqrt(Number(d_model) / Number(num_heads));
};
