// Embeddings: the reference case of sentence-transformers, its modules and settings, similarity.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel, similarity, Tensor } from '../../dist/index.js';
import { assertClose, assertSameBits, readCase } from '../lib/reference.mjs';
import { writeSafetensors } from '../lib/safetensors.mjs';
import { folderWithIds, folderWithWords, pathOfCase } from '../lib/tiny_folder.mjs';

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

test('embeddinggemma: two dense layers after the mean', async () => {
  const { about, get } = readCase('embeddinggemma');
  const { input_ids: ids, attention_mask: mask } = about.inputs;
  const other = await loadModel(folderWithIds('embeddinggemma', 80), { engine });
  const texts = ids.map((row, i) => row.filter((_, j) => mask[i][j] === 1).join(' '));
  assertClose(await other.embed(texts), get('sentence_embedding'), 1e-5, 'embeddings');
  await other.dispose();
});

describe('folders with prompts for queries', () => {
  for (const folder of ['qwen3_embedding']) {
    test(folder, async () => {
      const { about, get } = readCase(folder);
      const other = await loadModel(pathOfCase(folder), { engine });
      const queries = await other.embed(about.queries, { promptName: 'query' });
      const documents = await other.embed(about.documents);
      const data = Float32Array.from([...queries.data, ...documents.data]);
      assertClose(
        new Tensor(data, get('sentence_embedding').shape),
        get('sentence_embedding'),
        1e-5,
        'embeddings',
      );
      assertClose(similarity(queries, documents), get('similarity'), 1e-5, 'similarity');
      await other.dispose();
    });
  }

  test('a language model gives its hidden states, not its logits', async () => {
    const change = { architectures: ['Qwen3ForCausalLM'] };
    const config = {
      ...JSON.parse(readFileSync(join(pathOfCase('qwen3_embedding'), 'config.json'))),
      ...change,
    };
    const names = ['model.safetensors', 'tokenizer.json'];
    const own = names.map((one) => [one, readFileSync(join(pathOfCase('qwen3_embedding'), one))]);
    const causal = await loadModel(new Map([...own, ['config.json', json(config)]]), { engine });
    const base = await loadModel(
      new Map([...own, ['config.json', json({ ...config, architectures: ['Qwen3Model'] })]]),
      {
        engine,
      },
    );
    assert.equal((await causal.forward({ inputIds: [[5, 6]] })).lastHiddenState, undefined);
    const texts = ['What is gravity?', 'capital of China'];
    const options = { pooling: 'lasttoken', normalize: true };
    assertSameBits(await causal.embed(texts, options), await base.embed(texts, options), 'embeddings');
    await assert.rejects(causal.classify(texts), {
      code: 'unsupported',
      message: /a decoder with a classifier/,
    });
    await Promise.all([causal.dispose(), base.dispose()]);
  });
});

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
  const vectors = [
    [1, 0],
    [0, 2],
    [3, 3],
    [0, 2],
  ];
  const near = similarity([0, 1], vectors, { topK: 3 });
  assert.deepEqual(
    near.map((row) => row.map(({ index }) => index)),
    [[1, 3, 2]],
  );
  assert.ok(Math.abs(near[0][2].score - Math.SQRT1_2) < 1e-6);
  assert.equal(similarity(vectors, undefined, { topK: 9 })[3].length, 4);
  assert.throws(() => similarity(vectors, vectors, { topK: 0 }), { code, message: /topK/ });
  assert.throws(() => similarity([[1, 2]], [[1, 2, 3]]), { code, message: /rows of 2 numbers/ });
  const both = await loadModel(folderWithWords('bart'), { engine });
  await assert.rejects(both.embed('cat'), {
    code: 'unsupported',
    message: /only an encoder or a decoder alone can embed texts/,
  });
});

test('the first numbers only, brought to length 1 if asked for', async () => {
  const whole = await model.embed(sentences);
  const [count, width] = whole.shape;
  const rows = whole.tolist().map((row) => row.slice(0, 5));
  const short = await model.embed(sentences, { truncateDim: 5 });
  assertSameBits(short, { data: Float32Array.from(rows.flat()), shape: [count, 5] }, 'short');
  for (const row of (await model.embed(sentences, { truncateDim: 5, normalize: true })).tolist())
    assert.ok(Math.abs(Math.hypot(...row) - 1) < 1e-6);
  assert.deepEqual((await model.embed(sentences, { truncateDim: 10 * width })).shape, [count, width]);
});

test('integers and bits, as quantize_embeddings makes them', async () => {
  const whole = await model.embed(sentences);
  const [count, width] = whole.shape;
  const rows = whole.tolist();
  const { fround } = Math;
  const places = rows.map((row) =>
    row.map((value, i) => {
      const column = rows.map((other) => other[i]);
      const low = Math.min(...column);
      const step = fround(fround(Math.max(...column) - low) / 255);
      return fround(fround(value - low) / step);
    }),
  );
  const uint8 = await model.embed(sentences, { precision: 'uint8' });
  assert.deepEqual([uint8.data.constructor, uint8.shape], [Uint8Array, [count, width]]);
  assert.deepEqual(
    [...uint8.data],
    places.flat().map((place) => Math.min(255, Math.trunc(place))),
  );
  const int8 = await model.embed(sentences, { precision: 'int8' });
  assert.deepEqual(
    [...int8.data],
    places.flat().map((place) => Math.min(127, Math.trunc(fround(place - 128)) + 0)),
  );
  const bytes = rows.flatMap((row) =>
    Array.from({ length: width / 8 }, (_, byte) =>
      Number.parseInt(
        row
          .slice(8 * byte, 8 * byte + 8)
          .map((value) => (value > 0 ? '1' : '0'))
          .join(''),
        2,
      ),
    ),
  );
  const ubinary = await model.embed(sentences, { precision: 'ubinary' });
  assert.deepEqual([[...ubinary.data], ubinary.shape], [bytes, [count, width / 8]]);
  const binary = await model.embed(sentences, { precision: 'binary' });
  assert.deepEqual([binary.data.constructor, [...binary.data]], [Int8Array, bytes.map((byte) => byte - 128)]);
  // The ranges of other texts; what lies beyond them is at their ends.
  const ranges = {
    data: Float32Array.from({ length: 2 * width }, (_, i) => (i < width ? 5 : 6)),
    shape: [2, width],
  };
  const beyond = await model.embed(sentences[0], { precision: 'int8', ranges });
  assert.deepEqual([new Set(beyond.data), beyond.shape], [new Set([-128]), [width]]);
  const refused = { code: 'invalid_argument' };
  await assert.rejects(model.embed('one', { precision: 'int8' }), { ...refused, message: /needs ranges/ });
  await assert.rejects(model.embed('one', { precision: 'binary', truncateDim: 5 }), {
    ...refused,
    message: /multiple of 8/,
  });
  for (const precision of [undefined, 'float32', 'binary'])
    await assert.rejects(model.embed('one', { precision, ranges }), {
      ...refused,
      message: /ranges needs the/,
    });
  await assert.rejects(model.embed('one', { prompt: 'a', promptName: 'query' }), {
    ...refused,
    message: /prompt or promptName, not both/,
  });
  await assert.rejects(model.embed('one', { precision: 'int8', ranges: [1] }), {
    ...refused,
    message: /ranges must have/,
  });
});
