// npm run bench:load [-- opus-mt t5-small bart-base gpt2]
// How long models of realistic sizes take to load, and how much memory they need: creates folders with random weights in the
// layout of the hub and loads each in a process of its own. "reading" only reads the same file; the last two columns are those of a
// page in Chromium, which fetches the file from this machine and loads the model from the same address.

import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExpectedError, run, runMain, say } from '../lib/console.mjs';
import { serve, withChromium } from './places.mjs';
import { median } from './timing.mjs';
import { randomNumbers } from './weights.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const norm = (name, d) => ({ [`${name}.weight`]: [d], [`${name}.bias`]: [d] });
const linear = (name, out, into) => ({ [`${name}.weight`]: [out, into], [`${name}.bias`]: [out] });

/** Tensors of a BART-like model: name -> shape. */
function bartLike({ d_model: d, ffn, layers, vocab, learnedPositions }) {
  const attention = (name) =>
    Object.assign({}, ...['q', 'k', 'v', 'out'].map((part) => linear(`${name}.${part}_proj`, d, d)));
  const layer = (name, attentions) =>
    Object.assign(
      {},
      ...attentions.flatMap((part) => [attention(`${name}.${part}`), norm(`${name}.${part}_layer_norm`, d)]),
      linear(`${name}.fc1`, ffn, d),
      linear(`${name}.fc2`, d, ffn),
      norm(`${name}.final_layer_norm`, d),
    );
  const tensors = { 'model.shared.weight': [vocab, d], final_logits_bias: [1, vocab] };
  for (const [stack, attentions] of [
    ['encoder', ['self_attn']],
    ['decoder', ['self_attn', 'encoder_attn']],
  ]) {
    if (learnedPositions) {
      tensors[`model.${stack}.embed_positions.weight`] = [1026, d];
      Object.assign(tensors, norm(`model.${stack}.layernorm_embedding`, d));
    }
    for (let i = 0; i < layers; i++) Object.assign(tensors, layer(`model.${stack}.layers.${i}`, attentions));
  }
  return tensors;
}

function t5({ d_model: d, d_ff: ffn, layers, vocab }) {
  const tensors = { 'shared.weight': [vocab, d] };
  for (const [stack, attentions] of [
    ['encoder', ['SelfAttention']],
    ['decoder', ['SelfAttention', 'EncDecAttention']],
  ]) {
    for (let i = 0; i < layers; i++) {
      const block = `${stack}.block.${i}.layer`;
      for (const [at, attention] of attentions.entries()) {
        for (const part of 'qkvo') tensors[`${block}.${at}.${attention}.${part}.weight`] = [d, d];
        tensors[`${block}.${at}.layer_norm.weight`] = [d];
      }
      tensors[`${block}.${attentions.length}.DenseReluDense.wi.weight`] = [ffn, d];
      tensors[`${block}.${attentions.length}.DenseReluDense.wo.weight`] = [d, ffn];
      tensors[`${block}.${attentions.length}.layer_norm.weight`] = [d];
    }
    tensors[`${stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight`] = [32, 8];
    tensors[`${stack}.final_layer_norm.weight`] = [d];
  }
  return tensors;
}

/** GPT-2 stores its matrices transposed, and the projections of queries, keys and values as one. */
function gpt2({ n_embd: d, n_layer: layers, vocab_size: vocab, n_positions: positions }) {
  const conv = (name, into, out) => ({ [`${name}.weight`]: [into, out], [`${name}.bias`]: [out] });
  const layer = (name) => ({
    ...norm(`${name}.ln_1`, d),
    ...conv(`${name}.attn.c_attn`, d, 3 * d),
    ...conv(`${name}.attn.c_proj`, d, d),
    ...norm(`${name}.ln_2`, d),
    ...conv(`${name}.mlp.c_fc`, d, 4 * d),
    ...conv(`${name}.mlp.c_proj`, 4 * d, d),
  });
  const tensors = { 'wte.weight': [vocab, d], 'wpe.weight': [positions, d] };
  for (let i = 0; i < layers; i++) Object.assign(tensors, layer(`h.${i}`));
  return { ...tensors, ...norm('ln_f', d) };
}

const gpt2Fields = { n_embd: 768, n_layer: 12, n_head: 12, n_positions: 1024, vocab_size: 50257 };

const bartFields = (heads, ffn, layers) => ({
  encoder_attention_heads: heads,
  decoder_attention_heads: heads,
  encoder_ffn_dim: ffn,
  decoder_ffn_dim: ffn,
  encoder_layers: layers,
  decoder_layers: layers,
});

const models = {
  'opus-mt': {
    config: {
      model_type: 'marian',
      architectures: ['MarianMTModel'],
      d_model: 512,
      ...bartFields(8, 2048, 6),
      activation_function: 'swish',
      scale_embedding: true,
      vocab_size: 58101,
      pad_token_id: 58100,
      eos_token_id: 0,
      decoder_start_token_id: 58100,
      max_position_embeddings: 512,
    },
    tensors: bartLike({ d_model: 512, ffn: 2048, layers: 6, vocab: 58101, learnedPositions: false }),
  },
  't5-small': {
    config: {
      model_type: 't5',
      architectures: ['T5ForConditionalGeneration'],
      d_model: 512,
      d_kv: 64,
      d_ff: 2048,
      num_layers: 6,
      num_heads: 8,
      vocab_size: 32128,
      pad_token_id: 0,
      eos_token_id: 1,
      decoder_start_token_id: 0,
    },
    tensors: t5({ d_model: 512, d_ff: 2048, layers: 6, vocab: 32128 }),
  },
  'bart-base': {
    config: {
      model_type: 'bart',
      architectures: ['BartForConditionalGeneration'],
      d_model: 768,
      ...bartFields(12, 3072, 6),
      activation_function: 'gelu',
      vocab_size: 50265,
      pad_token_id: 1,
      bos_token_id: 0,
      eos_token_id: 2,
      decoder_start_token_id: 2,
      max_position_embeddings: 1024,
    },
    tensors: bartLike({ d_model: 768, ffn: 3072, layers: 6, vocab: 50265, learnedPositions: true }),
  },
  gpt2: {
    config: { model_type: 'gpt2', architectures: ['GPT2LMHeadModel'], ...gpt2Fields, eos_token_id: 50256 },
    tensors: gpt2(gpt2Fields),
  },
};

async function writeModel(folder, { config, tensors }) {
  const header = {};
  let end = 0;
  for (const [name, shape] of Object.entries(tensors)) {
    const begin = end;
    end += 4 * shape.reduce((a, b) => a * b, 1);
    header[name] = { dtype: 'F32', shape, data_offsets: [begin, end] };
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const file = await open(join(folder, 'model.safetensors'), 'w');
  await file.write(length);
  await file.write(text);
  const numbers = new Uint8Array(randomNumbers(1 << 20, 0.05, 1).buffer);
  for (let left = end; left > 0; left -= numbers.length) await file.write(numbers.subarray(0, left));
  await file.close();
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
  return end;
}

/** The child process: reads the file, then loads the model, and prints both times as JSON. */
async function measureLoad(folder, dtype) {
  let begin = performance.now();
  for await (const _ of createReadStream(join(folder, 'model.safetensors'), { highWaterMark: 4 << 20 }));
  const readMilliseconds = performance.now() - begin;
  const { loadModel } = await import('../../dist/index.js');
  begin = performance.now();
  const model = await loadModel(folder, { dtype });
  const loadMilliseconds = performance.now() - begin;
  const { heapBytes, memoryBytes } = model.engine.info;
  begin = performance.now();
  await model.generate([5, 6, 7, 8], { maxNewTokens: 1, minNewTokens: 1 });
  const firstTokenMilliseconds = performance.now() - begin;
  console.log(
    JSON.stringify({ readMilliseconds, loadMilliseconds, firstTokenMilliseconds, heapBytes, memoryBytes }),
  );
  await model.dispose();
}

/** Milliseconds, medians of three fresh pages: to fetch the weights and do nothing with them, and to load the model. */
async function measureInPage(folder, dtype) {
  const server = await serve();
  try {
    const origin = `http://127.0.0.1:${server.address().port}`;
    const url = `${origin}/${relative(root, folder)}`;
    const visits = [];
    for (let visit = 0; visit < 3; visit++)
      visits.push(
        await withChromium(async (browser) => {
          const page = await browser.newPage();
          await page.goto(`${origin}/scripts/bench/load.html`);
          await page.waitForFunction('window.ready');
          return page.evaluate((given) => window.load(given), { url, dtype });
        }),
      );
    return [0, 1].map((column) => median(visits.map((times) => times[column])));
  } finally {
    server.close();
  }
}

async function printLoad(name, dtype, bytes, folder) {
  const args = [fileURLToPath(import.meta.url), '--measure', folder, dtype];
  const result = JSON.parse(await run(process.execPath, args));
  const megabytes = (count) => `${(count / 1e6).toFixed(0)} MB`.padEnd(10);
  const milliseconds = (time) => `${time.toFixed(0)} ms`.padEnd(10);
  say(
    `${name.padEnd(11)}  ${dtype.padEnd(7)}${megabytes(bytes)}${milliseconds(result.readMilliseconds)}` +
      `${milliseconds(result.loadMilliseconds)}${milliseconds(result.firstTokenMilliseconds)}    ` +
      `${megabytes(result.heapBytes)}${megabytes(result.memoryBytes)}    ${(result.memoryBytes / bytes).toFixed(2).padEnd(14)}` +
      (await measureInPage(folder, dtype)).map(milliseconds).join(''),
  );
}

async function main() {
  const [first, folder, dtype] = process.argv.slice(2);
  if (first === '--measure') return measureLoad(folder, dtype);
  await mkdir(join(root, 'build'), { recursive: true });
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(models);
  say(
    'model        dtype  file      reading   loading   first token   heap      peak memory   peak / file   fetching  loading by URL',
  );
  for (const name of names) {
    if (!Object.hasOwn(models, name))
      throw new ExpectedError(`Unknown: ${name}. Models: ${Object.keys(models).join(', ')}`);
    const made = await mkdtemp(join(root, 'build/load-'));
    try {
      const bytes = await writeModel(made, models[name]);
      for (const type of ['f32', 'int8']) await printLoad(name, type, bytes, made);
    } finally {
      await rm(made, { recursive: true });
    }
  }
}

await runMain(main);
