// Random tokenizer.json files that the original library can read, and texts that show what their steps do.

import fc from 'fast-check';

const letters = [
  ...'abcXYZßİΣσ',
  ...'éñ½²①Ⅷ٣１3',
  ...' \t\n\r\u0085\u00a0\u3000\ufeff\u200b\u200d\u2028',
  ..."'!?.,-_$+<=>^`|~«»¿。，",
  ...'你好世界한국어ーあア',
  ...[
    '\u0301',
    '\u0308',
    'e\u0301',
    '\u{1f600}',
    '\u{10400}',
    '\u{20bb7}',
    'ﬁ',
    'ﷺ',
    '\u2581',
    '\u0130',
    'ǆ',
  ],
  ...['##', '<s>', "'s", "'LL", 'don', '</w>', '\0', '\u00ad', '\u0378', 'ſ', '\u212a'],
];
const word = (most) =>
  fc.array(fc.constantFrom(...letters), { maxLength: most }).map((list) => list.join(''));
export const texts = word(24);

const flag = fc.boolean();
const step = (type, fields = {}) => fc.record({ type: fc.constant(type), ...fields });
const behavior = fc.constantFrom('Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous');

const regexes = [
  '\\s+',
  '\\s',
  '\\d',
  '\\w+',
  '\\W',
  '[^\\w\\s]+',
  '\\w+|[^\\w\\s]+',
  '\\p{L}+',
  '\\p{N}{1,3}',
  '[a-z&&[^b]]',
  '[[:alpha:]]+',
  '[[:punct:]]',
  '[[:space:]]',
  '\\h',
  "(?i:'s|'ll|x)",
  '(?i)abc|y',
  '\\bb',
  '\\B.',
  '^.',
  '.$',
  '\\A.',
  '.\\z',
  '(?=a)',
  'a|',
  'a*',
  'a?b?',
  ' ?\\p{L}+',
  '\\s+(?!\\S)',
  '(?<=a)b',
  '(?<!a)b',
  '\\p{L}++',
  '[^\\r\\n]?+\\p{L}++',
  '(?>a|ab)c',
  'a+?b',
  '(a|b)+c',
  '.+?',
  '\\p{Han}',
  '\\p{Lu}\\p{Ll}',
  '[\\p{L}\\p{M}]+',
  '\\P{L}',
  '\\p{^L}',
  '\\x61',
  '\\u00e9',
  '[\\x{61}-\\x{63}]',
  '\\p{N}{1,2}+',
  "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}++|\\p{N}{1,3}+| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*+|\\s++$|\\s*[\\r\\n]|\\s+(?!\\S)|\\s",
  "'s|'t| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
  '(?m:a.b)',
  '[^a]',
  '[a-]',
  '\\n|\\t',
  '(?:ab){1,2}',
  '[\\s\\d]+',
];
const pattern = fc.oneof(
  fc.record({ Regex: fc.constantFrom(...regexes) }),
  fc.record({ String: fc.oneof(fc.constantFrom(' ', 'a', '.', '##', '\u2581', 'ab', "'", ''), word(2)) }),
);
const content = fc.oneof(fc.constantFrom('', ' ', '\u2581', 'a', '$1', 'éb'), word(2));
const replace = step('Replace', { pattern, content });
/** The original library ends the whole process where a normalizer replaces what is empty. */
const isEmpty = (source) => ['a|', 'a*', 'a?b?', ''].includes(source);
const replaceText = replace.filter(({ pattern: given }) => !isEmpty(given.Regex ?? given.String));

export const normalizers = fc.oneof(
  ...['NFC', 'NFD', 'NFKC', 'NFKD', 'Lowercase', 'StripAccents', 'Nmt', 'ByteLevel'].map((type) =>
    step(type),
  ),
  step('BertNormalizer', {
    clean_text: flag,
    handle_chinese_chars: flag,
    strip_accents: fc.option(flag, { nil: null }),
    lowercase: flag,
  }),
  step('Strip', { strip_left: flag, strip_right: flag }),
  step('Prepend', { prepend: content.map((text) => text || '\u2581') }),
  replaceText,
);
export const preTokenizers = fc.oneof(
  ...['BertPreTokenizer', 'Whitespace', 'WhitespaceSplit'].map((type) => step(type)),
  step('ByteLevel', { add_prefix_space: flag, trim_offsets: flag, use_regex: flag }),
  step('CharDelimiterSplit', { delimiter: fc.constantFrom(...'a .é😀') }),
  step('Digits', { individual_digits: flag }),
  step('Metaspace', {
    replacement: fc.constantFrom('\u2581', '_', 'a'),
    prepend_scheme: fc.constantFrom('always', 'first', 'never'),
    split: flag,
  }),
  step('Punctuation', { behavior }),
  step('Split', { pattern, behavior, invert: flag }),
  step('FixedLength', { length: fc.integer({ min: 1, max: 4 }) }),
);
export const decoders = fc.oneof(
  ...['ByteFallback', 'Fuse'].map((type) => step(type)),
  step('ByteLevel', { add_prefix_space: flag, trim_offsets: flag, use_regex: flag }),
  step('Metaspace', {
    replacement: fc.constantFrom('\u2581', 'a'),
    prepend_scheme: fc.constantFrom('always', 'first', 'never'),
    split: flag,
  }),
  step('WordPiece', { prefix: fc.constantFrom('##', ''), cleanup: flag }),
  step('BPEDecoder', { suffix: fc.constantFrom('</w>', 'a') }),
  step('CTC', {
    pad_token: fc.constantFrom('<s>', 'a'),
    word_delimiter_token: fc.constantFrom('|', ' '),
    cleanup: flag,
  }),
  step('Strip', { content: fc.constantFrom(' ', 'a'), start: fc.nat(2), stop: fc.constant(0) }),
  replace,
);
const several = (steps, list) =>
  fc.oneof(
    fc.constant(null),
    steps,
    fc.array(steps, { minLength: 1, maxLength: 3 }).map((all) => ({ type: 'Sequence', [list]: all })),
  );

const bytes = Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`);
const vocabularyOf = (tokens) => Object.fromEntries([...new Set(tokens)].map((token, id) => [token, id]));
const characters = [...new Set(letters.flatMap((one) => [...one]))];
const some = fc.subarray(characters, { minLength: Math.floor(characters.length / 2) });
const unknown = fc.constantFrom('[UNK]');

/** Merges of random neighbours, and the tokens that they make. */
const bpe = fc
  .tuple(
    some,
    fc.array(fc.tuple(fc.nat(999), fc.nat(999)), { maxLength: 40 }),
    fc.record({
      fuse_unk: flag,
      byte_fallback: flag,
      ignore_merges: flag,
      hasUnknown: flag,
      prefix: fc.constantFrom(null, '##'),
      suffix: fc.constantFrom(null, '</w>'),
    }),
  )
  .map(([alphabet, pairs, { hasUnknown, prefix, suffix, ...flags }]) => {
    const marked = alphabet.flatMap((one) => [
      one,
      ...(prefix ? [prefix + one] : []),
      ...(suffix ? [one + suffix, (prefix ?? '') + one + suffix] : []),
    ]);
    const tokens = ['[UNK]', ...(flags.byte_fallback ? bytes : []), ...marked];
    const merges = [];
    for (const [i, j] of pairs) {
      const [left, right] = [tokens[1 + (i % (tokens.length - 1))], marked[j % marked.length]];
      if (
        left.includes(' ') ||
        right.includes(' ') ||
        (prefix && !right.startsWith(prefix)) ||
        (suffix && left.endsWith(suffix))
      )
        continue;
      merges.push([left, right]);
      tokens.push(left + right.slice(prefix ? prefix.length : 0));
    }
    return {
      type: 'BPE',
      dropout: null,
      unk_token: hasUnknown ? '[UNK]' : null,
      continuing_subword_prefix: prefix,
      end_of_word_suffix: suffix,
      ...flags,
      vocab: vocabularyOf(tokens),
      merges,
    };
  });
const wordPiece = some.map((alphabet) => ({
  type: 'WordPiece',
  unk_token: '[UNK]',
  continuing_subword_prefix: '##',
  max_input_chars_per_word: 20,
  vocab: vocabularyOf(['[UNK]', ...alphabet, ...alphabet.map((one) => `##${one}`), 'ab', '##bc', 'don']),
}));
const wordLevel = fc.tuple(some, unknown).map(([alphabet, unk_token]) => ({
  type: 'WordLevel',
  unk_token,
  vocab: vocabularyOf(['[UNK]', ...alphabet, 'ab', 'don', '\u2581a']),
}));
const unigram = fc
  .tuple(some, fc.array(word(3), { maxLength: 20 }), flag)
  .map(([alphabet, words, byte_fallback]) => ({
    type: 'Unigram',
    unk_id: 0,
    byte_fallback,
    vocab: Object.keys(
      vocabularyOf([
        '<unk>',
        ...(byte_fallback ? bytes : []),
        ...alphabet,
        ...words.filter((one) => one !== ''),
      ]),
    ).map((token, i) => [token, -1 - ((i * 37) % 23) / 4]),
  }));
export const models = fc.oneof(bpe, wordPiece, wordLevel, unigram);

const added = fc.uniqueArray(
  fc.record({
    content: fc.constantFrom('<s>', '</s>', 'ab', 'don', ' a', '\u2581', 'É', 'X', '你好', '1'),
    special: flag,
    lstrip: flag,
    rstrip: flag,
    single_word: flag,
    normalized: flag,
  }),
  { selector: ({ content: given }) => given, maxLength: 4 },
);
const processors = fc.constantFrom(
  null,
  { type: 'BertProcessing', sep: ['[SEP]', 0], cls: ['[CLS]', 0] },
  {
    type: 'RobertaProcessing',
    sep: ['</s>', 0],
    cls: ['<s>', 0],
    trim_offsets: false,
    add_prefix_space: true,
  },
  { type: 'ByteLevel', add_prefix_space: true, trim_offsets: false, use_regex: true },
  {
    type: 'TemplateProcessing',
    single: [{ SpecialToken: { id: 'x', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
    pair: [
      { Sequence: { id: 'B', type_id: 1 } },
      { SpecialToken: { id: 'x', type_id: 2 } },
      { Sequence: { id: 'A', type_id: 3 } },
    ],
    special_tokens: { x: { id: 'x', ids: [0, 1], tokens: ['p', 'q'] } },
  },
);

/** Whole files. */
export const tokenizerFiles = fc
  .record({
    normalizer: several(normalizers, 'normalizers'),
    pre_tokenizer: several(preTokenizers, 'pretokenizers'),
    decoder: several(decoders, 'decoders'),
    post_processor: processors,
    model: models,
    added,
  })
  .map(({ added: list, model, ...steps }) => {
    const ids = Array.isArray(model.vocab)
      ? Object.fromEntries(model.vocab.map(([token], id) => [token, id]))
      : model.vocab;
    let next = Object.keys(ids).length;
    const added_tokens = list.map((token) => ({ id: ids[token.content] ?? next++, ...token }));
    // The original library ends the whole process where a letter of several bytes stands beside such a token.
    const isRisky = list.some(({ lstrip, rstrip, single_word }) => lstrip || rstrip || single_word);
    const normalizer = isRisky ? null : steps.normalizer;
    return { version: '1.0', truncation: null, padding: null, added_tokens, ...steps, normalizer, model };
  });

/** A text that the original library survives with these added tokens. */
export const safeText = ({ added_tokens: list }, text) =>
  list.some(({ lstrip, rstrip, single_word }) => lstrip || rstrip || single_word)
    ? text.replace(/[^\0-\x7f]/gu, '')
    : text;
