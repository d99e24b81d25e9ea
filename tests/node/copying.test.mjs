// Words that the model never learned are copied from the source, as config.json's `copy_unknown` says. The tiny model
// knows no language, so it is forced to begin with an unknown token.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { tinyConfig, tinyModel } from '../lib/tiny_model.mjs';

const unknownId = tinyConfig.unk_token_id;
const text = 'the Zorglub sat on Blicket.';
const forced = { forcedBosTokenId: unknownId, maxNewTokens: 5 };

let engine;
before(async () => {
  engine = await createEngine();
});
after(() => engine.dispose());
const load = (changes) => loadModel(tinyModel({ config: { ...tinyConfig, ...changes } }), { engine });

/** The words for a result's unknown tokens, from the attention that `forward` returns. */
async function wordsByHand(model, { inputIds, inputOffsets }, ids, { layer, head }) {
  const { crossAttentions } = await model.forward(
    { inputIds, decoderInputIds: ids.slice(0, -1) },
    { outputAttentions: true },
  );
  const [, , time, keys] = crossAttentions[layer].shape;
  const unknown = inputIds.flatMap((id, place) => (id === unknownId ? [place] : []));
  const places = unknown.length > 0 ? unknown : [...inputIds.keys()].filter((i) => inputOffsets[i]);
  return ids.flatMap((id, i) => {
    if (i === 0 || id !== unknownId) return [];
    const row = crossAttentions[layer].data.subarray((head * time + i - 1) * keys, (head * time + i) * keys);
    const best = places.reduce((most, place) => (row[place] > row[most] ? place : most));
    return [inputOffsets[best]];
  });
}

for (const copying of [
  { layer: 0, head: 1 },
  { layer: 1, head: 0 },
]) {
  test(`layer ${copying.layer}, head ${copying.head}: the word that it looks at most, as typed`, async () => {
    const model = await load({ copy_unknown: copying });
    for (const [i, source] of [text, 'Wug, Dax Fep', 'the cat sat on the mat'].entries()) {
      const result = await model.generate(source, { ...forced, numBeams: 3, numReturnSequences: 3 });
      for (const { ids, text: written, tokens } of result.sequences) {
        const spans = await wordsByHand(model, result, ids, copying);
        const words = spans.map((span) => source.slice(...span));
        assert.ok(words.length > 0);
        const copied = ids.slice(1).flatMap((id, place) => (id === unknownId ? [tokens[place]] : []));
        assert.deepEqual(copied, words, `source ${i}`);
        assert.ok(written.startsWith(words[0]), written);
        assert.doesNotMatch(written + tokens.join(), /<unk>/);
      }
    }
    await model.dispose();
  });
}

test('translate, stream, stop texts and labels of attention agree', async () => {
  const model = await load({ copy_unknown: { layer: 1, head: 0 } });
  const translation = await model.translate(text, { ...forced, outputAttentions: true });
  assert.match(translation.text, /^(Zorglub|Blicket)/);
  const [word] = translation.tokens;
  assert.equal(translation.axes.written[0], word);
  assert.equal(translation.axes.decoder[1], word);
  assert.deepEqual(translation.unknownWords, ['Zorglub', 'Blicket']);
  const chunks = [];
  for await (const chunk of model.stream(text, forced)) chunks.push(chunk);
  assert.equal(chunks.map((chunk) => chunk.text).join(''), translation.text);
  assert.deepEqual([chunks[0].token, chunks[0].id], [word, unknownId]);
  assert.equal((await model.translate(text, { ...forced, stop: word })).text, '');
  const [first, second] = await model.translate([text, 'Dax ran'], forced);
  assert.equal(first.text, translation.text);
  assert.match(second.text, /^Dax/);
  await model.dispose();
});

test('without copy_unknown, and for ids without a text, the token stays', async () => {
  const [plain, model] = await Promise.all([load({}), load({ copy_unknown: { layer: 1, head: 0 } })]);
  assert.match((await plain.translate(text, forced)).text, /^<unk>/);
  assert.match((await model.generate([4, unknownId, 3], forced)).sequences[0].text, /^<unk>/);
  await Promise.all([plain.dispose(), model.dispose()]);
});

test('a head that the model does not have is an error of the checkpoint', async () => {
  for (const head of [
    { layer: 2, head: 0 },
    { layer: 0, head: 2 },
  ]) {
    const model = await load({ copy_unknown: head });
    const message = /copy_unknown names layer \d, head \d, which the decoder does not have/;
    await assert.rejects(model.translate(text, forced), { code: 'bad_checkpoint', message });
    await model.dispose();
  }
  await assert.rejects(load({ copy_unknown: { layer: 1 } }), { code: 'bad_checkpoint', message: /no head/ });
});
