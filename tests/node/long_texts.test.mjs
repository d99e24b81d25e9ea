// Texts of any length: they are encoded in steps, between which an abort has its effect, and in linear time.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { atOnce, withPauses } from '../../build/modules/engine/steps.js';
import { JsonCodec } from '../../build/modules/tokenizers/json_codec.js';
import { SentencePiece } from '../../build/modules/tokenizers/sentencepiece.js';
import { parseSentencePiece } from '../../build/modules/tokenizers/sentencepiece_file.js';
import { createEngine, loadModel } from '../../dist/index.js';
import { pipeline } from '../../dist/pipeline.js';
import { folderWithWords } from '../lib/tiny_folder.mjs';
import { fixture } from '../lib/tokenizer_folders.mjs';

const shipped = fileURLToPath(new URL('../../web/public/models/en-fr', import.meta.url));
const json = JSON.parse(readFileSync(`${shipped}/tokenizer.json`, 'utf8'));
const words = (count) => 'The cat sat on the mat and '.repeat(Math.ceil(count / 7));
const letters = (count) => 'abcdefgh'.repeat(count);

const pieces = (name) => {
  const model = new SentencePiece(parseSentencePiece(fixture(`${name}.model`), name));
  return (text) => model.encode(text);
};
const library = new JsonCodec(json, {}, 'tokenizer.json');

/** How often the work pauses. */
function pausesOf(work) {
  let pauses = 0;
  while (!work.next().done) pauses++;
  return pauses;
}

describe('a long text', () => {
  const ways = {
    'of words, by tokenizer.json': [(text) => library.cut(text, false), words, 20_000],
    'of words, by a unigram model': [pieces('unigram'), words, 20_000],
    'that is one word, by a unigram model': [pieces('unigram'), letters, 20_000],
    'of words, by BPE': [pieces('bpe_bytes'), words, 20_000],
    'that is one word, by BPE': [pieces('bpe_bytes'), letters, 20_000],
  };
  for (const [what, [cut, textOf, count]] of Object.entries(ways)) {
    test(`${what}: twice the text is twice the steps, of the same size`, () => {
      const [once, twice] = [count, 2 * count].map((size) => pausesOf(cut(textOf(size))));
      assert.ok(once >= 4, `${once} pauses`);
      assert.ok(twice > 1.5 * once && twice < 2.5 * once, `${twice} pauses after ${once}`);
    });

    test(`${what}: the pauses change nothing`, async () => {
      const text = textOf(count);
      assert.deepEqual(await withPauses(cut(text), undefined), atOnce(cut(text)));
    });
  }
});

describe('an abort', () => {
  let model;
  before(async () => {
    model = await loadModel(shipped);
  });
  after(() => model.dispose());

  const calls = {
    generate: (text, options) => model.generate(text, options),
    translate: (text, options) => model.translate(text, options),
    'translate, unsplit': (text, options) => model.translate(text, { ...options, split: false }),
    'generate, of many': (text, options) => model.generate(Array(500).fill(text.slice(0, 200)), options),
    stream: async (text, options) => {
      for await (const _ of model.stream(text, options));
    },
  };
  for (const [name, call] of Object.entries(calls))
    test(`ends the encoding: ${name}`, async () => {
      const controller = new AbortController();
      const reason = new Error('enough');
      setImmediate(() => controller.abort(reason));
      // Without an abort on the way, the model would say that the text is too long, or begin to translate.
      await assert.rejects(call(words(60_000), { signal: controller.signal }), reason);
    });
});

/** Aborts when the caller has had this many turns: without pauses, everything is done by then. */
function abortAfter(turns, reason) {
  const controller = new AbortController();
  const next = (left) => setImmediate(() => (left > 0 ? next(left - 1) : controller.abort(reason)));
  next(turns);
  return controller.signal;
}

describe('an abort ends the encoding', () => {
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  const long = words(60_000);
  const many = Array(2000).fill('[MASK] the cat sat on the mat and the dog');
  const template = '{% for message in messages %}{{ message.content }}{% endfor %}';
  const entailment = { id2label: { 0: 'contradiction', 1: 'neutral', 2: 'entailment' } };
  const calls = {
    classify: ['bert_seqcls', (model, options) => model.classify(long, options)],
    'classify, many': ['bert_seqcls', (model, options) => model.classify(many, options)],
    embed: ['bert', (model, options) => model.embed(long, options)],
    'embed, many': ['bert', (model, options) => model.embed(many, options)],
    'embed, its prompt': ['bert', (model, options) => model.embed('cat', { ...options, prompt: long })],
    'embed, beside pictures': ['clip', (model, options) => model.embed(long, options)],
    rank: ['cross_encoder', (model, options) => model.rank('a cat', [long], options)],
    'rank, many': ['cross_encoder', (model, options) => model.rank('a cat', many, options)],
    'rank, by yes or no': ['qwen3_reranker', (model, options) => model.rank('a cat', [long], options)],
    chat: [
      'llama',
      (model, options) =>
        model.chat([{ role: 'user', content: long }], { ...options, chatTemplate: template }),
    ],
    'a prefix': ['marian', (model, options) => model.generate([2, 0], { ...options, prefix: long })],
    'a prompt of speech': [
      'whisper',
      (model, options) => model.transcribe(new Float32Array(1600), { ...options, prompt: long }),
    ],
  };
  const tasks = {
    'zero-shot-classification': ['bert_seqcls', (run, options) => run(long, ['a', 'b'], options), entailment],
    'token-classification': ['bert_tokcls', (run, options) => run(long, options)],
    'question-answering': ['bert_qa', (run, options) => run('the cat', long, options)],
    'fill-mask': ['bert_mlm', (run, options) => run(`[MASK] ${long}`, options)],
    'fill-mask, many': ['bert_mlm', (run, options) => run(many, options)],
    'feature-extraction': ['bert', (run, options) => run(long, options)],
  };
  const published = ['cross_encoder', 'qwen3_reranker'];
  const folderOf = (name, config) =>
    published.includes(name)
      ? fileURLToPath(new URL(`../fixtures/reference/${name}`, import.meta.url))
      : folderWithWords(name, config);

  async function ends(call) {
    const reason = new Error('enough');
    await assert.rejects(call({ signal: abortAfter(4, reason) }), reason);
  }
  for (const [what, [name, call]] of Object.entries(calls))
    test(what, async () => {
      const model = await loadModel(folderOf(name), { engine });
      await ends((options) => call(model, options));
      await model.dispose();
    });
  for (const [task, [name, call, config]] of Object.entries(tasks))
    test(task, async () => {
      const run = await pipeline(task.split(',')[0], folderOf(name, config), { engine });
      await ends((options) => call(run, options));
      await run.model.dispose();
    });
});
