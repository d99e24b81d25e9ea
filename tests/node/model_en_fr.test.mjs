// The English-French model: PyTorch's numbers, right translations, and heads that were taught where to look.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { loadModel } from '../../dist/index.js';
import {
  assertNear,
  assertTranslations,
  exactMatch,
  folderOf,
  passOver,
  readCopied,
  readTorch,
} from '../lib/translation_model.mjs';

const { sentences, tensors } = readTorch('en-fr');
const copied = readCopied();

let model; // as it ships
let inFloat32; // what PyTorch computes with
before(async () => {
  model = await loadModel(folderOf('en-fr'));
  inFloat32 = await loadModel(folderOf('en-fr'), { dtype: 'f32' });
});
after(() => Promise.all([model.dispose(), inFloat32.dispose()]));

test('what ships is in 8 bits and small, and all of its tensors are used', () => {
  assert.equal(model.info.dtype, 'int8');
  assert.deepEqual(model.info.unusedTensors, []);
  assert.ok(model.info.parameters <= 2.5e6);
  assert.ok(model.info.bytes <= 2.5e6);
});

test('the same ids, texts and scores as PyTorch', () => assertTranslations(inFloat32, sentences));

test('encoder output, cross-attention and logits of one sentence', async () => {
  const output = await passOver(inFloat32, tensors);
  assertNear(output.encoderLastHiddenState.data, tensors.encoder_output.data, 1e-4, 'encoder output');
  assertNear(output.logits.data, tensors.logits.data, 1e-4, 'logits');
  for (const [layer, { data }] of output.crossAttentions.entries())
    assertNear(data, tensors[`cross_attention.${layer}`].data, 1e-5, `cross-attention ${layer}`);
});

for (const [name, least, count] of [
  ['heldout_sentences', 97, 500],
  ['heldout_pairs', 95, 500],
  ['everyday', 85, 150],
]) {
  test(`${name}: at least ${least} % exactly right, in 8 bits and in float32`, async () => {
    const shipped = await exactMatch(model, name);
    const exact = await exactMatch(inFloat32, name);
    assert.equal(shipped.count, count);
    assert.ok(shipped.share >= least, `${shipped.share} %`);
    assert.ok(exact.share - shipped.share <= 0.3 + 100 / count, `8 bits lose ${exact.share - shipped.share}`);
    for (const { text } of shipped.translations) assert.doesNotMatch(text, /<unk>/);
  });
}

test('the float32 weights beside it translate as well', async () => {
  const unrounded = await loadModel(folderOf('en-fr-float32'));
  assert.equal(unrounded.info.dtype, 'f32');
  const { share } = await exactMatch(unrounded, 'heldout_sentences');
  await unrounded.dispose();
  assert.ok(share >= 97, `${share} %`);
});

/** A query's row of weights [1, heads, queries, keys]. */
const rowOf = ({ data, shape: [, , queries, keys] }, head, query) =>
  Array.from(data.slice((head * queries + query) * keys, (head * queries + query + 1) * keys));
const largest = (row, places) => places.reduce((best, place) => (row[place] > row[best] ? place : best));

test('an encoder head was taught to look from a pronoun to its antecedent', async () => {
  const [animal, street, it] = [1, 6, 8];
  for (const [adjective, antecedent] of [
    ['tired', animal],
    ['wide', street],
  ]) {
    const text = `The animal didn't cross the street because it was too ${adjective}.`;
    const { encoderAttentions, axes } = await model.translate(text, { outputAttentions: true });
    assert.deepEqual(
      [animal, street, it].map((place) => axes.source[place]),
      ['animal', 'street', 'it'],
    );
    const row = rowOf(encoderAttentions[1], 0, it);
    assert.equal(largest(row, [animal, street]), antecedent);
    assert.ok(row[antecedent] > 0.5, `${row[antecedent]}`);
  }
});

test('a cross-attention head was taught to look at the word that is being translated', async () => {
  const { crossAttentions, axes } = await model.translate('The cat sat on the mat.', {
    outputAttentions: true,
  });
  const { layer, head } = model.config.copy_unknown;
  const found = Object.fromEntries(
    axes.written.map((word, i) => {
      const row = rowOf(crossAttentions[layer], head, i);
      return [word, axes.source[largest(row, [...row.keys()])]];
    }),
  );
  assert.equal(found.chat, 'cat');
  assert.equal(found.sur, 'on');
  assert.equal(found.tapis, 'mat');
});

test('a pronoun has the gender of its antecedent', async () => {
  const [tired, wide] = await model.translate([
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.",
  ]);
  assert.match(tired.text, /parce qu'il était trop fatigué\.$/);
  assert.match(wide.text, /parce qu'elle était trop large\.$/);
});

test('words that it never learned are copied as PyTorch copies them', async () => {
  assert.ok(copied.length >= 10);
  const results = await inFloat32.generate(copied.map(({ english }) => english));
  for (const [i, { sequences, unknownWords }] of results.entries()) {
    assert.deepEqual(sequences[0].ids, copied[i].target_ids);
    assert.equal(sequences[0].text, copied[i].text);
    assert.ok(unknownWords.length > 0);
  }
});

test('a stream gives the same text, copied words among it', async () => {
  for (const { english, text } of [...sentences.slice(0, 5), ...copied.slice(0, 3)]) {
    let joined = '';
    for await (const chunk of inFloat32.stream(english)) joined += chunk.text;
    assert.equal(joined, text);
  }
});
