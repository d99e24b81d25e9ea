// Embeddings: the reference case of sentence-transformers, its modules and settings, similarity.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel, Tensor } from '../../dist/index.js';
import { similarity } from '../../dist/pipeline.js';
import { assertClose, assertSameBits, readCase } from '../lib/reference.mjs';
import { writeSafetensors } from '../lib/safetensors.mjs';
import { folderWithWords, pathOfCase } from '../lib/tiny_folder.mjs';

const name = 'sentence_transformer';
const reference = readCase(name);
const { sentences } = reference.about;
const expected = (key) => reference.get(key);
const json = (value) => new TextEncoder().encode(JSON.stringify(value));

/** All files of the case, those of the folders inside too. */
const files = () =>
  new Map(
    readdirSync(pathOfCase(name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath ?? entry.path, entry.name);
        return [path.slice(pathOfCase(name).length + 1), new Uint8Array(readFileSync(path))];
      }),
  );

let engine;
let model;
before(async () => {
  engine = await createEngine({ threads: 1 });
  model = await loadModel(pathOfCase(name), { engine });
});
after(() => engine.dispose());

const load = (changes) => loadModel(new Map([...files(), ...Object.entries(changes)]), { engine });
const withModules = (...modules) => ({
  'modules.json': json(
    modules.map(([type, path], idx) => ({ idx, path, type: `sentence_transformers.models.${type}` })),
  ),
});
const transformer = ['Transformer', ''];

describe('the reference case', () => {
  test('embeddings and their similarity', async () => {
    const embeddings = await model.embed(sentences);
    assertClose(embeddings, expected('sentence_embedding'), 1e-5, 'embeddings');
    assertClose(similarity(embeddings), expected('cosine_similarity'), 1e-5, 'similarity');
  });

  test('every pooling', async () => {
    for (const pooling of ['mean', 'cls', 'max', 'mean_sqrt_len']) {
      const embeddings = await model.embed(sentences, { pooling, normalize: false });
      assertClose(embeddings, expected(`pooled.${pooling}`), 5e-5, pooling);
    }
  });

  test('from a map of files, whose weights are not kept', async () => {
    const source = files();
    const other = await loadModel(source, { engine });
    source.clear();
    assertSameBits(await other.embed(sentences), await model.embed(sentences), 'embeddings');
  });

  test('one text, the same bits as in a batch of many', async () => {
    const many = Array.from({ length: 70 }, (_, i) => sentences[i % 4]);
    const all = await model.embed(many);
    assert.deepEqual(all.shape, [70, 32]);
    const one = await model.embed(sentences[2]);
    assert.deepEqual(one.shape, [32]);
    assertSameBits(one, new Tensor(all.data.slice(66 * 32, 67 * 32), [32]), 'one text');
  });

  test('a text that is too long is cut', async () => {
    const long = 'the cat sat on the mat '.repeat(30);
    const cut = 'the cat sat on the mat '.repeat(5); // 30 tokens and two special ones
    assertSameBits(await model.embed(long), await model.embed(cut), 'a long text');
  });
});

describe('the files of a folder', () => {
  test('without modules: the mean, not normalised', async () => {
    const plain = await loadModel(folderWithWords(name), { engine });
    assertClose(await plain.embed(sentences), expected('pooled.mean'), 5e-5, 'mean');
  });

  test('several poolings are concatenated', async () => {
    const pooling = {
      pooling_mode_cls_token: true,
      pooling_mode_max_tokens: true,
      pooling_mode_mean_tokens: false,
    };
    const both = await load({
      ...withModules(transformer, ['Pooling', '1_Pooling']),
      '1_Pooling/config.json': json(pooling),
    });
    const embeddings = await both.embed(sentences);
    assert.deepEqual(embeddings.shape, [4, 64]);
    const half = (from) => ({
      data: Float32Array.from(
        { length: 128 },
        (_, i) => embeddings.data[Math.floor(i / 32) * 64 + from + (i % 32)],
      ),
      shape: [4, 32],
    });
    assertClose(half(0), expected('pooled.cls'), 5e-5, 'cls');
    assertClose(half(32), expected('pooled.max'), 5e-5, 'max');
  });

  test('a dense layer', async () => {
    const weight = { shape: [2, 32], data: Float32Array.from({ length: 64 }, (_, i) => Math.sin(i)) };
    const bias = { shape: [2], data: Float32Array.of(0.5, -0.25) };
    const dense = {
      in_features: 32,
      out_features: 2,
      bias: true,
      activation_function: 'torch.nn.modules.activation.Tanh',
    };
    const changes = {
      ...withModules(transformer, ['Pooling', '1_Pooling'], ['Dense', '2_Dense']),
      '2_Dense/config.json': json(dense),
      '2_Dense/model.safetensors': writeSafetensors(
        new Map([
          ['linear.weight', weight],
          ['linear.bias', bias],
        ]),
      ),
    };
    const embeddings = await (await load(changes)).embed(sentences);
    const pooled = expected('pooled.mean');
    const by = Array.from({ length: 8 }, (_, i) => {
      const [row, output] = [i >> 1, i & 1];
      let sum = bias.data[output];
      for (let j = 0; j < 32; j++) sum += weight.data[output * 32 + j] * pooled.data[row * 32 + j];
      return Math.tanh(sum);
    });
    assertClose(embeddings, { data: by, shape: [4, 2] }, 5e-5, 'dense');
    const wrong = { ...changes, '2_Dense/config.json': json({ ...dense, out_features: 3 }) };
    await assert.rejects(
      (await load(wrong)).embed('the cat'),
      /'linear\.weight' of 2_Dense has the shape \[2,32\]/,
    );
    const unknown = {
      ...changes,
      '2_Dense/config.json': json({ ...dense, activation_function: 'torch.nn.GELU' }),
    };
    await assert.rejects((await load(unknown)).embed('the cat'), /activation 'torch.nn.GELU'/);
  });

  test('prompts by name, as text, and by default', async () => {
    const settings = { prompts: { query: 'the ', other: 'a ' }, default_prompt_name: 'other' };
    const prompted = await load({ 'config_sentence_transformers.json': json(settings) });
    const [plain] = [await model.embed('the cat')];
    assertSameBits(await prompted.embed('cat', { promptName: 'query' }), plain, 'by name');
    assertSameBits(await prompted.embed('cat', { prompt: 'the ' }), plain, 'as text');
    assertSameBits(await prompted.embed('cat'), await model.embed('a cat'), 'by default');
    assertSameBits(await prompted.embed('cat', { prompt: '' }), await model.embed('cat'), 'none');
    await assert.rejects(prompted.embed('cat', { promptName: 'qury' }), /no prompt 'qury'.*: query, other/);
  });

  test('a prompt that does not count in pooling', async () => {
    const pooling = { pooling_mode_mean_tokens: true, include_prompt: false };
    const modules = withModules(transformer, ['Pooling', '1_Pooling']);
    const prompted = await load({ ...modules, '1_Pooling/config.json': json(pooling) });
    const actual = await prompted.embed('cat', { prompt: 'the ' });
    const { ids } = model.tokenizer.encode('the cat'); // [CLS] the cat [SEP]
    const { lastHiddenState } = await model.forward({ inputIds: [ids] });
    const mean = Array.from(
      { length: 32 },
      (_, i) => (lastHiddenState.data[64 + i] + lastHiddenState.data[96 + i]) / 2,
    );
    assertClose(actual, { data: mean, shape: [32] }, 1e-6, 'the tokens after the prompt');
  });

  test('what is not supported is named', async () => {
    const cases = [
      [
        withModules(transformer, ['WordEmbeddings', '1']),
        'unsupported',
        /module of the type '.*WordEmbeddings'/,
      ],
      [withModules(['Transformer', '0_Transformer']), 'unsupported', /in the folder '0_Transformer'/],
      [{ 'modules.json': json({}) }, 'bad_checkpoint', /list of modules/],
      [{ '1_Pooling/config.json': json({}) }, 'bad_checkpoint', /names no pooling/],
      [
        { '1_Pooling/config.json': json({ pooling_mode_weightedmean_tokens: true }) },
        'unsupported',
        /pooling_mode_weightedmean_tokens/,
      ],
    ];
    for (const [changes, code, message] of cases)
      await assert.rejects((await load(changes)).embed('the cat'), (error) => {
        assert.equal(error.code, code);
        assert.match(error.message, message);
        return true;
      });
  });
});

test('bad input', async () => {
  const code = 'invalid_argument';
  await assert.rejects(model.embed(''), { code, message: /the text is empty/ });
  await assert.rejects(model.embed(['the cat', 3]), { code, message: /must be a string, got number/ });
  await assert.rejects(model.embed('cat', { poolling: 'mean' }), { code, message: /did you mean 'pooling'/ });
  await assert.rejects(model.embed('cat', { signal: AbortSignal.abort(new Error('enough')) }), /enough/);
  assert.deepEqual((await model.embed([])).shape, [0, 0]);
  assert.throws(() => similarity([[1, 2]], [[1, 2, 3]]), { code, message: /rows of 2 numbers/ });
  const decoder = await loadModel(folderWithWords('gpt2'), { engine });
  await assert.rejects(decoder.embed('cat'), {
    code: 'unsupported',
    message: /only an encoder alone can embed texts/,
  });
});
