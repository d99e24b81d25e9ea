// GGUF files: logits of PyTorch from the same weights, dequantised; tokens; and models of folders rewritten as such files.

import assert from 'node:assert/strict';
import { openAsBlob, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inspectCheckpoint } from '../../build/modules/checkpoint/inspect_checkpoint.js';
import { createEngine, loadModel } from '../../dist/index.js';
import { assertPass, readFamilyCase } from '../lib/families.mjs';
import { ggufName, paired, writeGguf } from '../lib/gguf.mjs';
import { assertHeap } from '../lib/heap.mjs';
import { assertClose, assertSameBits } from '../lib/reference.mjs';
import { readSafetensors } from '../lib/safetensors.mjs';

const root = new URL('../fixtures/gguf/', import.meta.url);
const tolerance = 5e-5;

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

async function withModel(source, work, options = {}) {
  const model = await loadModel(source, { engine, ...options });
  try {
    return await work(model);
  } finally {
    await model.dispose();
  }
}

const pathOf = (name) => fileURLToPath(new URL(name, root));

describe('logits of GGUF files', () => {
  for (const folder of readdirSync(root)) {
    const about = JSON.parse(readFileSync(new URL(`${folder}/expected.json`, root)));
    const expected = readSafetensors(readFileSync(new URL(`${folder}/expected.safetensors`, root)));
    const ids = expected.get('input_ids');
    const files = readdirSync(new URL(`${folder}/`, root)).filter((name) => name.endsWith('.gguf'));
    for (const file of files) {
      const name = file.replace('.gguf', '');
      test(`${folder} ${name}: logits, tokens and greedy ids`, () =>
        withModel(
          pathOf(`${folder}/${file}`),
          async (model) => {
            assert.deepEqual(model.info.unusedTensors, []);
            assert.deepEqual(model.info.notes, []);
            const { logits } = await model.forward({ inputIds: ids });
            assertClose(logits, expected.get(`logits.${name}`), tolerance, 'logits');
            for (const { text, ids } of about.texts)
              assert.deepEqual(Array.from(model.tokenizer.encode(text).ids), ids, text);
            const { prompt, greedy } = about.generation[name];
            const maxNewTokens = greedy.length - prompt.length;
            const { sequences } = await model.generate(prompt, { maxNewTokens });
            assert.deepEqual(sequences[0].ids, greedy);
          },
          { dtype: 'f32' },
        ));
    }
  }
});

describe('how a GGUF file is kept', () => {
  const cases = [
    ['llama/f16', 'f16', []],
    ['llama/q8_0', 'int8', [/Q8_0 are rounded once more, to int8/]],
    ['llama/q4_0', 'int4', [/numbers of Q4_0 are kept as they are/]],
    ['llama/q4_1', 'int8', [/Q4_1 are rounded once more/]],
  ];
  for (const [name, dtype, sentences] of cases) {
    test(`${name}: ${dtype}`, () =>
      withModel(pathOf(`${name}.gguf`), async ({ info }) => {
        assert.equal(info.dtype, dtype);
        const notes = info.notes.filter((note) => !note.startsWith('Weights of '));
        assert.equal(notes.length, sentences.length, notes.join('\n'));
        for (const [i, sentence] of sentences.entries()) assert.match(notes[i], sentence);
      }));
  }

  test('numbers of 16 bits give bitwise the results of float32', async () => {
    const inputs = { inputIds: [[5, 90, 17, 300]] };
    const pass = (dtype) => withModel(pathOf('llama/f16.gguf'), (model) => model.forward(inputs), { dtype });
    assertSameBits((await pass('auto')).logits, (await pass('f32')).logits, 'logits');
  });
});

describe('where a GGUF file comes from', () => {
  const path = pathOf('llama/q4_0.gguf');
  const inputs = { inputIds: [[5, 90, 17, 300]] };
  let expected;
  before(async () => {
    expected = await withModel(path, (model) => model.forward(inputs));
  });

  const sources = {
    'a relative path': async () => relative(process.cwd(), path),
    'a file: URL': async () => new URL('llama/q4_0.gguf', root),
    'a File': async () => new File([readFileSync(path)], 'some.gguf'),
    'a Blob on disk, without a name': () => openAsBlob(path),
    'files of an input': async () => [new File([readFileSync(path)], 'a.gguf'), new File(['#'], 'README.md')],
    'a Map': async () => new Map([['a.gguf', readFileSync(path)]]),
  };
  for (const [name, source] of Object.entries(sources)) {
    test(name, async () => {
      const heap = engine.info.heapBytes;
      await withModel(await source(), async (model) => {
        assertSameBits((await model.forward(inputs)).logits, expected.logits, 'logits');
        // From the file's own template, after it has been closed.
        const messages = [{ role: 'user', content: 'the cat' }];
        const reply = await model.chat(messages, { maxNewTokens: 2 });
        assert.equal(typeof reply.text, 'string');
      });
      assertHeap(engine, heap);
    });
  }

  test('a URL with a query, in one request', async () => {
    const asked = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.end(readFileSync(path));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const address = `http://127.0.0.1:${server.address().port}/models/a%20b.gguf?key=1`;
      await withModel(address, async (model) => {
        assertSameBits((await model.forward(inputs)).logits, expected.logits, 'logits');
      });
      assert.deepEqual(asked, ['/models/a%20b.gguf?key=1']);
    } finally {
      server.close();
    }
  });

  test('no such file', () =>
    assert.rejects(loadModel('tests/none.gguf', { engine }), {
      code: 'missing_file',
      message: /there is no file .*none\.gguf/,
    }));
});

describe('inspection', () => {
  test('a GGUF file', async () => {
    const report = await inspectCheckpoint(pathOf('llama_k/kmix.gguf'));
    assert.equal(basename(report.folder), 'kmix.gguf');
    assert.deepEqual(report.refusals, []);
    assert.equal(report.family, 'llama');
    assert.deepEqual(report.tokenizer, { tokens: 328 });
    assert.deepEqual([...report.weights.dtypes].sort(), ['F32', 'Q2_K', 'Q3_K', 'Q4_K', 'Q5_K', 'Q6_K']);
    const query = report.tensors.find(({ name }) => name.endsWith('0.self_attn.q_proj.weight'));
    assert.deepEqual([query.dtype, query.shape], ['Q2_K', [256, 256]]);
  });
});

/** The keys of a model like Llama. */
function keysOf(config, architecture) {
  const key = (name, type, value) => [`${architecture}.${name}`, [type, value]];
  return [
    ['general.architecture', architecture],
    key('context_length', 'u32', config.max_position_embeddings),
    key('embedding_length', 'u32', config.hidden_size),
    key('block_count', 'u64', config.num_hidden_layers),
    key('feed_forward_length', 'u32', config.intermediate_size),
    key('attention.head_count', 'u32', config.num_attention_heads),
    key('attention.head_count_kv', 'u32', config.num_key_value_heads),
    key('attention.layer_norm_rms_epsilon', 'f32', config.rms_norm_eps),
    key('rope.freq_base', 'f32', config.rope_theta),
    ...(config.head_dim ? [key('attention.key_length', 'u32', config.head_dim)] : []),
  ];
}

/** A case's model as a file of an architecture. `change`: of each tensor, by its name in the file. */
function asGguf(given, architecture, { change = (_, tensor) => tensor, more = [], names, keys = [] } = {}) {
  const weights = readSafetensors(given.file('model.safetensors'));
  const tensors = [...weights].map(([name, tensor]) => {
    const own = ggufName(name, names);
    return { type: tensor.dtype, ...change(own, tensor), name: own };
  });
  const metadata = [...keysOf(olderConfig(given), architecture), ...keys];
  return new Map([['model.gguf', writeGguf(metadata, [...more, ...tensors])]]);
}

/** BF16 as floats. */
const widened = (halves) => new Float32Array(Uint32Array.from(halves, (half) => half << 16).buffer);

/** config.json in the form of older releases, whose fields are those of a GGUF file. */
const olderConfig = ({ config, otherConfigs: [older], file }) => (older ? JSON.parse(file(older)) : config);

describe('models of folders as GGUF files', () => {
  const pairs =
    ({ config }) =>
    (name, tensor) => {
      if (/attn_q\./.test(name)) return { ...tensor, ...paired(tensor, config.num_attention_heads) };
      return /attn_k\./.test(name) ? { ...tensor, ...paired(tensor, config.num_key_value_heads) } : tensor;
    };
  const mapped = ({ data, shape, dtype }, change) => ({
    shape,
    type: 'F32',
    data: Float32Array.from(dtype === 'BF16' ? widened(data) : data, change),
  });
  const plusOne = (name, tensor) =>
    /norm\.weight$/.test(name) ? mapped(tensor, (number) => number + 1) : tensor;
  // The scale of the scores follows from the width of a head: the rest is a factor of the queries.
  const gemmas = (scaled) => (given) => (name, tensor) => {
    const { head_dim: width, query_pre_attn_scalar: scalar } = given.config;
    const next = plusOne(name, tensor);
    return scaled.test(name) ? mapped(next, (number) => number * Math.sqrt(width / scalar)) : next;
  };
  const afterBlocks = [
    ['post_attention_layernorm', 'post_attention_norm'],
    ['post_feedforward_layernorm', 'post_ffw_norm'],
  ];
  const aroundBlocks = { names: [...afterBlocks, ['pre_feedforward_layernorm', 'ffn_norm']] };
  const floats = (architecture, fields) =>
    Object.entries(fields).map(([key, value]) => [`${architecture}.${key}`, ['f32', value]]);
  const cases = [
    ['llama', 'llama', pairs],
    ['llama3_rope', 'llama', pairs],
    ['qwen2', 'qwen2', () => undefined],
    ['gemma', 'gemma', () => plusOne],
    [
      'gemma2',
      'gemma2',
      gemmas(/attn_q\.weight$/),
      ({ attn_logit_softcapping, final_logit_softcapping, sliding_window }) => ({
        ...aroundBlocks,
        keys: [
          ...floats('gemma2', { attn_logit_softcapping, final_logit_softcapping }),
          ['gemma2.attention.sliding_window', ['u32', sliding_window]],
        ],
      }),
    ],
    [
      'gemma3_text',
      'gemma3',
      gemmas(/attn_q_norm\.weight$/),
      ({ sliding_window }) => ({
        ...aroundBlocks,
        keys: [['gemma3.attention.sliding_window', ['u32', sliding_window]]],
      }),
    ],
    [
      'granite',
      'granite',
      pairs,
      ({ embedding_multiplier, residual_multiplier, attention_multiplier, logits_scaling }) => ({
        keys: floats('granite', {
          embedding_scale: embedding_multiplier,
          residual_scale: residual_multiplier,
          'attention.scale': attention_multiplier,
          logit_scale: logits_scaling,
        }),
      }),
    ],
    ['smollm3', 'smollm3', pairs],
    ['olmo2', 'olmo2', () => undefined, () => ({ names: afterBlocks })],
  ];
  for (const [name, architecture, changeOf, othersOf] of cases) {
    test(name, () => {
      const given = readFamilyCase(name);
      const more = name === 'llama3_rope' ? [frequencyFactors(given.config)] : [];
      const others = othersOf?.(olderConfig(given));
      const file = asGguf(given, architecture, { change: changeOf(given), more, ...others });
      return withModel(file, async (model) => {
        assert.equal(model.info.family, given.config.model_type);
        assert.deepEqual(model.info.unusedTensors, []);
        assert.equal(model.tokenizer, null);
        const everything = { outputAttentions: true, outputHiddenStates: true };
        assertPass(given, await model.forward(given.inputs, everything));
      });
    });
  }
});

/** What llama.cpp's converter stores of `rope_scaling` of the type llama3. */
function frequencyFactors({ rope_scaling: scaling, rope_theta: base, head_dim: width }) {
  const { factor, low_freq_factor: low, high_freq_factor: high } = scaling;
  const length = scaling.original_max_position_embeddings;
  const factors = Float32Array.from({ length: width / 2 }, (_, i) => {
    const wave = 2 * Math.PI * base ** ((2 * i) / width);
    if (wave < length / high) return 1;
    if (wave > length / low) return factor;
    const smooth = (length / wave - low) / (high - low);
    return 1 / ((1 - smooth) / factor + smooth);
  });
  return { name: 'rope_freqs.weight', shape: [width / 2], type: 'F32', data: factors };
}
