/** Where the files of the page's models are: beside the page. In the page that is a single file, inline_files.ts is in place of this. */

import type { CheckpointSource } from 'transformer-wasm';

/** All files of the models, so that the page asks for nothing that is not there. */
const files = {
  adder: ['config.json', 'model.safetensors'],
  digits: ['config.json', 'preprocessor_config.json', 'model.safetensors'],
} as const;

/** A translation model, for `loadModel`; default: the transformer. */
export const translationModel = async (name = 'en-fr'): Promise<CheckpointSource> =>
  new URL(`models/${name}/`, document.baseURI).href;

/** A small model, for `loadModel`. */
export async function smallModel(name: keyof typeof files): Promise<CheckpointSource> {
  const blobs = files[name].map(
    async (file) => [file, await (await request(`models/${name}/${file}`)).blob()] as const,
  );
  return new Map(await Promise.all(blobs));
}

/** A file of a model that is loaded already, from the browser's cache where it is there. @param path as in `models/en-fr/model.safetensors` */
export const readBytes = async (path: string): Promise<ArrayBuffer> =>
  (await request(path, { cache: 'force-cache' })).arrayBuffer();

/** A file that is not part of a checkpoint. */
export const readJson = async <T>(path: string): Promise<T> => (await request(path)).json() as Promise<T>;

async function request(path: string, options: RequestInit = {}): Promise<Response> {
  const response = await fetch(new URL(path, document.baseURI), options);
  if (!response.ok) throw new Error(`${path} could not be loaded: the server answered ${response.status}.`);
  return response;
}
