// Generation with a model in our own format, compared with plain JavaScript and with equivalent computations.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { beamSearch, greedy, logitsOf, logSoftmax } from '../lib/beam_search.mjs';
import { assertHeap } from '../lib/heap.mjs';
import { tinyModel, vocabulary } from '../lib/tiny_model.mjs';

const sentences = [
  'The cat sat on the mat.',
  'I am like the big dog, the big cat!',
  'We ran.',
  'the red house sat on the house like a house',
];
const collect = async (chunks) => {
  const list = [];
  for await (const chunk of chunks) list.push(chunk);
  return list;
};
const start = 2;
const eos = 3;

/** What Vue's `reactive` does with a class's object: it is wrapped, and all that it holds, unless it has a name of its own. */
function deepProxy(value) {
  const isObject = typeof value === 'object' && value !== null;
  if (!isObject || !['[object Object]', '[object Array]'].includes(Object.prototype.toString.call(value)))
    return value;
  return new Proxy(value, {
    get: (target, name, receiver) => deepProxy(Reflect.get(target, name, receiver)),
  });
}

test('in a store that wraps what it is given, a model, its engine and its tokenizer work', async () => {
  const engine = await createEngine({ threads: 1 });
  const linear = await engine.linear({ weight: { data: [1, 2], shape: [1, 2] }, bias: [0] });
  const store = deepProxy({ model: await loadModel(tinyModel(), { engine }), engine, linear });
  const [sentence] = sentences;
  assert.equal(typeof (await store.model.translate(sentence)).text, 'string');
  assert.ok(store.model.tokenizer.encode(sentence).ids.length > 0);
  assert.deepEqual(Array.from((await store.engine.softmax([1, 1])).data), [0.5, 0.5]);
  assert.deepEqual(Array.from((await store.linear.forward([[3, 4]])).data), [11]);
  await store.model.dispose();
  await store.engine.dispose();
});

describe('a tiny model', () => {
  let engine;
  let model;
  const encode = (text) => model.tokenizer.encode(text).ids;
  before(async () => {
    engine = await createEngine({ threads: 1 });
    model = await loadModel(tinyModel(), { engine });
  });
  after(() => engine.dispose());

  test('greedy decoding equals plain JavaScript, with its scores', async () => {
    for (const text of sentences) {
      const { sequences } = await model.generate(text, { maxNewTokens: 10 });
      const [{ ids, tokenScores, score }] = sequences;
      assert.deepEqual(ids, await greedy(model, encode(text), { start, eos, maxNewTokens: 10 }));
      const { logits } = await model.forward({
        inputIds: [encode(text)],
        decoderInputIds: [ids.slice(0, -1)],
      });
      const scores = await engine.softmax(logits);
      const full = await logitsOf(model, encode(text), ids.slice(0, -1));
      for (const [t, row] of full.entries()) {
        const vocab = row.length;
        assert.ok(Math.abs(tokenScores[t] - logSoftmax(row)[ids[t + 1]]) < 1e-5);
        assert.ok(Math.abs(Math.exp(tokenScores[t]) - scores.data[t * vocab + ids[t + 1]]) < 1e-6);
      }
      const sum = tokenScores.reduce((total, one) => Math.fround(total + one), 0);
      assert.equal(score, sum);
    }
  });

  test('cached decoding gives the same bits as one pass over all tokens', async () => {
    for (const text of sentences) {
      const { ids, tokenScores } = (await model.generate(text, { maxNewTokens: 10 })).sequences[0];
      for (let given = 1; given < tokenScores.length; given++) {
        const prefix = ids.slice(1, 1 + given);
        const rest = await model.generate(text, { prefix, maxNewTokens: 10 - given });
        assert.deepEqual(rest.sequences[0].ids, ids);
        assert.deepEqual(rest.sequences[0].tokenScores, tokenScores.slice(given));
      }
    }
  });

  for (const [lengthPenalty, earlyStopping] of [
    [1, false],
    [0, true],
    [2, 'never'],
    [-1, false],
  ]) {
    test(`beam search equals plain JavaScript: length penalty ${lengthPenalty}, early stopping ${earlyStopping}`, async () => {
      for (const text of sentences) {
        const options = { numBeams: 3, maxNewTokens: 8, lengthPenalty, earlyStopping };
        const { sequences } = await model.generate(text, { ...options, numReturnSequences: 3 });
        const twin = await beamSearch(model, encode(text), { start, eos, ...options });
        assert.deepEqual(
          sequences.map(({ ids }) => ids),
          twin.map(({ ids }) => ids),
        );
        for (const [i, { score }] of sequences.entries()) assert.ok(Math.abs(score - twin[i].score) < 1e-4);
      }
    });
  }

  test('a batch of texts gives the same bits as each text alone', async () => {
    for (const options of [{}, { numBeams: 3, numReturnSequences: 2 }, { doSample: true, seed: 7 }]) {
      const together = await model.generate(sentences, { ...options, maxNewTokens: 12 });
      for (const [i, text] of sentences.entries()) {
        assert.deepEqual(together[i], await model.generate(text, { ...options, maxNewTokens: 12 }));
      }
    }
  });

  test('sampling is determined by its seed', async () => {
    const sample = (seed) =>
      model.generate(sentences[0], { doSample: true, seed, temperature: 3, maxNewTokens: 10 });
    assert.deepEqual(await sample(1), await sample(1));
    const drawn = new Set();
    for (let seed = 0; seed < 8; seed++) drawn.add(String((await sample(seed)).sequences[0].ids));
    assert.ok(drawn.size > 4);
    const unseeded = await model.generate(sentences[0], { doSample: true, maxNewTokens: 5 });
    const again = await model.generate(sentences[0], {
      doSample: true,
      maxNewTokens: 5,
      seed: unseeded.seed,
    });
    assert.deepEqual(again, unseeded);
  });

  test('sampling from a single token (top-k 1, or one probable token) equals greedy decoding', async () => {
    const greedily = await model.generate(sentences[0], { maxNewTokens: 10 });
    const sampled = await model.generate(sentences[0], { doSample: true, topK: 1, maxNewTokens: 10 });
    assert.deepEqual(sampled.sequences[0].ids, greedily.sequences[0].ids);
  });

  test('the chunks of a stream join to the result, token by token', async () => {
    for (const text of sentences) {
      for (const options of [
        {},
        { numBeams: 3 },
        { doSample: true, seed: 3, temperature: 2 },
        { prefix: 'le chat' },
      ]) {
        const full = { ...options, maxNewTokens: 12 };
        const chunks = await collect(model.stream(text, full));
        const [best] = (await model.generate(text, full)).sequences;
        const promptLength = best.ids.length - best.tokenScores.length;
        assert.equal(chunks.map((chunk) => chunk.text).join(''), best.text);
        assert.deepEqual(
          chunks.map(({ id }) => id),
          best.ids.slice(promptLength),
        );
        assert.deepEqual(
          chunks.map(({ token }) => token),
          best.tokens,
        );
        assert.deepEqual(
          chunks.map(({ score }) => score),
          best.tokenScores,
        );
      }
    }
  });

  test("leaving a stream's loop early frees everything", async () => {
    const heap = engine.info.heapBytes;
    for await (const chunk of model.stream(sentences[0], { maxNewTokens: 12 })) {
      assert.equal(typeof chunk.token, 'string');
      break;
    }
    assertHeap(engine, heap);
  });

  test('unknown words as written, and the positions of tokens', async () => {
    const result = await model.translate('The zorglub sat, Flooping on the cats!');
    assert.deepEqual(result.unknownWords, ['zorglub', 'Flooping']);
    assert.deepEqual(result.sourceTokens, [
      ...['the', '<unk>', 'sat', ',', '<unk>', 'on', 'the', 'cat', '##s', '!', '</s>'],
    ]);
    const places = result.sourceOffsets.map(
      (place) => place && 'The zorglub sat, Flooping on the cats!'.slice(...place),
    );
    assert.deepEqual(places, ['The', 'zorglub', 'sat', ',', 'Flooping', 'on', 'the', 'cat', 's', '!', null]);
  });

  test('translate: text, tokens without special ones, a score; several in order', async () => {
    const one = await model.translate(sentences[0], { maxNewTokens: 12 });
    const { sequences } = await model.generate(sentences[0], { maxNewTokens: 12 });
    assert.equal(one.text, sequences[0].text);
    assert.equal(one.score, sequences[0].score);
    assert.ok(one.tokens.every((token) => !['<s>', '</s>', '<pad>'].includes(token)));
    const many = await model.translate(sentences, { maxNewTokens: 12 });
    assert.deepEqual(many[0], one);
    assert.equal(many.length, sentences.length);
    assert.deepEqual(await model.translate([]), []);
    const { alternatives } = await model.translate(sentences[0], { numBeams: 4, numReturnSequences: 3 });
    assert.equal(alternatives.length, 3);
    assert.ok(
      alternatives[0].score >= alternatives[1].score && alternatives[1].score >= alternatives[2].score,
    );
  });

  test('a stop text ends text and ids', async () => {
    const { sequences } = await model.generate(sentences[0], { maxNewTokens: 15 });
    const [{ ids, tokens, text, tokenScores }] = sequences;
    const at = 3;
    const stop = tokens[at];
    const first = tokens.indexOf(stop);
    const stopped = (await model.generate(sentences[0], { maxNewTokens: 15, stop })).sequences[0];
    assert.equal(stopped.text, text.slice(0, text.indexOf(stop)));
    assert.ok(!stopped.text.includes(stop));
    assert.deepEqual(stopped.ids, ids.slice(0, first + 2));
    assert.deepEqual(stopped.tokenScores, tokenScores.slice(0, first + 1));
    const chunks = await collect(
      model.stream(sentences[0], { maxNewTokens: 15, stop: [stop, 'never comes'] }),
    );
    assert.equal(chunks.map((chunk) => chunk.text).join(''), stopped.text);
  });

  test('a prefix begins the answer', async () => {
    const withText = (await model.generate(sentences[0], { prefix: 'le chat', maxNewTokens: 5 }))
      .sequences[0];
    const ids = ['le', 'chat'].map((word) => vocabulary.indexOf(word));
    const withIds = (await model.generate(sentences[0], { prefix: ids, maxNewTokens: 5 })).sequences[0];
    assert.deepEqual(withText.ids.slice(0, 3), [start, ...ids]);
    assert.deepEqual(withText, withIds);
    assert.match(withText.text, /^le chat/);
    await assert.rejects(model.generate(sentences[0], { prefix: 'le zorglub' }), {
      code: 'invalid_argument',
      message: /zorglub/,
    });
  });

  test('rules: lengths, forced and forbidden tokens, no repetition', async () => {
    const idsOf = async (options) => {
      const { sequences } = await model.generate(sentences[0], options);
      return sequences[0].ids.slice(1);
    };
    assert.ok((await idsOf({ maxNewTokens: 4 })).length <= 4);
    // There are positions for 24 tokens, and the last token is generated but not fed.
    assert.equal((await idsOf({ minNewTokens: 90, maxNewTokens: 99 })).length, 24);
    const long = await idsOf({ minNewTokens: 9, maxNewTokens: 12 });
    assert.ok(long.length >= 9 && !long.slice(0, 8).includes(eos));
    assert.equal((await idsOf({ forcedBosTokenId: 20, maxNewTokens: 4 }))[0], 20);
    assert.equal((await idsOf({ forcedEosTokenId: eos, minNewTokens: 3, maxNewTokens: 4 })).at(-1), eos);
    const [firstId] = await idsOf({ maxNewTokens: 4 });
    assert.ok(!(await idsOf({ badWordsIds: [[firstId]], maxNewTokens: 8 })).includes(firstId));
    const unique = (await idsOf({ noRepeatNgramSize: 1, maxNewTokens: 10 })).filter((id) => id !== eos);
    assert.equal(new Set(unique).size, unique.length);
  });

  test('attention weights of a result, with tokens that label their axes', async () => {
    const result = await model.generate(sentences[0], { maxNewTokens: 6, outputAttentions: true });
    const [{ ids, tokens }] = result.sequences;
    const { axes, crossAttentions, encoderAttentions, decoderAttentions } = result;
    assert.deepEqual(axes.source, result.inputTokens);
    assert.deepEqual(axes.written, tokens);
    assert.deepEqual(axes.decoder, ['<s>', ...tokens.slice(0, -1)]);
    const written = ids.length - 1;
    const source = axes.source.length;
    assert.deepEqual(
      crossAttentions.map(({ shape }) => shape),
      Array(2).fill([1, 2, written, source]),
    );
    assert.deepEqual(
      encoderAttentions.map(({ shape }) => shape),
      Array(2).fill([1, 2, source, source]),
    );
    assert.deepEqual(
      decoderAttentions.map(({ shape }) => shape),
      Array(2).fill([1, 2, written, written]),
    );
    for (const { data, shape } of [...crossAttentions, ...encoderAttentions, ...decoderAttentions]) {
      for (let row = 0; row < data.length; row += shape[3]) {
        const sum = data.subarray(row, row + shape[3]).reduce((total, weight) => total + weight, 0);
        assert.ok(Math.abs(sum - 1) < 1e-5);
      }
    }
  });

  test('hidden states begin with the embeddings and end with the output', async () => {
    const output = await model.forward(
      { inputIds: [encode(sentences[0])], decoderInputIds: [[start, 20, 21]] },
      { outputHiddenStates: true },
    );
    assert.equal(output.encoderHiddenStates.length, 3);
    assert.equal(output.decoderHiddenStates.length, 3);
    assert.deepEqual(output.encoderHiddenStates.at(-1), output.encoderLastHiddenState);
    assert.deepEqual(output.decoderHiddenStates[0].shape, [1, 3, 16]);
    assert.equal(output.crossAttentions, undefined);
  });

  test('padding changes nothing', async () => {
    const source = encode(sentences[0]);
    const target = [start, 20, 21];
    const alone = await model.forward({ inputIds: [source], decoderInputIds: [target] });
    const padded = await model.forward({
      inputIds: [
        [...source, 0, 0, 0],
        [...source, ...source.slice(0, 3)],
      ],
      attentionMask: [[...source.map(() => 1), 0, 0, 0], source.map(() => 1).concat(1, 1, 1)],
      decoderInputIds: [
        [...target, 0],
        [start, 22, 23, 24],
      ],
      decoderAttentionMask: [
        [1, 1, 1, 0],
        [1, 1, 1, 1],
      ],
    });
    assert.deepEqual(padded.logits.data.slice(0, alone.logits.data.length), alone.logits.data);
  });
});

test('the same bits with one thread and three, in this thread and in a worker', async () => {
  const answers = [];
  for (const where of [{ threads: 1 }, { threads: 3 }, { threads: 2, worker: true }]) {
    const engine = await createEngine({ simd: 'simd128', ...where });
    const model = await loadModel(tinyModel(), { engine });
    const options = { numBeams: 3, numReturnSequences: 3, outputAttentions: true };
    const sampled = { doSample: true, seed: 5, temperature: 2 };
    answers.push([await model.generate(sentences, options), await model.generate(sentences, sampled)]);
    await engine.dispose();
  }
  assert.deepEqual(answers[1], answers[0]);
  assert.deepEqual(answers[2], answers[0]);
});

describe('a single stack', () => {
  test('a decoder alone continues the prompt', async () => {
    const config = { num_encoder_layers: 0, positions: 'alibi', max_length: 12, norm: 'pre' };
    const model = await loadModel(tinyModel({ config, tokenizer: false, seed: 4 }));
    const prompt = [5, 9, 14];
    const { sequences } = await model.generate(prompt);
    assert.deepEqual(sequences[0].ids.slice(0, 3), prompt);
    assert.ok(sequences[0].ids.length <= 12);
    const { logits } = await model.forward({ inputIds: sequences[0].ids.slice(0, -1) });
    for (const [t, score] of sequences[0].tokenScores.entries()) {
      const row = Array.from(logits.data.subarray((t + 2) * vocabulary.length, (t + 3) * vocabulary.length));
      assert.ok(Math.abs(logSoftmax(row)[sequences[0].ids[t + 3]] - score) < 1e-5);
    }
    const mixed = [prompt, [7], [1, 2, 3, 4, 5, 6]];
    const together = await model.generate(mixed);
    for (const [i, ids] of mixed.entries()) assert.deepEqual(together[i], await model.generate(ids));
    const joined = (await collect(model.stream(prompt))).map(({ id }) => id);
    assert.deepEqual([...prompt, ...joined], sequences[0].ids);
    await assert.rejects(model.translate('the cat'), { code: 'unsupported' });
    await model.dispose();
  });

  test('an encoder alone returns hidden states and attentions', async () => {
    const config = { num_decoder_layers: 0, tie_embeddings: false };
    const model = await loadModel(tinyModel({ config }));
    const output = await model.forward(
      { inputIds: [5, 9, 14] },
      { outputAttentions: true, outputHiddenStates: true },
    );
    assert.deepEqual(output.lastHiddenState.shape, [1, 3, 16]);
    assert.equal(output.logits, undefined);
    assert.deepEqual(output.hiddenStates.at(-1), output.lastHiddenState);
    assert.deepEqual(
      output.attentions.map(({ shape }) => shape),
      Array(2).fill([1, 2, 3, 3]),
    );
    await assert.rejects(model.generate([5]), { code: 'unsupported', message: /decoder/ });
    await assert.rejects(model.forward({ inputIds: [5], decoderInputIds: [5] }), {
      code: 'invalid_argument',
    });
    await model.dispose();
  });
});
