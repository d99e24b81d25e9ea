/** The settings that a checkpoint has for each of its tasks: config.json's `task_specific_params`. */

import type { Loaded } from '../checkpoint/loaded.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';

interface TaskSettings {
  /** Is put before each text: 'summarize: '. */
  readonly prefix: string;
  /** Options of the generation. */
  readonly options: Readonly<Record<string, unknown>>;
}

export const tasksOf = ({ config }: Loaded): JsonObject =>
  isJsonObject(config.task_specific_params) ? config.task_specific_params : {};

/** @throws TransformerError `invalid_argument` for a task that the checkpoint does not name. */
export function taskSettings(model: Loaded, task: string | undefined): TaskSettings {
  if (task === undefined) return { prefix: '', options: {} };
  const tasks = tasksOf(model);
  const own = tasks[task];
  if (!isJsonObject(own)) {
    const names = Object.keys(tasks).join(', ');
    fail('invalid_argument', `the model has no task '${task}'${names && `; its tasks are ${names}`}`);
  }
  const { prefix, ...options } = own;
  return { prefix: typeof prefix === 'string' ? prefix : '', options: camelCased(options) };
}

/** Python's names of options as JavaScript's: `max_length` becomes `maxLength`. */
export const camelCased = (options: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
