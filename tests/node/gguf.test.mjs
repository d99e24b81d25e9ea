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
    ['llama/q4_0', 'int4', [/integers of Q4_0 are kept as they are/]],
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
function asGguf({ config, file }, architecture, { change = (_, tensor) => tensor, more = [] } = {}) {
  const weights = readSafetensors(file('model.safetensors'));
  const tensors = [...weights].map(([name, tensor]) => {
    const own = ggufName(name);
    return { type: tensor.dtype, ...change(own, tensor), name: own };
  });
  return new Map([['model.gguf', writeGguf(keysOf(config, architecture), [...more, ...tensors])]]);
}

describe('models of folders as GGUF files', () => {
  const pairs =
    ({ config }) =>
    (name, tensor) => {
      if (/attn_q\./.test(name)) return { ...tensor, ...paired(tensor, config.num_attention_heads) };
      return /attn_k\./.test(name) ? { ...tensor, ...paired(tensor, config.num_key_value_heads) } : tensor;
    };
  const plusOne = (name, tensor) =>
    /norm\.weight$/.test(name) ? { ...tensor, data: tensor.data.map((number) => number + 1) } : tensor;
  const cases = [
    ['llama', 'llama', pairs],
    ['llama3_rope', 'llama', pairs],
    ['qwen2', 'qwen2', () => undefined],
    ['gemma', 'gemma', () => plusOne],
  ];
  for (const [name, architecture, changeOf] of cases) {
    test(name, () => {
      const given = readFamilyCase(name);
      const more = name === 'llama3_rope' ? [frequencyFactors(given.config)] : [];
      return withModel(asGguf(given, architecture, { change: changeOf(given), more }), async (model) => {
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
