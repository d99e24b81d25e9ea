/** Reads the files of a sentence-transformers folder (Reimers and Gurevych 2019): which steps make an embedding. */

import { type Loaded, transformerOf } from '../checkpoint/loaded.js';
import type { Handle } from '../engine/host.js';
import type { Folder } from '../files/folder.js';
import { isJsonObject } from '../files/json_object.js';
import { readJson, readJsonValue } from '../files/read_json.js';
import type { HeadStep } from '../modules/embind.js';
import { fail } from '../values/errors.js';
import { loadWeights } from '../weights/load_weights.js';
import { openWeights } from '../weights/open_weights.js';
import { type Pooling, poolings } from './pooling.js';

export interface SentenceFolder {
  readonly pooling: readonly Pooling[];
  /** Whether the tokens of a prompt count in pooling. */
  readonly countsPrompt: boolean;
  /**
   * The modules that follow the pooling, in order: the folder of a linear layer, or `null` for a vector of length 1.
   */
  readonly steps: readonly (string | null)[];
  /** The longest text in tokens, special ones included; `null`: as the model allows. */
  readonly maxTokens: number | null;
  readonly lowerCase: boolean;
  /** Texts that are put before others, by name: 'query: '. */
  readonly prompts: Readonly<Record<string, string>>;
  readonly defaultPrompt: string | null;
}

/** Without modules.json, the mean of the tokens, as that library does. */
const plain: SentenceFolder = {
  pooling: ['mean'],
  countsPrompt: true,
  steps: [],
  maxTokens: null,
  lowerCase: false,
  prompts: {},
  defaultPrompt: null,
};

/** @throws TransformerError `bad_checkpoint`; `unsupported` for a step that is not known. */
export async function readSentenceFolder(folder: Folder, signal?: AbortSignal): Promise<SentenceFolder> {
  const modules = await readJsonValue(folder, 'modules.json', signal);
  if (modules === null) return plain;
  if (!Array.isArray(modules) || !modules.every(isJsonObject))
    fail('bad_checkpoint', 'modules.json must contain a list of modules');
  let described: SentenceFolder = { ...plain, ...(await readSettings(folder, signal)) };
  for (const { type, path } of modules) {
    const kind = String(type).split('.').at(-1);
    const place = typeof path === 'string' ? path : '';
    if (kind === 'Transformer') {
      if (place !== '') fail('unsupported', `the transformer is in the folder '${place}': load that folder`);
    } else if (kind === 'Pooling') {
      described = { ...described, ...(await readPooling(folder, place, signal)) };
    } else if (kind === 'Normalize') {
      described = { ...described, steps: [...described.steps, null] };
    } else if (kind === 'Dense') {
      described = { ...described, steps: [...described.steps, place] };
    } else {
      fail('unsupported', `modules.json has a module of the type '${type}', which is not supported`);
    }
  }
  return described;
}

async function readSettings(folder: Folder, signal?: AbortSignal): Promise<Partial<SentenceFolder>> {
  const [limits, config] = await Promise.all(
    ['sentence_bert_config.json', 'config_sentence_transformers.json'].map((name) =>
      readJson(folder, name, signal),
    ),
  );
  const prompts = isJsonObject(config?.prompts) ? config.prompts : {};
  const texts = Object.entries(prompts).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const { default_prompt_name: name } = config ?? {};
  return {
    maxTokens: typeof limits?.max_seq_length === 'number' ? limits.max_seq_length : null,
    lowerCase: limits?.do_lower_case === true,
    prompts: Object.fromEntries(texts),
    defaultPrompt: typeof name === 'string' ? name : null,
  };
}

/** In the order in which several are concatenated. */
const modes: Readonly<Record<string, Pooling>> = {
  pooling_mode_cls_token: 'cls',
  pooling_mode_max_tokens: 'max',
  pooling_mode_mean_tokens: 'mean',
  pooling_mode_mean_sqrt_len_tokens: 'mean_sqrt_len',
  pooling_mode_lasttoken: 'lasttoken',
};

async function readPooling(
  folder: Folder,
  path: string,
  signal?: AbortSignal,
): Promise<Pick<SentenceFolder, 'pooling' | 'countsPrompt'>> {
  const name = `${path}/config.json`;
  const config = (await readJson(folder, name, signal)) ?? fail('missing_file', `there is no ${name}`);
  const unknown = Object.keys(config).find(
    (key) => key.startsWith('pooling_mode_') && config[key] === true && !Object.hasOwn(modes, key),
  );
  if (unknown !== undefined) fail('unsupported', `${name} sets ${unknown}, which is not supported`);
  const pooling = Object.keys(modes).flatMap((key) => (config[key] === true ? [modes[key] as Pooling] : []));
  const named = poolings.find((way) => way === config.pooling_mode);
  const ways =
    pooling.length > 0 ? pooling : named ? [named] : fail('bad_checkpoint', `${name} names no pooling`);
  return { pooling: ways, countsPrompt: config.include_prompt !== false };
}

/**
 * Loads the linear layers that follow the pooling into the model's engine.
 *
 * @param width of what is pooled
 * @throws TransformerError `bad_checkpoint`, `unsupported`
 */
export async function loadSteps(model: Loaded, { steps }: SentenceFolder, width: number): Promise<void> {
  if (steps.every((step) => step === null)) return;
  const { host } = model;
  const weights = await host.create('Weights', 'f32', undefined);
  try {
    const read: Partial<HeadStep>[] = [];
    for (const [i, path] of steps.entries())
      read.push(path === null ? { unit: true } : await readDense(model, path, { name: `${i}`, weights }));
    await host.invoke(transformerOf(model), 'takeSentenceSteps', read, width, weights);
  } finally {
    await host.release(weights);
  }
}

async function readDense(
  { host, folder }: Loaded,
  path: string,
  { name, weights }: { name: string; weights: Handle<'Weights'> },
): Promise<Partial<HeadStep>> {
  const inside: Folder = {
    name: `${folder.name}/${path}`,
    open: (file, abort) => folder.open(`${path}/${file}`, abort),
  };
  const config =
    (await readJson(inside, 'config.json')) ?? fail('missing_file', `there is no ${path}/config.json`);
  const activation = String(config.activation_function ?? '')
    .split('.')
    .at(-1);
  if (activation !== 'Tanh' && activation !== 'Identity')
    fail(
      'unsupported',
      `${path}/config.json has the activation '${config.activation_function}'; known are Tanh and Identity`,
    );
  const { in_features: inputs, out_features: outputs } = config;
  const files = await openWeights(inside);
  try {
    const shapeOf = (tensor: string) => files.tensors.find((stored) => stored.name === tensor)?.shape;
    const shape = shapeOf('linear.weight') ?? fail('bad_checkpoint', `${path} has no tensor 'linear.weight'`);
    if (shape.join() !== `${outputs},${inputs}`)
      fail(
        'bad_checkpoint',
        `'linear.weight' of ${path} has the shape [${shape}], expected [${outputs},${inputs}]`,
      );
    const slices = ['weight', 'bias'].flatMap((part) => {
      const own = shapeOf(`linear.${part}`);
      const from = `linear.${part}`;
      return own ? [{ name: `${name}.${part}`, from, firstRow: 0, rows: null, shape: own }] : [];
    });
    await loadWeights(files, slices, { host, weights, isQuantized: false });
    return {
      name,
      outFeatures: shape[0] ?? 0,
      bias: slices.length > 1,
      activation: activation === 'Tanh' ? 'tanh' : 'none',
    };
  } finally {
    await files.close();
  }
}
