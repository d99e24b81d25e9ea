// The numbers that arrive in the engine from GGUF files and from weights of 4 bits: the same bits, whoever widens them.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createEngine } from '../../build/modules/layers/engine.js';
import { readFamilyCase } from '../lib/families.mjs';
import { layouts, pack } from '../lib/packed.mjs';
import { withQuantizationConfig } from '../lib/quantized.mjs';
import { readSafetensors, writeSafetensors } from '../lib/safetensors.mjs';
import { hashOf } from '../lib/stored_numbers.mjs';
import { tinyModel } from '../lib/tiny_model.mjs';

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

const root = new URL('../fixtures/gguf/', import.meta.url);
const ggufFiles = readdirSync(root, { recursive: true })
  .filter((name) => name.endsWith('.gguf'))
  .sort();

// As of the last version that widened them in JavaScript.
const ofGguf = {
  'llama/f16.gguf': 'e0d8e230f17da90f',
  'llama/q4_0.gguf': 'b890cc395a6ad54a',
  'llama/q4_1.gguf': 'b41aa8fc6a86cae0',
  'llama/q5_0.gguf': 'd87e1e57e4e039b1',
  'llama/q5_1.gguf': 'e0de45bf1163e259',
  'llama/q8_0.gguf': '56e9f4491d2bb8f6',
  'llama_k/kmix.gguf': '0c0a16185e9c725f',
  'qwen3/q4_0.gguf': 'ee14c4efe7d03266',
  'qwen3/q8_0.gguf': '79ccffa47cdd9e23',
};
const ofLayouts = {
  GPTQ: 'cc40824e56482d43',
  'GPTQ without groups': '921415861066b694',
  'GPTQ in the order of activations': 'bef9200f98425806',
  'GPTQ, version 2': 'cc40824e56482d43',
  AWQ: 'cc40824e56482d43',
  'compressed-tensors': '0ef2769f7a91222e',
  'compressed-tensors by channel': 'edab719c6ddd3ff6',
  'compressed-tensors with zero points': 'ad082e7e677cd1eb',
  'compressed-tensors in the order of activations': 'fcf8e6dd80778278',
};
const ofGpt2 = {
  GPTQ: '86f3c34fdcba0bde',
  'GPTQ without groups': '237ca258020069ea',
  'GPTQ in the order of activations': '50b38838f6017f64',
  'GPTQ, version 2': '86f3c34fdcba0bde',
  AWQ: '86f3c34fdcba0bde',
};

function packedGpt2([, layout, config, options]) {
  const given = readFamilyCase('gpt2');
  const { tensors } = pack(layout, options, {
    original: readSafetensors(given.files().get('model.safetensors')),
    matrices: /\.h\.\d+\.(attn|mlp)\.c_\w+\.weight$/,
    isInputsFirst: true,
  });
  const files = new Map(given.files()).set('model.safetensors', writeSafetensors(tensors));
  return withQuantizationConfig(files, config);
}

describe('of GGUF files', () => {
  for (const name of ggufFiles)
    test(name, async () =>
      assert.equal(await hashOf(engine, fileURLToPath(new URL(name, root))), ofGguf[name]),
    );
});

describe('of weights of 4 bits', () => {
  for (const [name, layout, config, options] of layouts)
    test(name, async () => {
      const { tensors } = pack(layout, options);
      const files = withQuantizationConfig(tinyModel({ tensors }), config);
      assert.equal(await hashOf(engine, files), ofLayouts[name]);
    });

  for (const given of layouts.slice(0, 5))
    test(`${given[0]} of GPT-2`, async () =>
      assert.equal(await hashOf(engine, packedGpt2(given)), ofGpt2[given[0]]));
});
