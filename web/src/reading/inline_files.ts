/** In place of files.ts where the page is a single file: the models are inside, compressed. */

import packed from 'virtual:packed-models';
import type { CheckpointSource } from 'transformer-wasm';

/** @param path as in `models/digits/config.json` */
async function unpack(path: string): Promise<Response> {
  const url = packed[path];
  if (url === undefined) throw new Error(`this page was made without ${path}`);
  const { body } = await fetch(url);
  if (!body) throw new Error(`${path} is empty`);
  return new Response(body.pipeThrough(new DecompressionStream('gzip')));
}

async function model(name: string): Promise<CheckpointSource> {
  const folder = `models/${name}/`;
  const paths = Object.keys(packed).filter((path) => path.startsWith(folder));
  const blobs = paths.map(
    async (path) => [path.slice(folder.length), await (await unpack(path)).blob()] as const,
  );
  return new Map(await Promise.all(blobs));
}

export const translationModel = (name = 'en-fr'): Promise<CheckpointSource> => model(name);

export const smallModel = model;

export const readJson = async <T>(path: string): Promise<T> => (await unpack(path)).json() as Promise<T>;

export const readBytes = async (path: string): Promise<ArrayBuffer> => (await unpack(path)).arrayBuffer();
