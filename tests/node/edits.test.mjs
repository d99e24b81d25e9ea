// Changes of inner tensors: in a pass, in a generation, and from another run.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel, TransformerError } from '../../dist/index.js';
import { readFamilyCase } from '../lib/families.mjs';
import { assertClose, assertSameBits } from '../lib/reference.mjs';

const sentence = (word) => `The animal didn't cross the street because it was too ${word}.`;

describe('edits', () => {
  let engine;
  let translator;
  before(async () => {
    engine = await createEngine({ threads: 2 });
    translator = await loadModel(new URL('../../dist/models/en-fr', import.meta.url), { engine });
  });
  after(() => engine.dispose());

  for (const name of ['bart', 't5_v1_1', 'bert', 'gpt2', 'llama', 'bloom', 'vit', 'whisper'])
    test(`${name}: an edit that sets what was there changes no bit, and any other one does`, async () => {
      const { files, inputs } = readFamilyCase(name);
      const model = await loadModel(files(), { engine });
      const trace = ['encoder', 'decoder'].flatMap((stack) => [
        `${stack}.*`,
        `${stack}.layers.*.*`,
        `${stack}.layers.*.*.*`,
      ]);
      const has = (stack) =>
        model.config.is_encoder_decoder ||
        (stack === 'decoder') === ['gpt2', 'llama', 'bloom'].includes(name);
      const paths = trace.filter((path) => has(path.split('.')[0]));
      const run = await model.forward(inputs, { trace: paths });
      const result = (output) => output.logits ?? output.lastHiddenState;
      const names = Object.keys(run.trace).filter((path) => !path.endsWith('.logits'));
      const all = await model.forward(inputs, { edits: names.map((at) => ({ at, from: run })) });
      assertSameBits(result(all), result(run), 'all at once');
      const at = names.find((path) => path.endsWith('.weights'));
      const changed = await model.forward(inputs, { edits: [{ at, scale: 0.5 }], trace: [at] });
      assert.notDeepEqual(result(changed).data, result(run).data);
      assert.deepEqual(
        changed.trace[at].data,
        run.trace[at].data.map((weight) => 0.5 * weight),
      );
      await model.dispose();
    });

  test('with the encoder’s output of another sentence, a translation is that one’s', async () => {
    const trace = ['encoder.output', 'encoder.layers.*.residual'];
    const [tired, wide] = await Promise.all(
      ['tired', 'wide'].map((word) => translator.generate(sentence(word), { trace })),
    );
    const edits = [{ at: 'encoder.output', from: wide }];
    const patched = await translator.generate(sentence('tired'), { edits, trace });
    assert.notDeepEqual(wide.sequences[0].ids, tired.sequences[0].ids);
    assert.deepEqual(patched.sequences[0].ids, wide.sequences[0].ids);
    assert.deepEqual(patched.sequences[0].tokenScores, wide.sequences[0].tokenScores);
    assertSameBits(patched.trace['encoder.output'], wide.trace['encoder.output'], 'as the pass shows it');
    // A batch, beams and a stream are edited alike.
    const batch = await translator.generate([sentence('tired'), sentence('wide')], { edits, numBeams: 3 });
    for (const { sequences } of batch) assert.deepEqual(sequences[0].ids, batch[1].sequences[0].ids);
    let text = '';
    for await (const chunk of translator.stream(sentence('tired'), { edits })) text += chunk.text;
    assert.equal(text, wide.sequences[0].text);
    // Every state of one layer: all later ones follow.
    const layer = [{ at: 'encoder.layers.0.residual', from: wide }];
    const later = await translator.generate(sentence('tired'), { edits: layer });
    assert.deepEqual(later.sequences[0].ids, wide.sequences[0].ids);
  });

  test('heads without weights are heads that are switched off', async () => {
    const { files, inputs } = readFamilyCase('bart');
    const model = await loadModel(files(), { engine });
    const off = await model.forward(inputs, { heads: { 'encoder.layers.0.self.1': 0 } });
    const edited = await model.forward(inputs, {
      edits: [{ at: 'encoder.layers.0.self.weights', heads: [1], set: 0 }],
    });
    assertClose(edited.logits, off.logits, 1e-6, 'logits');
    await model.dispose();
  });

  test('several edits of a batch are one pass', async () => {
    const { files, inputs } = readFamilyCase('gpt2');
    const model = await loadModel(files(), { engine });
    const ids = Array.from(inputs.inputIds.data.slice(0, 4));
    const at = 'decoder.layers.0.residual';
    const single = (edit) => model.forward({ inputIds: [ids] }, { edits: [edit] });
    const wanted = await Promise.all([single({ at, add: 1 }), single({ at, positions: [1], scale: 2 })]);
    const together = await model.forward(
      { inputIds: [ids, ids, ids] },
      {
        edits: [
          { at, rows: [0], add: 1 },
          { at, rows: [1], positions: [1], scale: 2 },
        ],
      },
    );
    const size = together.logits.data.length / 3;
    const row = (i) => together.logits.data.subarray(i * size, (i + 1) * size);
    for (const [i, { logits }] of wanted.entries()) assert.deepEqual(row(i), logits.data);
    assert.deepEqual(row(2), (await model.forward({ inputIds: [ids] })).logits.data);
    await model.dispose();
  });

  test('steps are edited by their place in the whole text', async () => {
    const { files, inputs } = readFamilyCase('gpt2');
    const model = await loadModel(files(), { engine });
    const ids = Array.from(inputs.inputIds.data.slice(0, 4));
    const settings = { maxNewTokens: 5, numBeams: 1, eosTokenId: [] };
    const edits = [{ at: 'decoder.layers.0.residual', positions: [2, 6], add: 3 }];
    const { sequences } = await model.generate(ids, { ...settings, edits });
    const written = sequences[0].ids;
    // Each token is the best one of a pass over those before it, with the same edits.
    for (let end = ids.length; end < written.length; end++) {
      const inThis = [{ ...edits[0], positions: edits[0].positions.filter((place) => place < end) }];
      const { logits } = await model.forward({ inputIds: [written.slice(0, end)] }, { edits: inThis });
      const last = logits.data.subarray(-logits.shape[2]);
      assert.equal(last.indexOf(Math.max(...last)), written[end]);
    }
    await model.dispose();
  });

  test('what cannot be edited is refused, and the engine goes on', async () => {
    const { files, inputs } = readFamilyCase('bart');
    const model = await loadModel(files(), { engine });
    const at = 'encoder.output';
    const refusals = [
      [7, /edits must be a list/],
      [[{ at, set: 1, add: 1 }], /one of set, add, scale and from/],
      [[{ at }], /one of set, add, scale and from/],
      [[{ set: 1 }], /at must be a path/],
      [[{ at, set: 1, layer: 2 }], /edits\[0\].*layer/],
      [[{ at, set: 1, positions: [-1] }], /positions must be a list/],
      [[{ at, set: 1, positions: [] }], /positions must be a list/],
      [[{ at, set: 1, positions: [999] }], /no position 999/],
      [[{ at, set: 1, rows: [9] }], /no row 9/],
      [[{ at, set: 1, heads: [0] }], /has no heads/],
      [[{ at, set: [1, 2, 3, 4, 5, 6, 7] }], /the values are \[7\]/],
      [[{ at, from: { trace: {} } }], /from has no 'encoder.output'/],
      [[{ at: 'encoder.nowhere', set: 1 }], /no tensor matches 'encoder.nowhere'/],
      [[{ at: 'decoder.layers.0.logits', set: 1 }], /can be traced, but not edited/],
    ];
    const before = await model.forward(inputs);
    for (const [edits, message] of refusals)
      await assert.rejects(model.forward(inputs, { edits }), (error) => {
        assert.ok(error instanceof TransformerError, error.stack);
        assert.equal(error.code, 'invalid_argument');
        assert.match(error.message, message);
        return true;
      });
    assertSameBits((await model.forward(inputs)).logits, before.logits, 'afterwards');
    await assert.rejects(translator.generate('I am hungry.', { edits: [{ at, rows: [0], set: 1 }] }), {
      code: 'invalid_argument',
      message: /cannot be told apart/,
    });
    await model.dispose();
  });
});
