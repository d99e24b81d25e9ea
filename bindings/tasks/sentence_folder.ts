/** Reads the files of a sentence-transformers folder (Reimers and Gurevych 2019): which steps make an embedding. */

import type { Folder } from '../files/folder.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { readJson, readJsonValue } from '../files/read_json.js';
import { fail } from '../values/errors.js';
import { elements, type TensorData } from '../values/tensor.js';
import { toFloats } from '../weights/floats.js';
import { openWeights } from '../weights/open_weights.js';
import { readTensors } from '../weights/read_tensors.js';
import { type Dense, dense, normalized, type Pooling, poolings } from './pooling.js';

export interface SentenceFolder {
  readonly pooling: readonly Pooling[];
  /** Whether the tokens of a prompt count in pooling. */
  readonly countsPrompt: boolean;
  /** The modules that follow the pooling, in order. */
  readonly steps: readonly ((x: Float32Array) => Float32Array)[];
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
      described = { ...described, steps: [...described.steps, normalized] };
    } else if (kind === 'Dense') {
      const layer = await readDense(folder, place, signal);
      described = { ...described, steps: [...described.steps, (x) => dense(x, layer)] };
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

async function readDense(folder: Folder, path: string, signal?: AbortSignal): Promise<Dense> {
  const inside: Folder = {
    name: `${folder.name}/${path}`,
    open: (name, abort) => folder.open(`${path}/${name}`, abort),
  };
  const config =
    (await readJson(inside, 'config.json', signal)) ??
    fail('missing_file', `there is no ${path}/config.json`);
  const tensors = await readAll(inside);
  const weight =
    tensors.get('linear.weight') ?? fail('bad_checkpoint', `${path} has no tensor 'linear.weight'`);
  const activation = String(config.activation_function ?? '')
    .split('.')
    .at(-1);
  if (activation !== 'Tanh' && activation !== 'Identity')
    fail(
      'unsupported',
      `${path}/config.json has the activation '${config.activation_function}'; known are Tanh and Identity`,
    );
  const { in_features: inputs, out_features: outputs } = config as JsonObject;
  if (weight.shape.join() !== `${outputs},${inputs}`)
    fail(
      'bad_checkpoint',
      `'linear.weight' of ${path} has the shape [${weight.shape}], expected [${outputs},${inputs}]`,
    );
  return { weight, bias: tensors.get('linear.bias') ?? null, isTanh: activation === 'Tanh' };
}

async function readAll(folder: Folder): Promise<Map<string, TensorData>> {
  const files = await openWeights(folder);
  const tensors = new Map<string, TensorData>();
  try {
    for (const file of files.files)
      for await (const { tensor, first, bytes } of readTensors(file, () => true)) {
        const { name, dtype, shape } = tensor;
        const into = tensors.get(name) ?? { data: new Float32Array(elements(shape)), shape: [...shape] };
        into.data.set(toFloats(bytes, dtype), first);
        tensors.set(name, into);
      }
  } finally {
    await files.close();
  }
  return tensors;
}
