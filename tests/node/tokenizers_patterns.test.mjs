// Regular expressions of a tokenizer.json: the results of JavaScript's where both mean the same, in time proportional to the text.
// tests/fuzz/node/tokenizer_steps.test.mjs compares them with the original library's.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { LinearPattern } from '../../build/modules/tokenizers/linear_pattern.js';
import { lines, tokenizerOf } from '../lib/tokenizer_folders.mjs';

const gpt2 = String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`;
const begin = String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+`;
const end = String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
const llama3 = String.raw`${begin}|\p{N}{1,3}|${end}`;
const qwen2 = String.raw`${begin}|\p{N}|${end}`;
const [upper, lower] = [String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`, String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`];
const small = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?";
const other = String.raw`[^\r\n\p{L}\p{N}]?`;
const o200k = String.raw`${other}${upper}*${lower}+${small}|${other}${upper}+${lower}*${small}|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
const deepseek = String.raw`[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;

const withRegex = (Regex, step = {}) => ({
  'tokenizer.json': {
    pre_tokenizer: { type: 'Split', pattern: { Regex }, behavior: 'Isolated', ...step },
    model: { type: 'WordLevel', unk_token: 'u', vocab: { u: 0, x: 1 } },
  },
});
const wordsOf = async (files, text) => (await tokenizerOf(files)).encode(text).tokens.length;

/** JavaScript's matches, apart from empty ones at the end of another, which Oniguruma does not count. */
function expectedOf(source, text) {
  let last = -1;
  return Array.from(text.matchAll(new RegExp(source, 'gu')), ({ 0: { length }, index }) => [
    index,
    index + length,
  ]).filter(([begin, end]) => {
    const counts = end > begin || begin !== last;
    if (end > begin) last = end;
    return counts;
  });
}
const compare = (source, text) =>
  assert.deepEqual(
    [...new LinearPattern(source).in(text)],
    expectedOf(source, text),
    `/${source}/ of ${text}`,
  );

describe('the results of JavaScript', () => {
  test("published patterns on the fixtures' lines", () => {
    const sources = [gpt2, llama3, qwen2, o200k, deepseek].map((source) => source.replaceAll('?i:', '?:'));
    // JavaScript's white space has U+FEFF and lacks U+0085.
    for (const source of sources)
      for (const line of lines) compare(source, line.replaceAll(/[\u0085\ufeff]/g, ''));
  });

  const atom = fc.constantFrom(
    'a',
    'b',
    'é',
    '😀',
    '.',
    '[ab]',
    '[^a]',
    '\\s',
    '\\p{L}',
    '\\b',
    '\\B',
    '\\n',
  );
  const single = fc.constantFrom('a', 'b', '😀', '.', '[ab]', '\\s', '[^b]');
  const quantifiers = ['*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?', '+?', '??', '{1,3}?'];
  const { pattern } = fc.letrec((tie) => ({
    pattern: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      atom,
      tie('several'),
      tie('either'),
      tie('look'),
      tie('repeated'),
    ),
    several: fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
    either: fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
    look: fc
      .tuple(fc.constantFrom('?=', '?!', '?<=', '?<!'), tie('pattern'))
      .map(([sign, a]) => `(${sign}${a})`),
    repeated: fc
      .tuple(single, tie('pattern'), fc.constantFrom('', ...quantifiers), fc.constantFrom('', ...quantifiers))
      .map(([a, b, few, many]) => `(?:${a}${few}|${a}${b})${many}`),
  }));
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', 'é', '😀', ' ', '\n', '\ud83d', '\ude00'),
    maxLength: 12,
  });

  test('random patterns and texts', () => {
    let compared = 0;
    fc.assert(
      fc.property(pattern, text, (source, given) => {
        try {
          new LinearPattern(source);
        } catch (error) {
          assert.match(error.message, /may be empty/);
          return;
        }
        compared++;
        // V8 finds empty matches in the middle of a pair of surrogates, which the standard excludes. Its words are ASCII's.
        const hasPlaces = /\(\?[<=!]|\\[bB]/.test(source);
        compare(source, hasPlaces ? given.replaceAll(/[\ud800-\udfff]+|é/g, 'c') : given);
      }),
      { numRuns: 10_000, seed: 23 },
    );
    assert.ok(compared > 7000, `${compared}`);
  });
});

describe('never without end', () => {
  const x = 'x'.repeat(50_000);
  const hostile = {
    'x*x*!': x,
    '(x|x)*!': x,
    '(x+x+)+y': x,
    '(?:x|xx)+y': x,
    [`${'x{0,9}'.repeat(12)}!`]: x.slice(0, 5000),
    '(?=.*!)x': x,
    '(?=.*x)y': x,
    '(?<=!.*)x': x,
    '(?<!^.*y.*)!': x,
    '\\s+$': `${' '.repeat(50_000)}x`,
    '(?:(?=x*x*!)x|x)+!': x,
    [`${'(?:x|x)'.repeat(20)}y`]: x,
    '(?:x|x)(?:x|x)(?:x|x)y|x': x,
    'x++y': x,
    '(?>x+)y': x,
    '(?>(?:x|xx)+)+y': x,
    '(?:x++|y)z': x,
  };
  for (const [source, given] of Object.entries(hostile)) {
    test(source, { timeout: 60_000 }, async () => {
      const start = process.cpuUsage().user;
      assert.ok((await wordsOf(withRegex(source), given)) > 0);
      const took = (process.cpuUsage().user - start) / 1e6;
      assert.ok(took < 10, `${took} s`);
    });
  }

  const refused = {
    '(x)\\1': /tokenizer\.json: a regular expression has a back reference/,
    '(?<a>x)\\k<a>': /back reference/,
    '(?:x*)*y': /repeats what may be empty/,
    'x{900}{900}': /tokenizer\.json/,
    '(?:x{900}){900}': /more than 2000 states/,
    [`${'('.repeat(999)}x${')'.repeat(999)}`]: /is not supported/,
    ['x'.repeat(4001)]: /4001 characters; at most 4000/,
  };
  for (const [source, message] of Object.entries(refused)) {
    test(`refused: ${source.slice(0, 20)}`, () =>
      assert.rejects(wordsOf(withRegex(source), 'x'), { name: 'TransformerError', message }));
  }

  test('replacements are literal', async () => {
    const files = withRegex('x');
    files['tokenizer.json'].normalizer = { type: 'Replace', pattern: { Regex: 'a' }, content: "$&$'" };
    files['tokenizer.json'].model.vocab = { u: 0, "$&$'": 1 };
    assert.deepEqual((await tokenizerOf(files)).encode('a').ids, [1]);
  });
});

test('what is not given back: signs of possession, and groups', () => {
  const matches = (source, text) =>
    [...new LinearPattern(source).in(text)].map(([begin, end]) => text.slice(begin, end));
  assert.deepEqual(matches('a++a', 'aaa'), []);
  assert.deepEqual(matches('a?+b', 'ab b'), ['ab', 'b']);
  assert.deepEqual(matches('(?>a|ab)c', 'abc ac'), ['ac']);
  assert.deepEqual(matches('(?>ab|a)c', 'abc ac'), ['abc', 'ac']);
  assert.deepEqual(matches('x*+x|y', 'xxy'), ['y']);
  // After braces a plus repeats once more.
  assert.deepEqual(matches('\\d{1,2}+', '12345'), ['12345']);
});
