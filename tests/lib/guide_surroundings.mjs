// What the blocks of a guide find around them when they run: the variables that its text speaks of, and a hub with tiny models.

import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { wav16 } from './sound.mjs';
import { readSpeechCase } from './speech.mjs';
import { studentFiles } from './students.mjs';
import { folderWithIds, folderWithWords } from './tiny_folder.mjs';

const block = process.env.BLOCK;
const { resolve } = createRequire(join(process.cwd(), 'package.json'));
const all = await import(pathToFileURL(resolve('transformer-wasm')).href);

const onDisk = (folder) =>
  new Map(
    readdirSync(folder)
      .filter((name) => name.includes('.'))
      .map((name) => [name, readFileSync(join(folder, name))]),
  );
const enFr = onDisk('models/en-fr');
const spoken = () => readSpeechCase('whisper_e2e').files();

/** The files that answer for a model of a hub. */
const models = {
  'Helsinki-NLP/opus-mt-en-de': () => enFr,
  'opus-mt-en-de': () => enFr,
  'sentence-transformers/all-MiniLM-L6-v2': () => folderWithWords('bert'),
  'models/vit-base-patch16-224': () => onDisk('models/digits'),
  'models/trocr-small-printed': () => folderWithWords('ved_trocr', {}, trocr()),
  'models/whisper-tiny': spoken,
  'UsefulSensors/moonshine-tiny': () => folderWithIds('moonshine', 60),
  'openai/clip-vit-base-patch32': () => folderWithIds('clip_gelu', 70),
  'google/siglip-base-patch16-224': () => folderWithIds('siglip', 64),
  'facebook/dinov2-with-registers-small': () => folderWithIds('dinov2_with_registers', 1),
  'owner/name': () =>
    block.startsWith('tasks') ? folderWithWords('bert_qa') : folderWithWords('bert_seqcls'),
};

function trocr() {
  const folder = new URL('../fixtures/reference/ved_trocr/', import.meta.url);
  return {
    'preprocessor_config.json': new Uint8Array(readFileSync(new URL('preprocessor_config.json', folder))),
  };
}

const template = { 'chat_template.jinja': new TextEncoder().encode('{{ messages[0].content }}') };

/** The model that a block speaks of. */
const given = {
  'tasks-2': () => folderWithWords('bert'),
  'tasks-3': () => folderWithWords('bert_seqcls'),
  'tasks-4': () => folderWithWords('bert_seqcls'),
  'tasks-5': () => folderWithWords('llama', {}, template),
  'speech-2': spoken,
};

/** A page's reader, who agrees. */
globalThis.confirm = () => true;

globalThis.fetch = async (address) => {
  const path = new URL(address).pathname.split('/').filter(Boolean);
  const [owner, name] = path;
  const files = models[`${owner}/${name}`] ?? models[owner];
  const bytes =
    files?.().get(path.slice(path.indexOf('resolve') + 2 || 1).join('/')) ?? files?.().get(path.at(-1));
  return bytes ? new Response(bytes) : new Response(null, { status: 404 });
};
delete process.env.HF_ENDPOINT;
delete process.env.HF_TOKEN;

/** Writes the files of a model of Firefox into a folder, and returns its entry in a registry. */
function placeStudent(folder, pair) {
  mkdirSync(folder, { recursive: true });
  const files = studentFiles(pair);
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  return Object.fromEntries([...files.keys()].map((name) => [name.split('.')[0], { name }]));
}

writeFileSync('talk.wav', wav16(new Float32Array(16_000)));
cpSync(new URL('../fixtures/gguf/qwen3/q4_0.gguf', import.meta.url), 'models/qwen3-0.6b-q4_0.gguf');
placeStudent('models/deen', 'yyzz');
writeFileSync('models/registry.json', JSON.stringify({ enfr: placeStudent('models/enfr', 'xxcc') }));
const engine = await all.createEngine({ threads: 1 });
const picture = { data: new Uint8ClampedArray(28 * 28 * 4), width: 28, height: 28 };
Object.assign(globalThis, all, {
  engine,
  model: await all.loadModel((given[block] ?? (() => enFr))(), { engine }),
  messages: [{ role: 'user', content: 'the cat' }],
  image: { data: new Float32Array(3 * 64), shape: [1, 3, 8, 8] },
  pixelValues: { data: new Float32Array(784), shape: [1, 1, 28, 28] },
  canvas: picture,
  folder: 'models/en-fr',
  token: 'hf_secret',
  signal: new AbortController().signal,
  onProgress() {},
});
