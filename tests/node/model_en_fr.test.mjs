// The English-French model that ships: every number as PyTorch computes it, and translations that are right.
// PyTorch's numbers are of its 32 bits, which lie beside the 8 bits that ship.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadModel } from '../../dist/index.js';
import { readSafetensors } from '../lib/safetensors.mjs';

const fixture = (name) => readFileSync(new URL(`../fixtures/en-fr/${name}`, import.meta.url));
const { sentences } = JSON.parse(fixture('expected.json'));

const { head, sentences: copied } = JSON.parse(fixture('copied.json'));

const folderOf = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
let model;
let inEightBits;
before(async () => {
  model = await loadModel(folderOf('web/public/models/en-fr-float32'));
  inEightBits = await loadModel(folderOf('dist/models/en-fr'));
});
after(() => Promise.all([model.dispose(), inEightBits.dispose()]));

function assertClose(actual, expected, tolerance) {
  assert.equal(actual.length, expected.length);
  const worst = expected.reduce((most, value, i) => Math.max(most, Math.abs(value - actual[i])), 0);
  assert.ok(worst < tolerance, `off by ${worst}`);
}

test('no unused tensors', () => {
  assert.deepEqual(model.info.unusedTensors, []);
  assert.deepEqual(inEightBits.info.unusedTensors, []);
  assert.ok(model.info.bytes < 10e6);
});

test('the same ids, texts and scores as PyTorch', async () => {
  const results = await model.generate(sentences.map(({ english }) => english));
  for (const [i, { sequences, inputIds }] of results.entries()) {
    const expected = sentences[i];
    assert.deepEqual(inputIds, expected.source_ids);
    assert.deepEqual(sequences[0].ids, expected.target_ids);
    assert.equal(sequences[0].text, expected.text);
    assert.ok(Math.abs(sequences[0].score - expected.log_probability) < 1e-3);
  }
});

test('encoder output, cross-attention and logits of one sentence', async () => {
  const expected = Object.fromEntries(readSafetensors(fixture('expected.safetensors')));
  const output = await model.forward(
    {
      inputIds: Array.from(expected.source_ids.data),
      decoderInputIds: Array.from(expected.target_ids.data.slice(0, -1)),
    },
    { outputAttentions: true },
  );
  assertClose(output.encoderLastHiddenState.data, expected.encoder_output.data, 1e-4);
  assertClose(output.logits.data, expected.logits.data, 1e-4);
  for (const [layer, { data }] of output.crossAttentions.entries()) {
    assertClose(data, expected[`cross_attention.${layer}`].data, 1e-5);
  }
});

for (const [name, least] of [
  ['heldout_sentences', 97],
  ['heldout_pairs', 95],
]) {
  test(`${name}: at least ${least} % exactly right`, async () => {
    const lines = fixture(`${name}.tsv`).toString().trim().split('\n');
    const pairs = lines.map((line) => line.split('\t'));
    const translations = await model.translate(pairs.map(([english]) => english));
    const right = (all) => all.filter(({ text }, i) => text === pairs[i][1]).length;
    assert.ok(
      (100 * right(translations)) / pairs.length >= least,
      `${right(translations)} of ${pairs.length}`,
    );
    assert.ok(translations.every(({ unknownWords }) => unknownWords.length === 0));
    // Measured: 488 of 500 instead of 489, and 491 of both, with activations of 7 and of 16 bits alike.
    const lost = right(translations) - right(await inEightBits.translate(pairs.map(([english]) => english)));
    assert.ok((100 * lost) / pairs.length <= 0.3, `8 bits lose ${lost} of ${pairs.length}`);
  });
}

test('everyday sentences, written by hand before it was trained: at least 85 % as somebody might say it', async () => {
  const lines = fixture('everyday.tsv').toString().trim().split('\n');
  const cases = lines.map((line) => line.split('\t'));
  assert.equal(cases.length, 150);
  const translations = await inEightBits.translate(cases.map(([english]) => english));
  const right = translations.filter(({ text }, i) => cases[i].slice(1).includes(text)).length;
  assert.ok(right / cases.length >= 0.85, `${right} of ${cases.length}`);
});

const rowOf = ({ data, shape: [, , queries, keys] }, of, query) => {
  const start = (of * queries + query) * keys;
  return Array.from(data.slice(start, start + keys));
};
const largest = (row, places) => places.reduce((best, place) => (row[place] > row[best] ? place : best));

test('a taught head looks from a pronoun to what it stands for', async () => {
  const [animal, street, it] = [1, 6, 8];
  for (const [adjective, antecedent] of [
    ['tired', animal],
    ['wide', street],
  ]) {
    const text = `The animal didn't cross the street because it was too ${adjective}.`;
    const [{ inputIds }] = await model.generate([text]);
    const output = await model.forward(
      { inputIds, decoderInputIds: [model.config.decoder_start_token_id] },
      { outputAttentions: true },
    );
    assert.equal(largest(rowOf(output.encoderAttentions[1], 0, it), [animal, street]), antecedent);
  }
});

test('what it copies is where a taught head looks', async () => {
  for (const { source_ids, target_ids, copied_from } of copied) {
    const output = await model.forward(
      { inputIds: source_ids, decoderInputIds: target_ids.slice(0, -1) },
      { outputAttentions: true },
    );
    const unknown = source_ids.flatMap((id, place) => (id === model.config.unk_token_id ? [place] : []));
    const steps = target_ids.slice(1).flatMap((id, step) => (id === model.config.unk_token_id ? [step] : []));
    const map = output.crossAttentions[head.cross_attention_layer];
    assert.deepEqual(
      steps.map((step) => largest(rowOf(map, head.head, step), unknown)),
      copied_from,
    );
  }
});

test('a pronoun has the gender of its antecedent', async () => {
  const [tired, wide] = await model.translate([
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.",
  ]);
  assert.match(tired.text, /parce qu'il était trop fatigué\.$/);
  assert.match(wide.text, /parce qu'elle était trop large\.$/);
});

test('unknown words are listed and do no harm', async () => {
  const { text, unknownWords } = await model.translate('The Zorglub sat on the mat.');
  assert.deepEqual(unknownWords, ['Zorglub']);
  assert.ok(text.length > 0);
});

test('a stream gives the same text', async () => {
  for (const { english, text } of sentences.slice(0, 5)) {
    let joined = '';
    for await (const chunk of model.stream(english)) joined += chunk.text;
    assert.equal(joined, text);
  }
});
