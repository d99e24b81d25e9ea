// Translations of whole texts: nothing is lost, and one sentence gives the bits that the model gives for it alone.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { translateTexts } from '../../build/modules/texts/documents.js';
import { createEngine, loadModel } from '../../dist/index.js';
import { tinyConfig, tinyModel } from '../lib/tiny_model.mjs';

const folder = new URL('../../web/public/models/en-fr/', import.meta.url);
let engine;
let model;
before(async () => {
  engine = await createEngine();
  model = await loadModel(folder, { engine });
});
after(() => engine.dispose());

function randomFrom(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
}

const who = ['The cat', 'A small dog', 'My sister', 'The old man', 'Dr. Smith', 'Our neighbour'];
const does = ['sees', 'wants', 'likes', 'eats', 'has'];
const what = ['the red car', 'a big house', 'the bread', 'an apple', 'the blue book', 'Zorglub'];
const gaps = [' ', ' ', '  ', '\n', '\n\n', '\r\n- ', '\n\t* ', '\n12. ', '\n---\n', '\u00a0', ' 🙂\n'];

/** A made-up text of so many sentences. */
function textOf(count, random) {
  let text = gaps[random(gaps.length)].trimStart();
  for (let i = 0; i < count; i++) {
    const sentence = [who, does, what].map((words) => words[random(words.length)]).join(' ');
    text += `${sentence}${'.!?'[random(3)]}${gaps[random(gaps.length)]}`;
  }
  return text;
}

/** Every sentence stands in its ranges, and what lies between them has nothing to translate and is left as it was. */
function checkRanges(source, { text, sentences }) {
  let [from, to] = [0, 0];
  for (const sentence of sentences) {
    assert.ok(sentence.source[0] >= from && sentence.source[1] > sentence.source[0]);
    const between = source.slice(from, sentence.source[0]);
    assert.doesNotMatch(between.replace(/\d+\. /g, ''), /[\p{L}\p{N}]/u);
    assert.equal(text.slice(to, sentence.target[0]), between);
    assert.equal(text.slice(...sentence.target), sentence.text);
    assert.ok(sentence.confidence >= 0 && sentence.confidence <= 1);
    [from, to] = [sentence.source[1], sentence.target[1]];
  }
  assert.equal(text.slice(to), source.slice(from));
}

test('the second and third sentence are not lost', async () => {
  const { text, sentences } = await model.translate('The cat is hungry. The dog is tired. I am happy.');
  assert.equal(text, 'Le chat a faim. Le chien est fatigué. Je suis heureux.');
  assert.deepEqual(
    sentences.map(({ source, target }) => [source, target]),
    [
      [
        [0, 18],
        [0, 15],
      ],
      [
        [19, 36],
        [16, 37],
      ],
      [
        [37, 48],
        [38, 54],
      ],
    ],
  );
});

test('the marks of kept spans and of other languages end sentences, too', async () => {
  for (const sentences of [
    ['Τι κάνεις;', 'Καλά.'],
    ['You can find it at N°. 1026.253.553.', 'That is where it is.'],
    ['Hmm…', 'The cat is here.'],
  ]) {
    const text = sentences.join(' ');
    const { sentences: found } = await model.translate(text);
    assert.deepEqual(
      found.map(({ source }) => text.slice(...source)),
      sentences,
    );
  }
});

test('a sentence that begins with a number is not lost', async () => {
  for (const source of ['I am here. 300 cats are here.', 'I am here. 300', 'I pay $3.50 here.']) {
    const { sentences } = await model.translate(source);
    assert.equal(sentences.length, source.includes('. 300') ? 2 : 1, source);
  }
});

test('2,000 sentences: every range once, each translated as it is alone', async () => {
  const source = textOf(2000, randomFrom(3));
  const reports = [];
  const result = await model.translate(source, { onProgress: (progress) => reports.push(progress) });
  assert.equal(result.sentences.length, 2000);
  checkRanges(source, result);
  assert.deepEqual(reports.at(-1), { done: 2000, total: 2000 });
  assert.ok(reports.every(({ done }, i) => done === i + 1));
  const alone = new Map();
  for (const { source: range, text, score, tokens } of result.sentences) {
    const sentence = source.slice(...range);
    if (!alone.has(sentence)) alone.set(sentence, { text, score, tokens });
    assert.deepEqual({ text, score, tokens }, alone.get(sentence), sentence);
  }
  const some = [...alone.keys()].slice(0, 40);
  for (const [i, { text, score }] of (await model.translate(some, { split: false })).entries())
    assert.deepEqual([text, score], [alone.get(some[i]).text, alone.get(some[i]).score], some[i]);
});

test('made-up texts, together and as a stream', async () => {
  const random = randomFrom(11);
  const sources = Array.from({ length: 12 }, () => textOf(1 + random(9), random));
  const results = await model.translate(sources);
  for (const [i, source] of sources.entries()) {
    checkRanges(source, results[i]);
    const streamed = [];
    const sentences = model.streamTranslation(source);
    for (;;) {
      const { done, value } = await sentences.next();
      if (done) {
        assert.deepEqual(value, results[i]);
        break;
      }
      streamed.push(value);
    }
    assert.deepEqual(streamed, results[i].sentences);
  }
});

describe('one sentence', () => {
  const source = 'The black cat sleeps in the house.';

  test('gives the same bits as the model alone, whatever is asked for', async () => {
    for (const options of [
      {},
      { numBeams: 3, numReturnSequences: 2 },
      { outputAttentions: true, outputHiddenStates: true },
      { doSample: true, seed: 5, temperature: 2 },
    ]) {
      const raw = await model.translate(source, { ...options, split: false });
      assert.deepEqual(await model.translate(source, options), raw);
      const { sequences, crossAttentions } = await model.generate(source, options);
      assert.deepEqual([raw.text, raw.score], [sequences[0].text, sequences[0].score]);
      assert.deepEqual(raw.crossAttentions, crossAttentions);
      assert.equal(raw.alternatives?.length, options.numReturnSequences);
    }
  });

  test('with white space around it', async () => {
    const { text, tokens, sourceOffsets, score } = await model.translate(`\n  ${source}\t`);
    const alone = await model.translate(source);
    assert.deepEqual([text, tokens, score], [`\n  ${alone.text}\t`, alone.tokens, alone.score]);
    const words = (offsets, whole) => offsets.map((span) => span && whole.slice(...span));
    assert.deepEqual(words(sourceOffsets, `\n  ${source}\t`), words(alone.sourceOffsets, source));
  });
});

test('of several sentences each has its own alternatives and attention', async () => {
  const source = 'The cat is hungry. The dog is tired.';
  const options = { numBeams: 2, numReturnSequences: 2, outputAttentions: true };
  const { sentences, ...whole } = await model.translate(source, options);
  assert.equal(whole.alternatives, undefined);
  assert.equal(whole.crossAttentions, undefined);
  for (const { source: range, alternatives, crossAttentions } of sentences) {
    const alone = await model.translate(source.slice(...range), options);
    assert.deepEqual(alternatives, alone.alternatives);
    assert.deepEqual(crossAttentions, alone.crossAttentions);
  }
  assert.equal(whole.score, sentences[0].score + sentences[1].score);
  assert.deepEqual(whole.tokens, [...sentences[0].tokens, ...sentences[1].tokens]);
  const read = whole.sourceOffsets.map((span) => span && source.slice(...span).trim()).filter(Boolean);
  assert.equal(read.join(' '), 'The cat is hungry . The dog is tired .');
});

describe('what is longer than the model’s maximum', () => {
  test('is broken between words, and nothing is lost', async () => {
    const clauses = Array.from({ length: 60 }, (_, i) => `${who[i % 4]} ${does[i % 5]} ${what[i % 5]}`);
    const source = `${clauses.join(', and ')}.`;
    const result = await model.translate(source);
    assert.ok(result.sentences.length >= 4);
    checkRanges(source, result);
    for (const { source: range } of result.sentences) {
      assert.match(`${source.slice(0, range[0])}|`, /(^|\s)\|$/);
      assert.ok(model.tokenizer.encode(source.slice(...range)).ids.length <= 128);
    }
    await assert.rejects(model.translate(source, { split: false }), { code: 'invalid_argument' });
  });

  test('a single word is copied, and listed', async () => {
    const word = 'x'.repeat(20_000);
    const { text, unknownWords, sentences } = await model.translate(`I am hungry. ${word} I am here.`);
    assert.ok(text.includes(word));
    assert.ok(unknownWords.includes(word));
    assert.ok(sentences.some(({ isCopied, source }) => isCopied && source[1] - source[0] === 20_000));
  });

  test('a translation that the maximum would cut comes in parts, unless the caller set it', async () => {
    const short = await loadModel(
      tinyModel({ config: tinyConfig, generation: { max_length: 6, eos_token_id: 3 } }),
      { engine },
    );
    const source = `${'the cat sat on the mat '.repeat(3).trim()}`;
    const parts = await short.translate(source);
    checkRanges(source, parts);
    assert.ok(parts.sentences.length > 1);
    const { sentences } = await short.translate(source, { maxNewTokens: 5 });
    assert.deepEqual([sentences.length, sentences[0].isCut], [1, true]);
    await short.dispose();
  });
});

test('what has nothing to translate stays', async () => {
  for (const source of ['...', '\u0007', ' 🙂 \n---\n', '!?']) {
    const { text, sentences } = await model.translate(source);
    assert.deepEqual([text, sentences], [source, []]);
  }
});

test('the words of each sentence are aligned, by the head that was taught to', async () => {
  const source = 'I am here.\n\nThe red car is big. My cat sees Zorglub.';
  const { text, sentences } = await model.translate(source, { alignment: true });
  const links = sentences.flatMap(({ alignment: { from, sourceWords, targetWords, weights, links } }) => {
    assert.equal(from, 'head');
    assert.deepEqual(weights.shape, [targetWords.length, sourceWords.length]);
    return links.map((link, i) => [
      text.slice(...targetWords[i]),
      source.slice(...(sourceWords[link] ?? [0, 0])),
    ]);
  });
  for (const [target, word] of [
    ['voiture', 'car'],
    ['rouge', 'red'],
    ['grande', 'big'],
    ['chat', 'cat'],
    ['Zorglub', 'Zorglub'],
  ])
    assert.ok(
      links.some(([a, b]) => a === target && b === word),
      `${target}: ${JSON.stringify(links)}`,
    );
});

test('an alignment asks for the weights of one layer, and for no logits', async () => {
  const { host } = model.loaded;
  const { invoke } = host;
  const asked = [];
  host.invoke = (target, method, ...args) => {
    if (method === 'forward') asked.push(args.at(-1));
    return invoke.call(host, target, method, ...args);
  };
  try {
    await model.translate('I am here. My cat sees Zorglub.', { alignment: true });
  } finally {
    host.invoke = invoke;
  }
  assert.ok(asked.length > 0);
  for (const { outputAttentions, trace, skipLogits } of asked)
    assert.deepEqual([outputAttentions, trace.length, skipLogits], [undefined, 1, true]);
});

test('without such a head, words are aligned by the mean of the last layer', async () => {
  const plain = await loadModel(tinyModel({ config: tinyConfig }), { engine });
  const source = 'the cat sat';
  const { sentences } = await plain.translate(source, { alignment: true, maxNewTokens: 4, minNewTokens: 4 });
  const { alignment, axes } = sentences[0];
  assert.deepEqual([alignment.from, axes], ['mean', undefined]);
  const { data, shape } = alignment.weights;
  for (let row = 0; row < shape[0]; row++) {
    const sum = data
      .subarray(row * shape[1], (row + 1) * shape[1])
      .reduce((total, weight) => total + weight, 0);
    assert.ok(sum <= 1.0001 && sum > 0, `${sum}`);
  }
  await plain.dispose();
});

describe('prefixes', () => {
  const read = async (text, { tokens = [], config = {} } = {}) => {
    const tokenizer = {
      encodeLong: async (one) => ({ ids: one.split(' ') }),
      idOf: (token) => (tokens.includes(token) ? 7 : null),
    };
    const inputs = [];
    const translator = {
      model: { tokenizer, config, plan: { maxPositions: 12 } },
      async *each(given) {
        for (const [place, { text: input, encoding }] of given.entries()) {
          inputs.push(input);
          const sentence = { text: input, tokens: [], score: 0, confidence: 1, unknownWords: [] };
          yield { place, sentence: { ...sentence, sourceTokens: encoding.ids, sourceOffsets: [] } };
        }
      },
    };
    await translateTexts(translator, [text], { generation: {} });
    return inputs;
  };

  test('stand before each sentence and each part', async () => {
    const task = 'translate English to German: ';
    assert.deepEqual(await read(`${task}A b. C d.`), [`${task}A b.`, `${task}C d.`]);
    const long = await read(`${task}${'word '.repeat(20).trim()}.`);
    assert.ok(long.length > 2);
    for (const part of long) assert.ok(part.startsWith(task) && part.split(' ').length <= 12, part);
  });

  test('are those of the tasks, and tokens of languages if the model knows them', async () => {
    const config = { task_specific_params: { sum: { prefix: 'shorten: ' } } };
    assert.deepEqual(await read('shorten: One. Two.', { config }), ['shorten: One.', 'shorten: Two.']);
    assert.deepEqual(await read('>>fra<< One. Two.', { tokens: ['>>fra<<'] }), [
      '>>fra<< One.',
      '>>fra<< Two.',
    ]);
    assert.deepEqual(await read('<2de> One. Two.', { tokens: ['<2de>'] }), ['<2de> One.', '<2de> Two.']);
    assert.deepEqual(await read('One: two. Three.'), ['One: two.', 'Three.']);
  });
});

describe('options and errors', () => {
  const source = textOf(300, randomFrom(5));

  test('an abort ends the work with its reason, and the model goes on', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const onProgress = ({ done }) => done === 40 && controller.abort(reason);
    await assert.rejects(model.translate(source, { signal: controller.signal, onProgress }), reason);
    const seen = [];
    await assert.rejects(async () => {
      const later = new AbortController();
      for await (const sentence of model.streamTranslation(source, { signal: later.signal })) {
        seen.push(sentence);
        if (seen.length === 5) later.abort(reason);
      }
    }, reason);
    assert.equal(seen.length, 5);
    assert.equal((await model.translate('I am hungry.')).sentences.length, 1);
  });

  test('leaving the loop ends the work', async () => {
    for await (const { source: range } of model.streamTranslation(source)) {
      assert.ok(range[1] > 0);
      break;
    }
    assert.equal((await model.translate('I am hungry.')).sentences.length, 1);
  });

  test('a function for the allowed tokens is told the places of texts', async () => {
    const places = new Set();
    const prefixAllowedTokens = (place) => {
      places.add(place);
      return [5, 3];
    };
    await model.translate(['The cat. The dog. A car.', 'I am here.'], { prefixAllowedTokens });
    assert.deepEqual([...places].sort(), [0, 1]);
  });

  test('wrong ones are named', async () => {
    const invalid = (message) => ({ code: 'invalid_argument', message });
    await assert.rejects(model.translate('a', { splitt: true }), invalid(/did you mean 'split'/));
    await assert.rejects(model.translate('a', { split: 1 }), invalid(/split must be true or false/));
    await assert.rejects(
      model.translate('a', { sourceLanguage: '??' }),
      invalid(/sourceLanguage must be a language/),
    );
    await assert.rejects(model.translate('a', { onProgress: 1 }), invalid(/onProgress must be a function/));
    await assert.rejects(model.translate('a', { maxNewToken: 1 }), invalid(/did you mean 'maxNewTokens'/));
    await assert.rejects(model.translate('a', { attributes: true }), invalid(/attributes needs html: true/));
    await assert.rejects(model.streamTranslation('<p>a</p>', { html: true }).next(), {
      code: 'unsupported',
      message: /HTML is translated as a whole/,
    });
  });
});

test('white space alone comes back as it is', async () => {
  for (const source of ['', ' ', ' \r\n\t\f', '\u3000\n'])
    for (const options of [{}, { split: false }, { alignment: true }, { html: true }]) {
      const { text, sentences, tokens } = await model.translate(source, options);
      assert.deepEqual([text, sentences, tokens], [source, [], []]);
    }
  const [blank, whole] = await model.translate([' ', 'The cat is hungry.'], { split: false });
  assert.deepEqual([blank.text, whole.text], [' ', 'Le chat a faim.']);
  assert.deepEqual((await model.streamTranslation('\n').next()).value.text, '\n');
});

test('marks of a list and of speakers are not read, wherever they stand', async () => {
  for (const [source, wanted] of [
    ['- I am happy.', '- Je suis heureux.'],
    ['1. I am happy.\n2. The dog is tired.', '1. Je suis heureux.\n2. Le chien est fatigué.'],
    ['- I am happy. - The dog is tired.', '- Je suis heureux. - Le chien est fatigué.'],
    ['I am happy. – The dog is tired.', 'Je suis heureux. – Le chien est fatigué.'],
  ])
    assert.equal((await model.translate(source)).text, wanted);
});
