// npm run bench:models [-- NAME...]
// Measures well-known checkpoints, by shapes with random weights, in Chromium: loading, memory, tokens a second. Adds what it
// measures to the newest record of this machine in records/models, from which `npm run numbers` makes the table of the guide
// "Which model can I use". With --peers: families with Llama's layers beside Llama at one shape. With --chat: Qwen3-0.6B's
// shape as a GGUF file here and in wllama, and as ONNX in onnxruntime-web; both are packages of this folder. With --turns: the
// next turn of a conversation, of a small model in the same three.

import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExpectedError, runMain, say } from '../lib/console.mjs';
import { commitOf, installRivals } from './checkout.mjs';
import { knownModels, qwen3Size } from './known_models.mjs';
import { qwen3Onnx } from './onnx/qwen3.mjs';
import { chromiumVersion, measureInPage } from './places.mjs';
import { llamaLike } from './shapes/decoders.mjs';
import { writeGguf } from './shapes/gguf.mjs';
import { parametersOf, writeModel } from './shapes/parts.mjs';
import { threeDigits } from './timing.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const records = join(root, 'scripts/bench/records/models');
const scratch = 'build/known';
const dtypes = ['f32', 'int8', 'int4'];

const peers = {
  llama: {},
  qwen3: {},
  gemma3_text: { hidden_activation: 'gelu_pytorch_tanh', sliding_window: 512, query_pre_attn_scalar: 64 },
  olmo2: {},
  phi3: {},
  smollm3: {},
};
const peerSize = { d: 768, ffn: 2048, layers: 12, heads: 12, keys: 4, dHead: 64, vocab: 32000 };

async function measureModel({ id, input, shape }) {
  const { config, tensors } = shape();
  await writeModel(join(root, scratch), { config, tensors }, 'BF16');
  const row = { id, family: config.model_type, parameters: parametersOf(tensors) };
  for (const dtype of dtypes) {
    const found = await measureInPage('known_page.mjs', 'measureKnown', (origin) => ({
      url: `${origin}/${scratch}/`,
      dtype,
      input,
    }));
    const { bytes, memory, load, read, write } = found;
    const rates = { load, read, write };
    const kept = Object.entries(rates).map(([name, value]) => [name, threeDigits(value)]);
    row[dtype] = { bytes, memory, ...Object.fromEntries(kept) };
    say(`${id} ${dtype}: ${JSON.stringify(row[dtype])}`);
  }
  return row;
}

/** The files of a folder for each family, beside each other. */
async function measureFamilies(dtype) {
  for (const [family, fields] of Object.entries(peers))
    await writeModel(join(root, scratch, family), llamaLike(family, peerSize, fields), 'BF16');
  const ratios = await measureInPage('known_page.mjs', 'measurePeers', (origin) => ({
    urls: Object.keys(peers).map((family) => `${origin}/${scratch}/${family}/`),
    dtype,
  }));
  return Object.keys(peers).map((family, i) => {
    const row = { family, dtype, read: threeDigits(ratios[i].read), write: threeDigits(ratios[i].write) };
    say(JSON.stringify(row));
    return row;
  });
}

/** The file of a chat model in one of the engines, in a page of its own. */
const measureSide = (side, size, { task = 'measureChat', ...given } = {}) =>
  measureInPage('chat_page.mjs', task, (origin) => ({
    ...{ side, url: `${origin}/${scratch}/chat.gguf`, size },
    ...given,
  }));

const onnx = (dtype) => (path, size) => writeFile(path, qwen3Onnx(size, dtype, size.positions ?? 128));
const gguf = (type) => (path, size) => writeGguf(path, size, type);

/** By their names in the table: how each is made, and the engines that read it. */
const chatFiles = {
  Q8_0: { write: gguf('Q8_0'), sides: ['ours', 'wllama'] },
  Q4_0: { write: gguf('Q4_0'), sides: ['ours', 'wllama'] },
  'ONNX, 8 bits': { write: onnx('int8'), sides: ['onnxruntime'] },
  'ONNX, 4 bits': { write: onnx('int4'), sides: ['onnxruntime'] },
};

async function measureChat() {
  await installRivals();
  await mkdir(join(root, scratch), { recursive: true });
  const rows = [];
  for (const [file, { write, sides }] of Object.entries(chatFiles)) {
    await write(join(root, scratch, 'chat.gguf'), qwen3Size);
    for (const side of sides) {
      const found = await measureSide(side, qwen3Size);
      const [load, read, writes] = [found.load, found.read, found.write].map(threeDigits);
      rows.push({ side, file, memory: found.memory, load, read, write: writes });
      say(JSON.stringify(rows.at(-1)));
    }
  }
  return rows;
}

/** The next turn after so many tokens; numbers to read, which are not recorded. */
async function measureTurns(tokens) {
  const size = { d: 384, ffn: 1536, layers: 8, vocab: 8192, heads: 6, keys: 2, dHead: 64, positions: 1280 };
  await installRivals();
  await mkdir(join(root, scratch), { recursive: true });
  for (const [file, { write, sides }] of Object.entries(chatFiles)) {
    if (!/8/.test(file)) continue;
    await write(join(root, scratch, 'chat.gguf'), size);
    for (const side of sides) {
      const { whole, next } = await measureSide(side, size, { task: 'measureTurns', tokens });
      const times = `${whole.toFixed(0)} ms for ${tokens} tokens, ${next.toFixed(0)} ms for the next turn`;
      say(`${side}, ${file}: ${times} (${(next / whole).toFixed(3)})`);
    }
  }
}

/** A line for each row, so that records can be compared line by line. */
function textOf({ rows, peers: families, chat, ...head }) {
  const lines = (list) => list.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "rows": [\n${lines(rows)}\n  ],\n  "peers": [\n${lines(families)}\n  ],\n  "chat": [\n${lines(chat)}\n  ]\n}\n`;
}

/** Puts rows in the place of those with the same key. */
const merged = (old, rows, keyOf) => {
  const keys = new Set(rows.map(keyOf));
  return [...old.filter((row) => !keys.has(keyOf(row))), ...rows];
};

async function main() {
  const asked = process.argv.slice(2);
  const chosen = knownModels.filter(({ id }) => asked.length === 0 || asked.some((one) => id.includes(one)));
  const [isPeers, isChat] = ['--peers', '--chat'].map((option) => asked.includes(option));
  if (chosen.length === 0 && !isPeers && !isChat && !asked.includes('--turns'))
    throw new ExpectedError(`Models: ${knownModels.map(({ id }) => id).join(', ')}`);
  if (asked.includes('--turns')) {
    await measureTurns(1000);
    await rm(join(root, scratch), { recursive: true, force: true });
    return;
  }
  await mkdir(records, { recursive: true });
  const date = new Date().toISOString().slice(0, 10);
  const path = join(records, `${date}.json`);
  const old = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { rows: [], peers: [], chat: [] };
  const [place] = (await chromiumVersion()).split('.');
  const head = {
    note: old.note,
    date,
    commit: commitOf(),
    machine: `${cpus()[0].model}, ${cpus().length} cores`,
    place: `Chromium ${place}`,
  };
  try {
    const families = isPeers ? [...(await measureFamilies('f32')), ...(await measureFamilies('int8'))] : [];
    const chat = isChat ? await measureChat() : [];
    const rows = [];
    for (const model of chosen) rows.push(await measureModel(model));
    const record = {
      ...head,
      rows: merged(old.rows, rows, ({ id }) => id),
      chat: merged(old.chat ?? [], chat, ({ side, file }) => `${side} ${file}`),
      peers: merged(old.peers, families, ({ family, dtype }) => `${family} ${dtype}`),
    };
    await writeFile(path, textOf(record));
  } finally {
    await rm(join(root, scratch), { recursive: true, force: true });
  }
}

await runMain(main);
