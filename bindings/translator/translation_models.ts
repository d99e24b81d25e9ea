/** Where models come from: a registry of language pairs, or a function that knows. */

import type { CheckpointSource } from '../files/folder.js';
import { isInsideFolder } from '../files/inside_folder.js';
import { isJsonObject } from '../files/json_object.js';
import { openFolder } from '../files/open_folder.js';
import { requireJson } from '../files/read_json.js';
import type { LoadModelOptions } from '../model/load_model.js';
import { fail } from '../values/errors.js';

/** A folder with a model, and options of its own for loading it. */
export interface TranslationModel {
  source: CheckpointSource;
  options?: Omit<LoadModelOptions, 'engine' | 'onProgress' | 'signal'>;
}

type MaybeModel = TranslationModel | CheckpointSource | null | undefined;

/**
 * - a folder (URL, path) with a `registry.json`, as Firefox's models have, or one that leads from pairs to folders:
 *   `{ "en-fr": "enfr/" }`;
 * - such an object, with anything that `loadModel` takes;
 * - a function that gives the model from one language to another, by their tags, or nothing.
 */
export type TranslationModels =
  | string
  | URL
  | Readonly<Record<string, MaybeModel>>
  | ((sourceLanguage: string, targetLanguage: string) => MaybeModel | Promise<MaybeModel>);

/** Gives the model from one language to another; always the same object for a pair. */
export type FindModel = (source: string, target: string) => Promise<TranslationModel | null>;

export function finderOf(models: TranslationModels): FindModel {
  const find = typeof models === 'function' ? models : inRegistry(models);
  const known = new Map<string, TranslationModel>();
  return async (source, target) => {
    const key = `${source} ${target}`;
    const found = known.get(key) ?? modelOf(await find(source, target));
    if (found && !known.has(key)) known.set(key, found);
    return known.get(key) ?? null;
  };
}

function modelOf(found: MaybeModel): TranslationModel | null {
  if (found === null || found === undefined) return null;
  return typeof found === 'object' && 'source' in found
    ? (found as TranslationModel)
    : { source: found as CheckpointSource };
}

function inRegistry(models: string | URL | Readonly<Record<string, MaybeModel>>) {
  let reading: Promise<ReadonlyMap<string, MaybeModel>> | undefined;
  return async (source: string, target: string): Promise<MaybeModel> => {
    reading ??= readRegistry(models);
    // One that could not be read may be there next time.
    reading.catch(() => {
      reading = undefined;
    });
    return (await reading).get(`${source}-${target}`);
  };
}

async function readRegistry(
  models: string | URL | Readonly<Record<string, MaybeModel>>,
): Promise<ReadonlyMap<string, MaybeModel>> {
  if (typeof models === 'object' && !(models instanceof URL))
    return new Map(Object.entries(models).map(([key, model]) => [pairOf(key)?.join('-') ?? key, model]));
  const registry = await requireJson(await openFolder(models), 'registry.json');
  return new Map(
    Object.entries(registry).map(([key, entry]): [string, MaybeModel] => {
      const pair = pairOf(key);
      if (!pair) return [key, null];
      return [
        pair.join('-'),
        isJsonObject(entry) ? { source: models, options: { pair } } : inside(models, entry),
      ];
    }),
  );
}

/** `en-fr`, `enfr`, `en-zh-Hans` */
function pairOf(key: string): [string, string] | null {
  const tag = '[a-z]{2,3}(?:-[A-Z]\\w*)*';
  const match = new RegExp(`^(${tag})-(${tag})$`).exec(key) ?? /^([a-z]{2})([a-z]{2})$/.exec(key);
  return match && [match[1] ?? '', match[2] ?? ''];
}

/**
 * A folder in that of the registry, or elsewhere on the network for one from there.
 *
 * @throws TransformerError `bad_checkpoint` for another scheme, and for what leads out of the registry's folder
 */
function inside(base: string | URL, entry: unknown): MaybeModel {
  if (typeof entry !== 'string') return null;
  const own = schemeOf(String(base));
  if (/^[a-z][a-z\d+.-]+:/i.test(entry)) {
    const isOnNetwork = own === 'http:' || own === 'https:';
    if (isOnNetwork && (schemeOf(entry) === own || schemeOf(entry) === 'https:')) return entry;
    fail('bad_checkpoint', `registry.json leads from ${own} to ${JSON.stringify(entry)}`);
  }
  if (!isInsideFolder(entry.replace(/\/$/, '')))
    fail('bad_checkpoint', `registry.json: ${JSON.stringify(entry)} is not a folder beside it`);
  const folder = String(base)
    .replace(/[?#].*$/, '')
    .replace(/\/?$/, '/');
  return base instanceof URL || /^[a-z]{2,}:/i.test(folder) ? new URL(entry, folder) : `${folder}${entry}`;
}

/** Of an address, which may be relative to the page, or a path. */
function schemeOf(address: string): string {
  const here = globalThis.document?.baseURI ?? globalThis.location?.href ?? 'file:///';
  return new URL(address, here).protocol;
}
