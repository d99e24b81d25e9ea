/**
 * Finds the files of a translation model of Firefox, which have names of their own: `model.<pair>.*.bin`,
 * `lex.*.s2t.bin` and `vocab.<pair>.spm`, or `srcvocab.<pair>.spm` and `trgvocab.<pair>.spm`. A registry, `config.yml`,
 * `metadata.json` or a list of the folder's files has them.
 */

import { Fields } from '../files/fields.js';
import type { Folder } from '../files/folder.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { readJson, readText } from '../files/read_json.js';
import { parseSimpleYaml } from '../files/simple_yaml.js';
import { fail } from '../values/errors.js';

/** A language pair, by the codes that the models' publisher uses. */
export type LanguagePair = readonly [source: string, target: string];

export interface StudentFiles {
  readonly model: string;
  /** Of the source and of the target; the same name where they share one. */
  readonly vocabs: readonly [string, string];
  /** `null`: every token of the vocabulary is a candidate. */
  readonly shortlist: string | null;
  /** Options of the publisher for translating. */
  readonly options: JsonObject;
  /** SHA-256 in hexadecimal digits by name, where a registry tells it. */
  readonly hashes?: ReadonlyMap<string, string>;
}

const configNames = ['config.yml', 'config.intgemm8bitalpha.yml'];
const registryName = 'registry.json';

/** Names of one pair's files; `null` if the folder has no such model. */
export async function findStudent(
  folder: Folder,
  pair: LanguagePair | undefined,
  signal?: AbortSignal,
): Promise<StudentFiles | null> {
  if (pair) return inRegistry(folder, pair, signal);
  const names = ((await folder.names?.()) ?? []).map((name) => name.replace(/\.gz$/, ''));
  const found = (await inConfig(folder, signal)) ?? chosenFrom(names) ?? (await byMetadata(folder, signal));
  if (found) return found;
  const registry = await readJson(folder, registryName, signal);
  if (registry)
    fail(
      'invalid_argument',
      `${registryName} lists the pairs ${pairsIn(registry)}: choose one with the option pair`,
    );
  return null;
}

/** The files that a folder's registry has for a pair, in a folder of the pair's name. */
async function inRegistry(folder: Folder, pair: LanguagePair, signal?: AbortSignal): Promise<StudentFiles> {
  const registry = await readJson(folder, registryName, signal);
  if (!registry) fail('missing_file', `the option pair needs a ${registryName} in ${folder.name}`);
  const key = [pair.join(''), pair.join('-')].find((name) => Object.hasOwn(registry, name));
  const entry = key === undefined ? undefined : registry[key];
  if (!isJsonObject(entry))
    fail(
      'missing_file',
      `${registryName} has no model for ${pair.join(' to ')}; it lists ${pairsIn(registry)}`,
    );
  const hashes = new Map<string, string>();
  const nameOf = (kind: string): string | null => {
    const file = entry[kind] ?? null;
    if (file === null) return null;
    if (!isJsonObject(file)) fail('bad_checkpoint', `${registryName}: ${kind} of ${key} must be an object`);
    const name = `${key}/${new Fields(file, `${registryName}: ${kind} of ${key}`).text('name')}`;
    const { expectedSha256Hash: hash } = file;
    if (hash === undefined) return name;
    if (typeof hash !== 'string' || !/^[\da-f]{64}$/i.test(hash))
      fail('bad_checkpoint', `${registryName}: expectedSha256Hash of ${name} must be 64 hexadecimal digits`);
    hashes.set(name, hash.toLowerCase());
    return name;
  };
  const shared = nameOf('vocab');
  const [source, target] = [shared ?? nameOf('srcvocab'), shared ?? nameOf('trgvocab')];
  const model = nameOf('model');
  if (model === null || source === null || target === null)
    fail('bad_checkpoint', `${registryName}: ${key} needs a model, and a vocab or a srcvocab and a trgvocab`);
  return { model, vocabs: [source, target], shortlist: nameOf('lex'), options: {}, hashes };
}

const pairsIn = (registry: JsonObject) => {
  const pairs = Object.keys(registry);
  return pairs.length > 0 ? pairs.slice(0, 50).join(', ') : 'no pairs';
};

/** As in bergamot's archives. */
async function inConfig(folder: Folder, signal?: AbortSignal): Promise<StudentFiles | null> {
  for (const name of configNames) {
    const text = await readText(folder, name, signal);
    if (text === null) continue;
    const options = parseSimpleYaml(text, name);
    const listOf = (field: string): string[] => {
      const list = options[field] ?? [];
      return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
    };
    const [model] = listOf('models');
    const [source, target = source] = listOf('vocabs');
    if (model === undefined || source === undefined || target === undefined)
      fail('bad_checkpoint', `${name} must name models and vocabs`);
    return { model, vocabs: [source, target], shortlist: listOf('shortlist')[0] ?? null, options };
  }
  return null;
}

/** The models of a pair, the most exact integers first. */
const modelKinds = [/^model\..*\.intgemm\.alphas\.bin$/, /^model\..*\.intgemm8\.bin$/, /^model\..*\.bin$/];

function chosenFrom(names: readonly string[]): StudentFiles | null {
  const find = (pattern: RegExp) => names.find((name) => pattern.test(name));
  const model = modelKinds.map(find).find((name) => name !== undefined);
  const source = find(/^(src)?vocab\..*spm$/);
  const target = find(/^trgvocab\..*spm$/) ?? source;
  if (model === undefined) return null;
  if (source === undefined || target === undefined)
    fail(
      'missing_file',
      `there is a ${model}, but no vocab.*.spm, or srcvocab.*.spm and trgvocab.*.spm, beside it`,
    );
  return { model, vocabs: [source, target], shortlist: find(/^lex\..*\.s2t\.bin$/) ?? null, options: {} };
}

/** On a server, whose files cannot be listed. */
async function byMetadata(folder: Folder, signal?: AbortSignal): Promise<StudentFiles | null> {
  const metadata = await readJson(folder, 'metadata.json', signal);
  if (!metadata?.sourceLanguage || !metadata.targetLanguage) return null;
  const fields = new Fields(metadata, 'metadata.json');
  const pair = fields.text('sourceLanguage') + fields.text('targetLanguage');
  const exists = async (name: string) => {
    const file = await folder.open(name, signal);
    if ('missing' in file) return false;
    await file.close();
    return true;
  };
  const lists = `lex.50.50.${pair}.s2t.bin`;
  const shared = `vocab.${pair}.spm`;
  const isShared = await exists(shared);
  return {
    model: `model.${pair}.intgemm.alphas.bin`,
    vocabs: isShared ? [shared, shared] : [`srcvocab.${pair}.spm`, `trgvocab.${pair}.spm`],
    shortlist: (await exists(lists)) ? lists : null,
    options: {},
  };
}
