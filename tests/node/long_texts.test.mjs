// Texts of any length: they are encoded in steps, between which an abort has its effect, and in linear time.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { atOnce, withPauses } from '../../build/modules/engine/steps.js';
import { LibraryCodec } from '../../build/modules/tokenizers/library_codec.js';
import { SentencePiece } from '../../build/modules/tokenizers/sentencepiece.js';
import { parseSentencePiece } from '../../build/modules/tokenizers/sentencepiece_file.js';
import { loadModel } from '../../dist/index.js';
import { fixture } from '../lib/tokenizer_folders.mjs';

const shipped = fileURLToPath(new URL('../../web/public/models/en-fr', import.meta.url));
const json = JSON.parse(readFileSync(`${shipped}/tokenizer.json`, 'utf8'));
const words = (count) => 'The cat sat on the mat and '.repeat(Math.ceil(count / 7));
const letters = (count) => 'abcdefgh'.repeat(count);

const pieces = (name) => {
  const model = new SentencePiece(parseSentencePiece(fixture(`${name}.model`), name));
  return (text) => model.encode(text);
};
const library = new LibraryCodec(json, {}, 'tokenizer.json');

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
