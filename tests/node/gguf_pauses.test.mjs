// A large vocabulary of a GGUF file becomes a tokenizer in steps, between which a page can do other things.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { byteLevelJson } from '../../build/modules/checkpoint/gguf/byte_level.js';
import { sentencePieceOf } from '../../build/modules/checkpoint/gguf/pieces.js';
import { vocabularyOf } from '../../build/modules/checkpoint/gguf/vocabulary.js';
import { JsonCodec } from '../../build/modules/tokenizers/json_codec.js';
import { modelOf } from '../../build/modules/tokenizers/models.js';

const letters = 'abcdefghijklmnopqrstuvwxyz';
const size = 20_000;

/** Letters, and words that others are joined to. */
function vocabulary() {
  const tokens = [...letters];
  const known = new Set(tokens);
  const merges = [];
  for (let i = 0; tokens.length < size; i++) {
    const [left, right] = [tokens[Math.floor(i / letters.length)], letters[i % letters.length]];
    if (known.has(left + right)) continue;
    known.add(left + right);
    tokens.push(left + right);
    merges.push(`${left} ${right}`);
  }
  return { tokens, merges };
}

/** The result, and how often the work paused. */
function counted(work) {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = work.next();
    if (done) return { value, pauses };
  }
}

const few = size / 4096 - 1;
const { tokens, merges } = vocabulary();
const metadata = new Map([
  ['tokenizer.ggml.model', 'gpt2'],
  ['tokenizer.ggml.pre', 'gpt-2'],
  ['tokenizer.ggml.tokens', tokens],
  ['tokenizer.ggml.merges', merges],
  ['tokenizer.ggml.scores', tokens.map((_, id) => -id)],
]);

describe('steps', () => {
  const read = counted(vocabularyOf(metadata, 'a.gguf'));
  const json = counted(byteLevelJson(read.value));

  test('of the vocabulary, its merges and its pieces', () => {
    for (const { pauses } of [read, json, counted(sentencePieceOf(read.value))])
      assert.ok(pauses >= few, `${pauses} pauses`);
  });

  test('of the model, with the tokens that it has without steps', () => {
    const { value, pauses } = counted(modelOf(json.value.model, {}, 'tokenizer.json'));
    assert.ok(pauses >= few, `${pauses} pauses`);
    assert.equal(value.ids, read.value.ids, 'the ids are made once');
    const vocab = Object.fromEntries(json.value.model.vocab);
    const plain = { ...json.value.model, vocab, merges };
    const asText = { ...json.value, model: plain };
    const ofText = counted(modelOf(plain, {}, 'tokenizer.json'));
    assert.ok(ofText.pauses >= 2 * few, `${ofText.pauses} pauses`);
    const made = new JsonCodec(asText, {}, 'tokenizer.json');
    const inSteps = new JsonCodec(json.value, {}, 'tokenizer.json', value);
    for (const text of ['abcabcxyz', 'the quick brown fox', ''])
      assert.deepEqual(counted(inSteps.cut(text, false)).value, counted(made.cut(text, false)).value);
  });
});
