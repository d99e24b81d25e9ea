// `using` is part of the API; this reference declares it for compilers with older standard libraries.
/// <reference lib="esnext.disposable" preserve="true" />

/**
 * `transformer-wasm/pipeline`: tasks by name, for those who come from Python's or JavaScript's transformers.
 * @module transformer-wasm/pipeline
 */

import type { LoadProgress } from './checkpoint/load_checkpoint.js';
import { aliasedDtypes } from './engine/dtype.js';
import type { CheckpointSource } from './files/folder.js';
import { type LoadModelOptions, loadModel } from './model/load_model.js';
import { Model } from './model/model.js';
import type { PipelineCall, PipelineTask } from './model/pipeline_types.js';
import { aliases, tasks } from './model/pipelines.js';
import { cross } from './values/border.js';
import { fail } from './values/errors.js';
import { toObject } from './values/options.js';

export type { PipelineCall, PipelineCalls, PipelineTask } from './model/pipeline_types.js';
export type { Answer } from './tasks/answer.js';
export { type ChatMessage, renderChatTemplate } from './tasks/chat_template.js';
export type { FilledMask } from './tasks/fill_mask.js';
export type { LabelScore } from './tasks/labels.js';
export { type Neighbour, similarity } from './tasks/similarity.js';
export type { Tagged } from './tasks/tag.js';
export type { ZeroShotResult } from './tasks/zero_shot.js';

/** Options for loading, also under the names of the Python and JavaScript libraries. */
export interface PipelineOptions extends Omit<LoadModelOptions, 'dtype'> {
  /** One of ours, or one of Transformers.js: `'fp32'`, `'q8'`, `'q4'`. */
  dtype?: LoadModelOptions['dtype'] | 'fp32' | 'q8' | 'q4';
  /** Which revision of a hub's model to load. */
  revision?: string;
  /** Everything is computed on the processor. */
  device?: 'auto' | 'cpu' | 'wasm';
  /** Called with our progress, and the fields of transformers.js: `{ status, name, file, loaded, total, progress }`. */
  progress_callback?: (progress: PipelineProgress) => void;
}

export interface PipelineProgress extends LoadProgress {
  /**
   * As in transformers.js. Of each file: `initiate`, `download`, `progress` while its bytes come, `done`; then `ready`,
   * once. Bytes are those of all weights together.
   */
  status: 'initiate' | 'download' | 'progress' | 'done' | 'ready';
  /** The model, if it was given as text. */
  name: string;
  /** In percent. */
  progress: number;
  /** With `ready`, as in transformers.js. */
  task?: string;
  model?: string;
}

/** A task with its model: call it with an input, or a list of inputs, and options. */
export type Pipeline<Task extends PipelineTask = PipelineTask> = PipelineCall<Task> & TaskModel;

/** The model behind a pipeline. */
export interface TaskModel extends Disposable {
  readonly task: string;
  readonly model: Model;
  readonly tokenizer: Model['tokenizer'];
  /** Frees the model. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A model for a task. Tasks, arguments and results are those of the Python library's and transformers.js's pipelines;
 * options may be spelt as in either (`top_k`, `topK`).
 *
 * @param task for example 'translation', 'text-classification', 'question-answering'
 * @param source what `loadModel` takes (a hub's id, a URL, a path, files), or a loaded model
 * @throws TransformerError `unsupported` for a task that is not known, and like `loadModel`.
 * @example
 * const classify = await pipeline('sentiment-analysis', 'owner/name');
 * const [{ label, score }] = await classify('I like it.');
 */
export async function pipeline<Task extends PipelineTask>(
  task: Task,
  source: CheckpointSource | Model,
  options: PipelineOptions = {},
): Promise<Pipeline<Task>> {
  return cross('task source options', [task, source, options], open) as Promise<Pipeline<Task>>;
}

async function open(
  task: string,
  source: CheckpointSource | Model,
  options: PipelineOptions,
): Promise<unknown> {
  const named = Object.hasOwn(aliases, task) ? aliases[task as keyof typeof aliases] : task;
  const name = /^translation_\w+_to_\w+$/.test(named) ? 'translation' : named;
  const run = Object.hasOwn(tasks, name) ? tasks[name as keyof typeof tasks] : undefined;
  if (!run) fail('unsupported', `there is no task '${task}'; tasks are ${Object.keys(tasks).join(', ')}`);
  const model =
    source instanceof Model ? source : await loadModel(source, loadOptions(options, source, name));
  const call = async (...args: unknown[]) => cross('inputs', args, (...read) => run(model, read, named));
  const dispose = () => model.dispose();
  const behind: TaskModel = {
    task: name,
    model,
    tokenizer: model.tokenizer,
    dispose,
    [Symbol.dispose]: () => model[Symbol.dispose](),
    [Symbol.asyncDispose]: dispose,
  };
  return Object.assign(call, behind);
}

const devices = ['auto', 'cpu', 'wasm'];

/** Our progress in the form of transformers.js: with the beginning and the end of each file. */
function statuses(report: (progress: PipelineProgress) => void, name: string, task: string) {
  let last: LoadProgress | null = null;
  return (progress: LoadProgress) => {
    const say = (status: PipelineProgress['status'], of: LoadProgress) =>
      report({ ...of, status, name, progress: of.total ? (100 * of.loaded) / of.total : 0 });
    const { phase, file } = progress;
    if (last && (phase === 'ready' || file !== last.file)) say('done', last);
    if (phase === 'ready')
      return report({ ...progress, status: 'ready', name, progress: 100, task, model: name });
    if (file !== last?.file) for (const status of ['initiate', 'download'] as const) say(status, progress);
    if (progress.loaded > 0) say('progress', progress);
    last = progress;
  };
}

function loadOptions(options: PipelineOptions, source: CheckpointSource, task: string): LoadModelOptions {
  const {
    revision,
    progress_callback: report,
    device = 'auto',
    dtype: asked,
    ...given
  } = toObject(options, 'options') as PipelineOptions;
  if (!devices.includes(device))
    fail('unsupported', `device '${device}' is not supported: everything is computed on the processor`);
  // What is not known is refused where the model is loaded.
  const dtype = (
    asked !== undefined && asked in aliasedDtypes ? aliasedDtypes[asked] : asked
  ) as LoadModelOptions['dtype'];
  const id = typeof source === 'string' ? source : '';
  return {
    ...given,
    ...(dtype !== undefined && { dtype }),
    ...(report && { onProgress: statuses(report, id, task) }),
    ...(revision !== undefined && { hub: { ...given.hub, revision } }),
  };
}
