/** A call of a task: its inputs and options, in either spelling, and the shape of its results. */

import { camelCased } from '../generation/task_settings.js';
import { fail } from '../values/errors.js';
import { toObject } from '../values/options.js';
import type { Model } from './model.js';

/** Runs a task: the model, and the arguments of the call. */
export type Task = (model: Model, args: readonly unknown[], task: string) => Promise<unknown>;

/** The caller's arguments, by camelCased names. */
export type Options = Record<string, unknown>;

/**
 * Options in JavaScript's or Python's spelling; `topk` is how older versions of transformers.js spell it. Batches and
 * padding have no effect on results, so they are left to us.
 */
export function optionsOf(given: unknown): Options {
  const {
    topk,
    batchSize: _,
    numWorkers: __,
    padding: ___,
    ...options
  } = camelCased(toObject(given, 'options'));
  return topk === undefined ? options : { topK: topk, ...options };
}

/** Options of a generation; Python's names for what ends it. */
export function generationOf(given: unknown): Options {
  const { stopSequence, stopStrings = stopSequence, ...options } = optionsOf(given);
  return stopStrings === undefined ? options : { stop: stopStrings, ...options };
}

/** Options of an encoder's task: texts are always cut to what the model takes. */
export function encoderOptionsOf(given: unknown): Options {
  const { truncation, ...options } = optionsOf(given);
  if (truncation === false || truncation === 'do_not_truncate')
    fail('unsupported', 'truncation cannot be switched off: texts that are too long for the model are cut');
  return options;
}

type ReadOptions = (given: unknown) => Options;

/** A task that gives each input a result of its own: a list for a list, else the only one. */
export const each =
  <Input>(
    read: ReadOptions,
    run: (model: Model, inputs: Input[], options: Options) => Promise<readonly unknown[]>,
  ): Task =>
  async (model, [input, options]) => {
    const { inputs, isList } = listOf<Input>(input);
    return like(await run(model, inputs, read(options)), isList);
  };

type WithLabels<Input> = (
  model: Model,
  inputs: Input[],
  labels: string[],
  options: Options,
) => Promise<readonly unknown[]>;

/** Likewise, with candidate labels. */
export const eachWithLabels =
  <Input>(read: ReadOptions, run: WithLabels<Input>): Task =>
  async (model, [input, labels, options]) => {
    const { list, others } = candidatesOf(labels, read(options));
    const { inputs, isList } = listOf<Input>(input);
    return like(await run(model, inputs, list, read(others)), isList);
  };

/** Candidate labels, a list or texts separated by commas, as an argument of their own or among the options. */
function candidatesOf(labels: unknown, options: Options): { list: string[]; others: Options } {
  const isNamed = typeof labels === 'object' && labels !== null && !Array.isArray(labels);
  const { candidateLabels, ...others } = isNamed ? optionsOf(labels) : options;
  const given = isNamed ? candidateLabels : labels;
  const list = typeof given === 'string' ? given.split(',').flatMap((label) => label.trim() || []) : given;
  if (!Array.isArray(list))
    fail(
      'invalid_argument',
      'zero-shot classification needs candidate labels: a list, or texts separated by commas',
    );
  return { list, others };
}

/** One input or a list of them. */
export function listOf<T>(input: unknown): { inputs: T[]; isList: boolean } {
  const isList = Array.isArray(input);
  return { inputs: isList ? input : [input as T], isList };
}

/** A list of results for a list of inputs, else the only result. */
export const like = <T>(results: readonly T[], isList: boolean): T | T[] =>
  isList ? [...results] : (results[0] as T);
