// Invalid input, aborts and calls after disposal: a typed error, and the model keeps working.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { assertHeap } from '../lib/heap.mjs';
import { tinyModel } from '../lib/tiny_model.mjs';

const text = 'The cat sat on the mat.';

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

describe('invalid input to a loaded model', () => {
  let model;
  let heap;
  before(async () => {
    model = await loadModel(tinyModel(), { engine, prefixCacheBytes: 0 });
    // The model keeps a pass's working memory for the next one.
    const longest = [Array(24).fill(5)];
    await model.forward({ inputIds: longest, decoderInputIds: longest });
    heap = engine.info.heapBytes;
  });
  const invalid = (message) => ({ code: 'invalid_argument', message });

  test('texts that are too long or not strings', async () => {
    for (const empty of ['', '  ', '\n']) await assert.rejects(model.generate(empty), invalid(/empty text/));
    await assert.rejects(model.generate(['the cat', '']), invalid(/input 2 of 2/));
    await assert.rejects(model.translate('cat '.repeat(40), { split: false }), invalid(/41 tokens long.*24/));
    await assert.rejects(model.translate(5), invalid(/text/));
    await assert.rejects(model.translate([5]), invalid(/text/));
    await assert.rejects(model.generate({}), invalid(/string or a list of token ids/));
    await assert.rejects(model.generate([]), invalid(/is empty: it needs at least one token/));
  });

  test('token ids outside of the vocabulary', async () => {
    for (const id of [30, -1, 1.5, Number.NaN, 2 ** 40]) {
      await assert.rejects(model.generate([5, id]), invalid(/token id .* at index 1; .*0 to 29/));
    }
    await assert.rejects(model.generate([5], { prefix: [99] }), invalid(/prefix.*99/));
    await assert.rejects(
      model.forward({ inputIds: [[5, 99]], decoderInputIds: [[2]] }),
      invalid(/inputIds.*99/),
    );
    await assert.rejects(
      model.forward({ inputIds: [[5]], decoderInputIds: [[2, -3]] }),
      invalid(/decoderInputIds.*-3/),
    );
    await assert.rejects(model.generate([5], { forcedBosTokenId: 99 }), invalid(/forcedBosTokenId 99/));
    await assert.rejects(model.generate([5], { badWordsIds: [[99]] }), invalid(/99/));
  });

  test('options that are unknown or have the wrong type', async () => {
    await assert.rejects(model.translate(text, { max_new_tokens: 5 }), invalid(/maxNewTokens/));
    await assert.rejects(model.translate(text, { numBeam: 5 }), invalid(/numBeams/));
    for (const [name, value] of [
      ['maxNewTokens', 0],
      ['maxNewTokens', 1.5],
      ['minNewTokens', -1],
      ['numBeams', 0],
      ['numBeams', '4'],
      ['numReturnSequences', 5],
      ['lengthPenalty', Number.NaN],
      ['earlyStopping', 'maybe'],
      ['doSample', 1],
      ['temperature', 0],
      ['topK', -1],
      ['topP', 0],
      ['topP', 1.1],
      ['seed', -1],
      ['seed', 0.5],
      ['repetitionPenalty', 0],
      ['noRepeatNgramSize', -1],
      ['badWordsIds', [3]],
      ['badWordsIds', [[]]],
      ['stop', ['']],
      ['stop', 5],
      ['prefix', [0.5]],
      ['prefix', {}],
      ['outputAttentions', 'yes'],
      ['signal', {}],
    ]) {
      await assert.rejects(
        model.generate(text, { [name]: value }),
        { code: 'invalid_argument' },
        `${name}: ${value}`,
      );
    }
    await assert.rejects(model.translate(text, null), { code: 'invalid_argument' });
    await assert.rejects(
      model.translate(text, { doSample: true, numBeams: 2, numBeamGroups: 2, diversityPenalty: 1 }),
      invalid(/doSample/),
    );
  });

  test('inputs of forward that do not fit together', async () => {
    const forward = (inputs, options) => model.forward(inputs, options);
    await assert.rejects(forward({ inputIds: [[5]] }), invalid(/decoderInputIds is missing/));
    await assert.rejects(forward({}), invalid(/inputIds is missing/));
    await assert.rejects(forward(undefined), invalid(/input of forward must be an object/));
    await assert.rejects(forward({ inputIds: [[5], [5, 6]], decoderInputIds: [[2]] }), invalid(/ragged/));
    await assert.rejects(forward({ inputIds: [[5], [6]], decoderInputIds: [[2]] }), invalid(/batch/));
    await assert.rejects(forward({ inputIds: [[[5]]], decoderInputIds: [[2]] }), invalid(/\[batch, time\]/));
    await assert.rejects(forward({ inputIds: [], decoderInputIds: [[2]] }), invalid(/\[batch, time\]/));
    await assert.rejects(
      forward({ inputIds: [[5]], attentionMask: [[1, 1]], decoderInputIds: [[2]] }),
      invalid(/\[1, 2\].*\[1, 1\]/),
    );
    await assert.rejects(
      forward({ inputIds: [[5]], attentionMask: [[0.5]], decoderInputIds: [[2]] }),
      invalid(/attentionMask/),
    );
    await assert.rejects(forward({ inputIds: [[5]], decoderInputIDs: [[2]] }), invalid(/decoderInputIds/));
    await assert.rejects(forward({ inputIds: [[5]], decoderInputIds: [[2]], pixelValues: [] }), {
      code: 'unsupported',
    });
    const outputs = { outputAttention: true };
    await assert.rejects(
      forward({ inputIds: [[5]], decoderInputIds: [[2]] }, outputs),
      invalid(/outputAttentions/),
    );
  });

  test('an abort during generation', async () => {
    const reason = new Error('enough');
    const aborted = (error) => error === reason;
    await assert.rejects(model.translate(text, { signal: AbortSignal.abort(reason) }), aborted);
    const texts = Array(2000).fill(text);
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 30);
    await assert.rejects(model.translate(texts, { numBeams: 4, signal: controller.signal }), aborted);
    const second = new AbortController();
    const tokens = [];
    const reading = (async () => {
      for await (const { token } of model.stream(text, { minNewTokens: 20, signal: second.signal })) {
        tokens.push(token);
        second.abort(reason);
      }
    })();
    await assert.rejects(reading, aborted);
    assert.ok(tokens.length > 0);
  });

  test('afterwards nothing is leaked, and the model keeps working', async () => {
    assert.ok((await model.translate(text)).text.length > 0);
    await assert.rejects(model.generate(''), { code: 'invalid_argument' });
    assertHeap(engine, heap);
  });

  test('dispose is idempotent; later calls reject with disposed', async () => {
    const other = await loadModel(tinyModel(), { engine });
    const withTwo = engine.info.heapBytes;
    await other.dispose();
    await other.dispose();
    assert.ok(engine.info.heapBytes < withTwo);
    for (const use of [
      () => other.translate(text),
      () => other.generate(text),
      () => other.forward({ inputIds: [[5]], decoderInputIds: [[2]] }),
      () => other.stream(text).next(),
    ]) {
      await assert.rejects(use(), { code: 'disposed' });
    }
    assert.ok((await model.translate(text)).text.length > 0);
  });

  test('dispose during generation', async () => {
    const other = await loadModel(tinyModel(), { engine });
    const waiting = other.translate(Array(500).fill(text), { numBeams: 4 });
    setTimeout(() => other.dispose(), 20);
    await assert.rejects(waiting, { code: 'disposed' });
  });

  test('an engine may still be starting', async () => {
    const starting = createEngine({ threads: 1 });
    await assert.rejects(loadModel(new Map(), { engine: starting }), { code: 'missing_file' });
    const guest = await loadModel(tinyModel(), { engine: starting });
    await guest.dispose();
    const own = await starting;
    assert.equal((await own.softmax([1, 1])).data[0], 0.5, 'it belongs to the caller');
    await own.dispose();

    const broken = Promise.reject(new Error('no engine today'));
    await assert.rejects(loadModel(tinyModel(), { engine: broken }), /no engine today/);
    const wrong = Promise.resolve({});
    await assert.rejects(loadModel(tinyModel(), { engine: wrong }), {
      code: 'invalid_argument',
      message: /createEngine, got/,
    });
  });

  test('a model that owns its engine disposes it', async () => {
    const own = await loadModel(tinyModel());
    await own.dispose();
    await assert.rejects(own.engine.softmax([1, 2]), { code: 'disposed' });
    await assert.rejects(loadModel(tinyModel(), { engine: own.engine }), { code: 'disposed' });
  });
});
