/** Reads SentencePiece models from folders. */

import type { Folder } from '../files/folder.js';
import { fail } from '../values/errors.js';
import { addedTokens, requireToken, roleOf, type TokenizerConfigs } from './added_tokens.js';
import type { AddedToken, Codec } from './codec.js';
import { readBytes, readVocabulary } from './read_files.js';
import { SentencePiece } from './sentencepiece.js';
import { habits, SentencePieceCodec } from './sentencepiece_codec.js';
import { parseSentencePiece } from './sentencepiece_file.js';
import { idsOf, listedIds, ownIds } from './sentencepiece_ids.js';
import { type Layout, layouts } from './sentencepiece_layouts.js';
import type { Side } from './sentencepiece_vocabulary.js';
import type { TokenizerFiles } from './tokenizer_kind.js';

/** The file names that the families' own tokenizers use. */
const usualNames = ['spiece.model', 'sentencepiece.bpe.model', 'tokenizer.model', 'spm.model'];

/** The codec of a kind with one model; `null` if the folder has none. */
export async function readPieces(
  kind: keyof typeof layouts,
  { folder, configs, signal }: TokenizerFiles,
): Promise<Codec | null> {
  for (const name of usualNames) {
    const model = await readModel(folder, name, signal);
    if (model) return codecOf(model, configs, await layouts[kind]({ model, configs, folder, signal }));
  }
  return null;
}

function codecOf(
  model: SentencePiece,
  configs: TokenizerConfigs,
  { ids = ownIds(model), specials, absorbs, before = [], after = [], between = [], ...own }: Layout,
): Codec {
  const isAbsorbing = ({ content }: AddedToken) =>
    typeof absorbs?.tokens === 'string' ? content === absorbs.tokens : absorbs?.tokens.test(content);
  const added = addedTokens(configs, specials, (token) => specials.get(token) ?? ids.idOf(token)).map(
    (token) =>
      isAbsorbing(token) ? { ...token, lstrip: true, rstrip: absorbs?.right ?? token.rstrip } : token,
  );
  const side = { ...ids, added };
  const single = [...before, 'first' as const, ...after];
  const pair = [...before, 'first' as const, ...between, 'second' as const, ...after];
  return new SentencePieceCodec({ ...habits, ...own, source: side, target: side, single, pair });
}

/**
 * Marian: a model for each side, whose pieces get their ids from vocab.json, which both share unless there is a
 * target_vocab.json. A text may begin with the target language, such as `>>fra<<`.
 */
export async function readMarian({ folder, configs, signal }: TokenizerFiles): Promise<Codec | null> {
  const model = await readModel(folder, 'source.spm', signal);
  if (!model) return null;
  const elsewhere = new Set(addedTokens(configs, new Map(), () => null).map(({ id }) => id));
  const [targetModel, vocabulary, targetVocabulary] = await Promise.all([
    readModel(folder, 'target.spm', signal),
    readVocabulary(folder, 'vocab.json', signal, elsewhere),
    readVocabulary(folder, 'target_vocab.json', signal, elsewhere),
  ]);
  if (!vocabulary)
    fail('missing_file', 'there is a source.spm but no vocab.json, which maps its pieces to ids');
  if (!targetModel) fail('missing_file', 'there is a source.spm but no target.spm, which decodes the output');
  const ids = listedIds(model, vocabulary, configs, 'vocab.json');
  const targetFile = targetVocabulary ? 'target_vocab.json' : 'vocab.json';
  const target = listedIds(targetModel, targetVocabulary ?? vocabulary, configs, targetFile);
  const withAdded = (side: typeof ids) => {
    const specials = idsOf(side.idOf, ['</s>', '<unk>', '<pad>']);
    return { ...side, added: addedTokens(configs, specials, side.idOf) };
  };
  const { added, ...others } = withAdded(target);
  // The configuration gives ids of the source only.
  const own = added.map((token) => ({ ...token, id: target.idOf(token.content) ?? token.id }));
  return new SentencePieceCodec({
    ...habits,
    ...aroundTexts(requireToken(ids.idOf, roleOf(configs, 'eos_token', '</s>'), 'vocab.json')),
    source: withAdded(ids),
    target: { ...others, added: own },
    leadingToken: /^>>.*?<</,
    spaceAfterSpecial: 'always',
  });
}

const aroundTexts = (eos: number) => ({
  single: ['first', eos] as const,
  pair: ['first', 'second', eos] as const,
});

/**
 * Firefox's translation models: the models' own ids, and what looks like a special token in a text is text. The model
 * file's own options name the vocabularies, of the source and of the target.
 */
export async function readStudent({ folder, configs, signal }: TokenizerFiles): Promise<Codec | null> {
  const { vocabs } = configs.model;
  const [sourceName, targetName] = Array.isArray(vocabs) ? vocabs.map(String) : [];
  if (sourceName === undefined) return null;
  const isShared = targetName === undefined || targetName === sourceName;
  const [source, target] = await Promise.all([
    readModel(folder, sourceName, signal),
    isShared ? null : readModel(folder, targetName, signal),
  ]);
  if (!source) fail('missing_file', `the vocabulary ${sourceName} is missing`);
  if (!target && !isShared) fail('missing_file', `the vocabulary ${targetName} is missing`);
  const eosOf = (model: SentencePiece) => requireToken((token) => model.idOf(token), '</s>', model.file.name);
  const sideOf = (model: SentencePiece): Side => {
    const end = { id: eosOf(model), content: '</s>', special: true, lstrip: false, rstrip: false };
    return { ...ownIds(model), added: [{ ...end, single_word: false, normalized: false }], isText: true };
  };
  const side = sideOf(source);
  return new SentencePieceCodec({
    ...habits,
    ...aroundTexts(eosOf(source)),
    source: side,
    target: target ? sideOf(target) : side,
  });
}

async function readModel(folder: Folder, name: string, signal?: AbortSignal): Promise<SentencePiece | null> {
  const bytes = await readBytes(folder, name, signal);
  return bytes && new SentencePiece(parseSentencePiece(bytes, name));
}
