/** Reads SentencePiece models from a folder in the layout of each family. */

import type { Folder } from '../files/folder.js';
import { fail } from '../values/errors.js';
import { addedTokens, type TokenizerConfigs } from './added_tokens.js';
import type { Codec } from './codec.js';
import { m2m100Languages, mbartLanguages, nllbLanguages, wmt21Languages } from './language_codes.js';
import { isFirstMbart } from './languages.js';
import { readBytes, readVocabulary } from './read_files.js';
import { SentencePiece } from './sentencepiece.js';
import { SentencePieceCodec, type SentencePieceFamily } from './sentencepiece_codec.js';
import { barthez, camembert, deberta, pegasus } from './sentencepiece_encoders.js';
import { fairseq, languagesOf, llama, m2m100, marian, student, t5 } from './sentencepiece_families.js';
import { parseSentencePiece } from './sentencepiece_file.js';
import type { TokenizerFiles } from './tokenizer_kind.js';

/** The file names that the families' own tokenizers use. */
const usualNames = ['spiece.model', 'sentencepiece.bpe.model', 'tokenizer.model', 'spm.model'];

/** The codec of a family with one model; `null` if the folder has none. */
async function readOne(
  { folder, signal }: TokenizerFiles,
  familyOf: (model: SentencePiece) => SentencePieceFamily | Promise<SentencePieceFamily>,
): Promise<Codec | null> {
  for (const name of usualNames) {
    const model = await readModel(folder, name, signal);
    if (model) return new SentencePieceCodec(await familyOf(model));
  }
  return null;
}

/** @param sentinels their default number, beyond the model's own tokens */
export const readT5 = (files: TokenizerFiles, sentinels: number) =>
  readOne(files, (model) => t5(model, files.configs, sentinels));

export const readLlama = (files: TokenizerFiles) => readOne(files, (model) => llama(model, files.configs));

export const readOwn = (files: TokenizerFiles) =>
  readOne(files, (model) => {
    const settings = { add_bos_token: false, add_eos_token: false, ...files.configs.tokenizer };
    return llama(model, { ...files.configs, tokenizer: settings });
  });

export const readFairseq = (files: TokenizerFiles) =>
  readOne(files, (model) => fairseq(model, files.configs, []));

export const readCamembert = (files: TokenizerFiles) =>
  readOne(files, (model) => camembert(model, files.configs));
export const readBarthez = (files: TokenizerFiles) =>
  readOne(files, (model) => barthez(model, files.configs));
export const readPegasus = (files: TokenizerFiles) =>
  readOne(files, (model) => pegasus(model, files.configs));
export const readDeberta = (files: TokenizerFiles) =>
  readOne(files, (model) => deberta(model, files.configs));

export const readMbart = (files: TokenizerFiles) =>
  readOne(files, (model) => fairseq(model, files.configs, mbartLanguagesOf(model, files.configs)));

/** mBART-CC25 has half as many languages as mBART-50, and its vocabulary has no room for more. */
function mbartLanguagesOf({ file }: SentencePiece, configs: TokenizerConfigs): readonly string[] {
  const { vocab_size: size } = configs.model;
  const room = typeof size === 'number' ? size - file.pieces.length - 1 : Number.POSITIVE_INFINITY;
  const isOld = isFirstMbart(configs.tokenizer) || room < mbartLanguages.length;
  return languagesOf(configs, /^[a-z]{2}_[A-Z]{2}$/, isOld ? mbartLanguages.slice(0, 25) : mbartLanguages);
}

/** Only M2M100 has a vocabulary next to the model. */
export function readM2m100OrNllb(files: TokenizerFiles): Promise<Codec | null> {
  const { folder, configs, signal } = files;
  return readOne(files, async (model) => {
    const vocabulary = await readVocabulary(folder, 'vocab.json', signal);
    if (!vocabulary)
      return fairseq(model, configs, languagesOf(configs, /^[a-z]{3}_[A-Z][a-z]{3}$/, nllbLanguages));
    const usual = configs.tokenizer.language_codes === 'wmt21' ? wmt21Languages : m2m100Languages;
    return m2m100(model, vocabulary, configs, usual);
  });
}

/** Marian has one model for each side. */
export async function readMarian({ folder, configs, signal }: TokenizerFiles): Promise<Codec | null> {
  const source = await readModel(folder, 'source.spm', signal);
  if (!source) return null;
  const elsewhere = new Set(addedTokens(configs, new Map(), () => null).map(({ id }) => id));
  const [target, vocabulary, targetVocabulary] = await Promise.all([
    readModel(folder, 'target.spm', signal),
    readVocabulary(folder, 'vocab.json', signal, elsewhere),
    readVocabulary(folder, 'target_vocab.json', signal, elsewhere),
  ]);
  if (!vocabulary)
    fail('missing_file', 'there is a source.spm but no vocab.json, which maps its pieces to ids');
  if (!target) fail('missing_file', 'there is a source.spm but no target.spm, which decodes the output');
  return new SentencePieceCodec(marian({ source, target }, { vocabulary, targetVocabulary }, configs));
}

/** The model file's own options name the vocabularies, of the source and of the target. */
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
  return new SentencePieceCodec(student(source, target ?? source));
}

async function readModel(folder: Folder, name: string, signal?: AbortSignal): Promise<SentencePiece | null> {
  const bytes = await readBytes(folder, name, signal);
  return bytes && new SentencePiece(parseSentencePiece(bytes, name));
}
