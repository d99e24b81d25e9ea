/** How a GGUF file makes an embedding of a text, as the files of sentence-transformers (Reimers and Gurevych 2019). */

import type { JsonObject } from '../../files/json_object.js';
import { fail } from '../../values/errors.js';
import type { OpenGguf } from '../../weights/gguf_file.js';
import { safetensorsOf } from '../../weights/safetensors_written.js';
import type { GgufKeys } from './config.js';

/** By the numbers of `pooling_type`; 0 and 4 are no embedding. */
const modes: Readonly<Record<number, string>> = {
  1: 'pooling_mode_mean_tokens',
  2: 'pooling_mode_cls_token',
  3: 'pooling_mode_lasttoken',
};

/** The matrices of linear layers that may follow the pooling. */
export const denseLayers = ['dense_2.weight', 'dense_3.weight'];

const folderOf = (layer: string) => `${layer.charAt(6)}_Dense`;

type Made = JsonObject | Uint8Array | null;

/** Small files that a GGUF file stands for, by their names; `null` for one that it does not. */
export type Contents = Readonly<Record<string, (gguf: OpenGguf) => Promise<Made>>>;

/** The files, by their names, as functions of the open file; `null` where it says nothing of embeddings. */
export function sentenceFiles(keysOf: (gguf: OpenGguf) => GgufKeys): Contents {
  const modeOf = (gguf: OpenGguf) => modes[keysOf(gguf).fields.count('pooling_type', 0, 0)] ?? null;
  const files: Record<string, (gguf: OpenGguf) => Promise<Made>> = {
    'modules.json': async (gguf) => {
      if (modeOf(gguf) === null) return null;
      const layers = denseLayers.filter((layer) => weightOf(gguf, layer));
      const dense = layers.map((layer) => ['Dense', folderOf(layer)]);
      const modules = [['Transformer', ''], ['Pooling', '1_Pooling'], ...dense, ['Normalize', '4_Normalize']];
      const listed = modules.map(([type, path]) => ({ type: `sentence_transformers.models.${type}`, path }));
      return new TextEncoder().encode(JSON.stringify(listed));
    },
    '1_Pooling/config.json': async (gguf) => {
      const mode = modeOf(gguf);
      return mode === null ? null : { [mode]: true };
    },
  };
  for (const layer of denseLayers) {
    files[`${folderOf(layer)}/config.json`] = async (gguf) => {
      const [outputs, inputs] = weightOf(gguf, layer)?.shape ?? [];
      return outputs === undefined
        ? null
        : { in_features: inputs, out_features: outputs, activation_function: 'torch.nn.Identity' };
    };
    files[`${folderOf(layer)}/model.safetensors`] = (gguf) => matrixFile(gguf, layer);
  }
  return files;
}

const weightOf = ({ header }: OpenGguf, layer: string) => header.tensors.find(({ name }) => name === layer);

async function matrixFile(gguf: OpenGguf, layer: string): Promise<Made> {
  const weight = weightOf(gguf, layer);
  if (!weight) return null;
  if (weight.shape.length !== 2) fail('bad_checkpoint', `${gguf.name}: '${weight.name}' is no matrix`);
  return safetensorsOf([
    { name: 'linear.weight', shape: [...weight.shape], data: await gguf.numbers(weight) },
  ]);
}
