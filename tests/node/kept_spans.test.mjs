// What is not given to a model comes back once, whatever the model writes; numbers come back as they are.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { translateTexts } from '../../build/modules/texts/documents.js';
import { keepAlso } from '../../build/modules/texts/keep_options.js';
import { knownSpans } from '../../build/modules/texts/kept_patterns.js';
import { KeptSpans } from '../../build/modules/texts/kept_spans.js';
import { differenceOf, numbersIn, writingOf, written } from '../../build/modules/texts/numbers.js';
import enFr from '../../dist/en_fr.js';
import { chain, createEngine, loadModel } from '../../dist/index.js';
import { expectedOf, studentFiles } from '../lib/students.mjs';

let engine;
const models = {};
before(async () => {
  engine = await createEngine({ threads: 1 });
  models.enFr = await loadModel(enFr, { engine });
  for (const pair of ['yyzz', 'xxcc']) models[pair] = await loadModel(studentFiles(pair), { engine });
  models.chain = chain([models.yyzz, models.xxcc]);
});
after(() => engine.dispose());

const known = (text) => knownSpans(text).map((span) => text.slice(...span));

describe('what is not language', () => {
  const cases = {
    'Write to me@example.org or see https://example.org/a?b=1.': [
      'me@example.org',
      'https://example.org/a?b=1',
    ],
    'See (https://example.org/Foo_(bar)), www.example.org!': [
      'https://example.org/Foo_(bar)',
      'www.example.org',
    ],
    'I have {count} books, {{ x }} and ${y}: %d of %1$s, 50% done.': [
      '{count}',
      '{{ x }}',
      `\${y}`,
      '%d',
      '%1$s',
    ],
    'You have {n, plural, one {# book} other {# books}} here.': ['{n, plural, one {# book} other {# books}}'],
    'Hello :smile: at 10:30: yes 😀👍🏽 [1]': [':smile:', '😀👍🏽', '[1]'],
    'So $x^2$ costs $5 and $10 for $n$ and \\(a + b\\).': ['$x^2$', '$n$', '\\(a + b\\)'],
    'Run ./a.sh or /usr/bin/env, src/index.ts, C:\\a\\b.txt.': [
      './a.sh',
      '/usr/bin/env',
      'src/index.ts',
      'C:\\a\\b.txt',
    ],
    'Version 1.2.3 or v2.1 of 3.10.2026 at 192.168.1.1.': ['1.2.3', 'v2.1', '192.168.1.1'],
    'Commit deadbeef12, not deface or 1990s.': ['deadbeef12'],
    '@anna said #hello in @scope/pkg with --flag=3.': ['@anna', '#hello', '@scope/pkg', '--flag=3'],
    'Call foo() with snake_case and `a code` in <b>bold</b> &amp; more.': [
      'foo()',
      'snake_case',
      '`a code`',
      '<b>',
      '</b>',
      '&amp;',
    ],
    'It is 5 km/h and/or 1/2, e.g. in the U.S.A. at 3 p.m. He said: "no".': [],
    'I am tired.The dog is at AT&T, C# and R&D; it costs $5-$10.': [],
  };
  for (const [text, spans] of Object.entries(cases)) test(text, () => assert.deepEqual(known(text), spans));

  test('is found in time proportional to the text', () => {
    const hostile = [
      'a',
      '中',
      '{',
      '/a',
      'a_',
      'a.',
      'a@',
      '`a',
      '1a',
      '<a ',
      '$a ',
      'a(',
      '%(',
      '{a{b',
      '1.',
      '\\a{',
    ];
    for (const part of hostile) assert.ok(knownSpans(part.repeat(50_000)).length >= 0);
  });
});

test("the caller's texts, expressions and functions, and a glossary", () => {
  const found = (keep, glossary, text) =>
    new KeptSpans(keep, glossary).in(text, 2).map(({ span, text: own }) => [text.slice(...span), own]);
  assert.deepEqual(found('cat', undefined, 'The cat of cats.'), [['cat', 'cat']]);
  assert.deepEqual(found([/c\w+/, 'dog'], undefined, 'A cat, a dog.'), [
    ['cat', 'cat'],
    ['dog', 'dog'],
  ]);
  const own = (text, place) => [[place, text.length]];
  assert.deepEqual(found(own, undefined, 'abcd'), [['cd', 'cd']]);
  assert.deepEqual(found(keepAlso('ab', own), undefined, 'ab cd'), [['ab cd', 'ab cd']]);
  assert.deepEqual(found(false, undefined, 'See https://a.org.'), []);
  const glossary = { 'attention head': "tête d'attention", head: true };
  assert.deepEqual(found(undefined, glossary, 'Attention  head, head.'), [
    ['Attention  head', "Tête d'attention"],
    ['head', 'head'],
  ]);
  assert.deepEqual(found(undefined, undefined, 'a {n}px {a}{b} b'), [
    ['{n}px', '{n}px'],
    ['{a}{b}', '{a}{b}'],
  ]);
  assert.throws(() => found(() => [[0, 99]], undefined, 'a'), { code: 'invalid_argument' });
});

test('wrong options are named', async () => {
  for (const [options, message] of [
    [{ keep: 5 }, /keep must be texts, regular expressions or a function/],
    [{ keep: [''] }, /keep/],
    [{ glossary: { a: 5 } }, /glossary must be an object of terms/],
    [{ glossary: ['a'] }, /glossary/],
    [{ targetLanguage: '??' }, /targetLanguage/],
  ])
    await assert.rejects(models.enFr.translate('a', options), { code: 'invalid_argument', message });
});

describe('numbers', () => {
  const differ = (source, target, [from, to] = []) => {
    const [a, b] = [writingOf(from), writingOf(to)];
    const { missing, extra } = differenceOf(
      [source, numbersIn(source, a)],
      [target, numbersIn(target, b)],
      a !== undefined && b !== undefined,
    );
    return [missing, extra].map((all) => all.map(({ text }) => text));
  };
  const same = [[], []];
  const cases = [
    ['1,234 books', '1 234 livres', ['en', 'fr'], same],
    ['1,234 books', '1,234 livres', ['en', 'fr'], [['1,234'], ['1,234']]],
    ['3.50 €', '3,50 €', ['en', 'fr'], same],
    ['3.50 €', '3,500 €', ['en', 'fr'], [['3.50'], ['3,500']]],
    ['1.234,5 km', '1,234.5 km', ['de', 'en'], same],
    ['3.50 €', '3,50 €', undefined, same],
    ['1,234 books', '134 livres', undefined, [['1,234'], ['134']]],
    ['at 3 p.m.', 'à 15 h', ['en', 'fr'], same],
    ['at 12:30 am', 'à 0 h 30', ['en', 'fr'], same],
    ['the 20th century', 'le XXe siècle', ['en', 'fr'], same],
    ['on 10/11/2026', 'am 10.11.2026', ['en', 'de'], same],
    ['٣ books', '3 livres', undefined, same],
  ];
  for (const [source, target, languages, wanted] of cases)
    test(`${source}: ${target}`, () => assert.deepEqual(differ(source, target, languages), wanted));

  test('are written as the other language writes them', () => {
    const [en, fr] = [writingOf('en'), writingOf('fr')];
    assert.equal(written({ text: '1,234.50' }, en, fr), '1\u202f234,50');
    assert.equal(written({ text: '1,234.50' }, en, undefined), '1,234.50');
    assert.equal(written({ text: '1.2.3.4' }, en, fr), '1.2.3.4');
  });

  test('that a model wrote wrongly are those of the source, and named', async () => {
    const source = 'I have 3.50 € and 1,234 books.';
    const { text, changed, sentences } = await models.enFr.translate(source);
    for (const number of ['3.50', '1,234']) assert.ok(text.includes(number), text);
    assert.deepEqual(
      changed.map((one) => [source.slice(...one.source), text.slice(...one.target), one.reason]),
      [
        ['3.50', '3.50', 'number'],
        ['1,234', '1,234', 'number'],
      ],
    );
    assert.deepEqual(sentences[0].changed, changed);
    const french = await models.enFr.translate(source, { sourceLanguage: 'en', targetLanguage: 'fr' });
    assert.match(french.text, /3,50/);
    assert.match(french.text, /1\u202f234/);
    assert.equal((await models.enFr.translate('I have 3 books.')).changed, undefined);
  });

  test("are written as the languages do that a checkpoint's own files name", async () => {
    const folder = new URL('../../web/public/models/en-fr/', import.meta.url);
    const names = ['config.json', 'generation_config.json', 'model.safetensors', 'tokenizer.json'];
    const files = new Map();
    for (const name of names) files.set(name, new Uint8Array(readFileSync(new URL(name, folder))));
    const settings = JSON.parse(readFileSync(new URL('tokenizer_config.json', folder), 'utf8'));
    const named = JSON.stringify({ ...settings, source_lang: 'en', target_lang: 'fr' });
    files.set('tokenizer_config.json', new TextEncoder().encode(named));
    const model = await loadModel(files, { engine });
    const source = 'I have 3.50 € and 1,234 books.';
    assert.match((await model.translate(source)).text, /3,50.*1\u202f234/);
    // Whoever names others is believed.
    const german = await model.translate(source, { targetLanguage: 'de' });
    assert.match(german.text, /3,50.*1\.234/);
    // Of a chain, the last model writes.
    const { text } = await chain([models.enFr, model]).translate(source, { sourceLanguage: 'en' });
    assert.match(text, /3,50/);
    await model.dispose();
  });
});

test('a span stands in the ranges of tokens and in the alignment', async () => {
  const source = 'The cat of me@example.org is hungry. {name} sees https://example.org/a.';
  const { text, sentences } = await models.enFr.translate(source, { alignment: true });
  assert.equal(sentences.length, 2);
  const words = ['me@example.org', '{name}', 'https://example.org/a'];
  for (const word of words) {
    const sentence = sentences.find((one) => source.slice(...one.source).includes(word));
    const { sourceWords, targetWords, links } = sentence.alignment;
    const at = targetWords.findIndex((span) => text.slice(...span) === word);
    assert.ok(at >= 0, word);
    assert.equal(source.slice(...sourceWords[links[at]]), word);
    assert.ok(sentence.sourceOffsets.some((span) => span && source.slice(...span) === word));
  }
});

test('a text that is read as a whole, and one of which only a beginning is wanted', async () => {
  const source = 'Write to me@example.org or see https://example.org/a. I am {name}.';
  const { text } = await models.yyzz.translate(source, { split: false });
  for (const span of ['me@example.org', 'https://example.org/a', '{name}'])
    assert.equal(countOf(text, span), 1, text);
  const begun = await models.enFr.translate('{name} is hungry and {name} sees a house.', { maxNewTokens: 4 });
  assert.doesNotMatch(begun.text, /X\d|73\d\d/);
});

test('a text of nothing else is not given to a model; glossaries have their say', async () => {
  const { text, sentences } = await models.enFr.translate('https://example.org\n{name}!\nCat', {
    glossary: { cat: 'minou' },
  });
  assert.equal(text, 'https://example.org\n{name}!\nMinou');
  for (const { tokens, isCopied } of sentences) assert.deepEqual([tokens, isCopied], [[], undefined]);
});

// Random texts: words of the model's language, with spans among them.
const spans = [
  'https://example.org/a?b=1',
  'me@example.org',
  '{name}',
  '{{ x }}',
  '%1$s',
  ':smile:',
  '$x^2$',
  'deadbeef12',
  'v1.2.3',
  './a/b.txt',
  '@anna',
  '`code`',
  '😀',
  '{n, plural, one {# x} other {#}}',
];
const countOf = (text, part) => text.split(part).length - 1;

function textsOf(words) {
  const word = fc.constantFrom(...words);
  const part = fc.oneof({ weight: 3, arbitrary: word }, { weight: 2, arbitrary: fc.constantFrom(...spans) });
  const end = fc.constantFrom('.', '!', '?', '', ':');
  const sentence = fc.tuple(fc.array(part, { minLength: 1, maxLength: 9 }), end);
  return fc
    .array(sentence, { minLength: 1, maxLength: 3 })
    .map((all) => all.map(([parts, mark]) => parts.join(' ') + mark).join(' '));
}

function assertKept(source, { text, sentences }, alignment) {
  for (const span of spans)
    assert.equal(countOf(text, span), countOf(source, span), `${span}: ${source} => ${text}`);
  let last = 0;
  for (const sentence of sentences) {
    assert.equal(text.slice(...sentence.target), sentence.text);
    assert.ok(sentence.source[0] >= last);
    last = sentence.source[1];
    if (!alignment) continue;
    const { sourceWords, targetWords, weights, links } = sentence.alignment ?? { weights: {} };
    if (!sentence.alignment) continue;
    assert.deepEqual(weights.shape, [targetWords.length, sourceWords.length]);
    assert.equal(links.length, targetWords.length);
    for (const [begin, end] of targetWords)
      assert.ok(begin >= sentence.target[0] && end <= sentence.target[1]);
  }
}

describe('nothing is lost and nothing invented', () => {
  const english = 'the cat is hungry I see a house and my sister has 3 red books of you'.split(' ');
  const wordsOf = (pair) =>
    expectedOf(pair)
      .firefox.slice(0, 6)
      .flatMap(({ source }) => source.match(/[a-zA-Zí]+/g) ?? []);
  for (const [name, words] of [
    ['enFr', english],
    ['yyzz', wordsOf('yyzz')],
    ['xxcc', wordsOf('xxcc')],
    ['chain', wordsOf('yyzz')],
  ])
    test(name, async () => {
      const property = fc.asyncProperty(
        fc.array(textsOf(words), { minLength: 8, maxLength: 8 }),
        fc.boolean(),
        async (texts, alignment) => {
          const results = await models[name].translate(texts, { alignment });
          for (const [i, result] of results.entries()) assertKept(texts[i], result, alignment);
        },
      );
      await fc.assert(property, { numRuns: 8, seed: 7 });
    });

  test('by a model that drops, doubles, reorders and garbles', async () => {
    const text = textsOf(english);
    const property = fc.asyncProperty(text, fc.infiniteStream(fc.nat(5)), async (source, choices) => {
      const { model } = models.enFr.loaded ? { model: models.enFr.loaded } : {};
      const translator = {
        model,
        async *each(given) {
          for (const [place, { text: input, encoding }] of given.entries()) {
            const words = input.split(' ').flatMap((word) => {
              const choice = choices.next().value;
              return [[word], [], [word, word], [word.toLowerCase()], [`${word}7`], [word]][choice];
            });
            if (choices.next().value > 3) words.reverse();
            const written = words.join(' ');
            const sentence = { text: written, tokens: words, score: 0, confidence: 1, unknownWords: [] };
            const targetWords = [[0, written.length]];
            const alignment = {
              from: 'mean',
              sourceWords: [[0, input.length]],
              targetWords,
              weights: { data: Float32Array.of(1), shape: [1, 1] },
              links: [0],
            };
            yield {
              place,
              sentence: {
                ...sentence,
                sourceTokens: encoding.tokens,
                sourceOffsets: encoding.offsets,
                alignment,
              },
            };
          }
        },
      };
      const [result] = await translateTexts(translator, [source], { generation: {} });
      assertKept(source, result, false);
    });
    await fc.assert(property, { numRuns: 200, seed: 11 });
  });
});
