/** The ids that model families assign to SentencePiece's pieces, and their special tokens. */

import {
  addedTokens,
  additionalSpecials,
  requireToken,
  roleOf,
  type TokenizerConfigs,
} from './added_tokens.js';
import type { AddedToken } from './codec.js';
import type { SentencePiece } from './sentencepiece.js';
import type { SentencePieceFamily } from './sentencepiece_codec.js';
import type { Side } from './sentencepiece_vocabulary.js';

type Vocabulary = ReadonlyMap<string, number>;

/** The differences between families, apart from ids. */
export const habits = {
  leadingToken: null,
  prefixesEachPart: true,
  spaceAfterSpecial: 'never',
  strips: true,
  isBpe: false,
} as const;

/** Tokens in the order of their ids. */
function byId(vocabulary: Vocabulary): (string | undefined)[] {
  const tokens: (string | undefined)[] = [];
  for (const [token, id] of vocabulary) tokens[id] = token;
  return tokens;
}

/**
 * Marian: pieces get their ids from vocab.json, which both languages share unless there is a target_vocab.json. The
 * text may begin with the target language, such as `>>fra<<`.
 */
export function marian(
  models: { source: SentencePiece; target: SentencePiece },
  { vocabulary, targetVocabulary }: { vocabulary: Vocabulary; targetVocabulary: Vocabulary | null },
  configs: TokenizerConfigs,
): SentencePieceFamily {
  const specials = ['</s>', '<unk>', '<pad>'];
  const source = sideOf(models.source, vocabulary, { file: 'vocab.json', configs, specials });
  const file = targetVocabulary ? 'target_vocab.json' : 'vocab.json';
  const target = sideOf(models.target, targetVocabulary ?? vocabulary, { file, configs, specials });
  const eos = requireToken(source.idOf, roleOf(configs, 'eos_token', '</s>'), 'vocab.json');
  return {
    ...habits,
    source,
    // The configuration gives ids of the source only.
    target: {
      ...target,
      added: target.added.map((token) => ({ ...token, id: target.idOf(token.content) ?? token.id })),
    },
    single: ['first', eos],
    pair: ['first', 'second', eos],
    leadingToken: /^>>.*?<</,
    spaceAfterSpecial: 'always',
  };
}

/** Firefox's translation models: the models' own ids. What looks like a special token in a text is text. */
export function student(source: SentencePiece, target: SentencePiece): SentencePieceFamily {
  const sideOfModel = (model: SentencePiece): Side => {
    const eos = requireToken((token) => model.idOf(token), '</s>', model.file.name);
    const end = { id: eos, content: '</s>', special: true, lstrip: false, rstrip: false };
    return { ...ownIds(model), added: [{ ...end, single_word: false, normalized: false }], isText: true };
  };
  const side = sideOfModel(source);
  const eos = side.added[0]?.id ?? 0;
  return {
    ...habits,
    source: side,
    target: target === source ? side : sideOfModel(target),
    single: ['first', eos],
    pair: ['first', 'second', eos],
  };
}

/** Pieces with the ids of a vocabulary. */
function sideOf(
  model: SentencePiece,
  vocabulary: Vocabulary,
  { file, configs, specials }: { file: string; configs: TokenizerConfigs; specials: readonly string[] },
): Side & { idOf(token: string): number | null } {
  const idOf = (token: string) => vocabulary.get(token) ?? null;
  const unknownId = requireToken(idOf, roleOf(configs, 'unk_token', '<unk>'), file);
  return {
    model,
    tokens: byId(vocabulary),
    unknownId,
    idOf,
    idOfPiece: ({ piece }) => vocabulary.get(piece) ?? unknownId,
    added: addedTokens(configs, known(idOf, specials), idOf),
  };
}

/**
 * T5: the model's own ids, then sentinels numbered downwards from the largest id.
 *
 * @param sentinels their number if tokenizer_config.json does not give it
 */
export function t5(model: SentencePiece, configs: TokenizerConfigs, sentinels: number): SentencePieceFamily {
  const { pieces, name } = model.file;
  const idOf = (token: string) => model.idOf(token);
  const eos = requireToken(idOf, roleOf(configs, 'eos_token', '</s>'), name);
  const specials = known(idOf, ['<pad>', '</s>', '<unk>']);
  const given = configs.tokenizer.extra_ids;
  const extra =
    typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= 10_000 ? given : sentinels;
  for (let i = 0; i < extra; i++) specials.set(`<extra_id_${i}>`, pieces.length + extra - 1 - i);
  const isSentinel = ({ content }: AddedToken) => content.startsWith('<extra_id_');
  // Spaces next to a sentinel are not part of the text.
  const added = addedTokens(configs, specials, idOf).map((token) =>
    isSentinel(token) ? { ...token, lstrip: true, rstrip: true } : token,
  );
  const side = { ...ownIds(model), added };
  return {
    ...habits,
    source: side,
    target: side,
    single: ['first', eos],
    pair: ['first', eos, 'second', eos],
    prefixesEachPart: configs.tokenizer.legacy !== false,
  };
}

/** Fairseq's layout: four special tokens, the pieces from the third on, the languages, the mask. */
export function fairseq(
  model: SentencePiece,
  configs: TokenizerConfigs,
  languages: readonly string[],
): SentencePieceFamily {
  const { pieces } = model.file;
  const specials = ['<s>', '<pad>', '</s>', '<unk>'];
  const [bos, eos, unknownId] = [0, 2, 3];
  const tokens = [...specials, ...pieces.slice(specials.length - 1).map(({ text }) => text)];
  const fixed = new Map(specials.map((token, id) => [token, id]));
  for (const [i, language] of languages.entries()) fixed.set(language, pieces.length + 1 + i);
  const mask = roleOf(configs, 'mask_token', '<mask>');
  fixed.set(mask, pieces.length + 1 + languages.length);
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const added = addedTokens(configs, fixed, (token) => ids.get(token) ?? null).map((token) =>
    token.content === mask ? { ...token, lstrip: true } : token,
  );
  const side: Side = {
    model,
    tokens,
    unknownId,
    idOfPiece: ({ id }) => (id === model.file.unknownId || id + 1 < specials.length ? unknownId : id + 1),
    added,
  };
  return {
    ...habits,
    source: side,
    target: side,
    // For multilingual models, language tokens replace these.
    single: languages.length > 0 ? ['first', eos] : [bos, 'first', eos],
    pair: languages.length > 0 ? ['first', 'second', eos] : [bos, 'first', eos, eos, 'second', eos],
    spaceAfterSpecial: 'its own',
  };
}

/** M2M100: pieces get their ids from vocab.json; the languages follow, such as `__fr__`. */
export function m2m100(
  model: SentencePiece,
  vocabulary: Vocabulary,
  configs: TokenizerConfigs,
  languages: readonly string[],
): SentencePieceFamily {
  const specials = ['<s>', '<pad>', '</s>', '<unk>'];
  const bare = sideOf(model, vocabulary, { file: 'vocab.json', configs, specials });
  const eos = requireToken(bare.idOf, roleOf(configs, 'eos_token', '</s>'), 'vocab.json');
  const fixed = known(bare.idOf, specials);
  for (const [i, language] of languages.entries()) fixed.set(`__${language}__`, vocabulary.size + i);
  const side = { ...bare, added: addedTokens(configs, fixed, bare.idOf) };
  return {
    ...habits,
    source: side,
    target: side,
    single: ['first', eos],
    pair: ['first', 'second', eos],
  };
}

/** The model's own ids. */
export function ownIds(model: SentencePiece): Omit<Side, 'added'> {
  const { pieces, unknownId } = model.file;
  return { model, tokens: pieces.map(({ text }) => text), unknownId, idOfPiece: ({ id }) => id };
}

/** Llama: the model's own ids, with a begin-of-sequence token. */
export function llama(model: SentencePiece, configs: TokenizerConfigs): SentencePieceFamily {
  const { name } = model.file;
  const idOf = (token: string) => model.idOf(token);
  const { tokenizer } = configs;
  const bos =
    tokenizer.add_bos_token === false ? [] : [requireToken(idOf, roleOf(configs, 'bos_token', '<s>'), name)];
  const eos =
    tokenizer.add_eos_token === true ? [requireToken(idOf, roleOf(configs, 'eos_token', '</s>'), name)] : [];
  const side = { ...ownIds(model), added: addedTokens(configs, known(idOf, ['<unk>', '<s>', '</s>']), idOf) };
  return {
    ...habits,
    source: side,
    target: side,
    single: [...bos, 'first', ...eos],
    pair: [...bos, 'first', ...eos, ...bos, 'second', ...eos],
    prefixesEachPart: tokenizer.legacy !== false,
    spaceAfterSpecial: 'its own',
    strips: false,
    isBpe: true,
  };
}

/** The languages that the folder lists, or else the family's. */
export function languagesOf(
  configs: TokenizerConfigs,
  isLanguage: RegExp,
  usual: readonly string[],
): readonly string[] {
  const named = additionalSpecials(configs).filter((token) => isLanguage.test(token));
  return named.length > 0 ? named : usual;
}

/** The tokens that exist, with their ids. */
export function known(
  idOf: (token: string) => number | null,
  tokens: readonly string[],
): Map<string, number> {
  const found = new Map<string, number>();
  for (const token of tokens) {
    const id = idOf(token);
    if (id !== null) found.set(token, id);
  }
  return found;
}
