/** Which SentencePiece files a folder has, and the family that its config.json says they belong to. */

import { fail } from '../../engine/errors.js';
import type { Folder } from '../source/folder.js';
import { addedTokens, type TokenizerConfigs } from './added_tokens.js';
import { m2m100Languages, mbartLanguages, nllbLanguages, wmt21Languages } from './language_codes.js';
import { readBytes, readVocabulary } from './read_files.js';
import { SentencePiece } from './sentencepiece.js';
import { SentencePieceCodec, type SentencePieceFamily } from './sentencepiece_codec.js';
import { fairseq, languagesOf, llama, m2m100, marian, t5 } from './sentencepiece_families.js';
import { parseSentencePiece } from './sentencepiece_file.js';

/** The names that the families' own tokenizers save their models under. */
const usualNames = ['spiece.model', 'sentencepiece.bpe.model', 'tokenizer.model', 'spm.model'];

/**
 * `null` where there is no such file or the family has no use for one.
 *
 * @throws TransformerError `bad_checkpoint`, `unsupported`
 */
export async function readSentencePieceFolder(
  folder: Folder,
  configs: TokenizerConfigs,
  signal?: AbortSignal,
): Promise<SentencePieceCodec | null> {
  const family = await readFamily(folder, configs, signal);
  return family && new SentencePieceCodec(family);
}

async function readFamily(
  folder: Folder,
  configs: TokenizerConfigs,
  signal?: AbortSignal,
): Promise<SentencePieceFamily | null> {
  const { model_type: modelType } = configs.model;
  if (modelType === 'marian') return readMarian(folder, configs, signal);
  const read = readers[String(modelType)];
  if (!read) return null;
  for (const name of usualNames) {
    const model = await readModel(folder, name, signal);
    if (model) return read(model, { folder, configs, signal });
  }
  return null;
}

interface Surroundings {
  readonly folder: Folder;
  readonly configs: TokenizerConfigs;
  readonly signal: AbortSignal | undefined;
}

type Reader = (
  model: SentencePiece,
  surroundings: Surroundings,
) => SentencePieceFamily | Promise<SentencePieceFamily>;

const readT5: Reader = (model, { configs }) => t5(model, configs);
const readLlama: Reader = (model, { configs }) => llama(model, configs);

const readers: Readonly<Record<string, Reader | undefined>> = {
  t5: readT5,
  mt5: readT5,
  umt5: readT5,
  longt5: readT5,
  llama: readLlama,
  mistral: readLlama,
  mixtral: readLlama,
  'xlm-roberta': (model, { configs }) => fairseq(model, configs, []),
  mbart: (model, { configs }) => fairseq(model, configs, mbartLanguagesOf(model, configs)),
  m2m_100: readM2m100OrNllb,
  'nllb-moe': readM2m100OrNllb,
};

/** The older of the two knows 25 languages, as many as its ids leave room for. */
function mbartLanguagesOf({ file }: SentencePiece, configs: TokenizerConfigs): readonly string[] {
  const { vocab_size: size } = configs.model;
  const room = typeof size === 'number' ? size - file.pieces.length - 1 : Number.POSITIVE_INFINITY;
  const isOld = configs.tokenizer.tokenizer_class === 'MBartTokenizer' || room < mbartLanguages.length;
  return languagesOf(configs, /^[a-z]{2}_[A-Z]{2}$/, isOld ? mbartLanguages.slice(0, 25) : mbartLanguages);
}

/** Both call themselves `m2m_100`; only M2M100 has a vocabulary beside the model. */
async function readM2m100OrNllb(
  model: SentencePiece,
  { folder, configs, signal }: Surroundings,
): Promise<SentencePieceFamily> {
  const vocabulary = await readVocabulary(folder, 'vocab.json', signal);
  if (!vocabulary)
    return fairseq(model, configs, languagesOf(configs, /^[a-z]{3}_[A-Z][a-z]{3}$/, nllbLanguages));
  const usual = configs.tokenizer.language_codes === 'wmt21' ? wmt21Languages : m2m100Languages;
  return m2m100(model, vocabulary, configs, usual);
}

async function readMarian(
  folder: Folder,
  configs: TokenizerConfigs,
  signal?: AbortSignal,
): Promise<SentencePieceFamily | null> {
  const source = await readModel(folder, 'source.spm', signal);
  if (!source) return null;
  const elsewhere = new Set(addedTokens(configs, new Map(), () => null).map(({ id }) => id));
  const [target, vocabulary, targetVocabulary] = await Promise.all([
    readModel(folder, 'target.spm', signal),
    readVocabulary(folder, 'vocab.json', signal, elsewhere),
    readVocabulary(folder, 'target_vocab.json', signal, elsewhere),
  ]);
  if (!vocabulary)
    fail('missing_file', 'there is a source.spm but no vocab.json, which gives its pieces their ids');
  if (!target)
    fail('missing_file', 'there is a source.spm but no target.spm, which makes text of the answer');
  return marian({ source, target }, { vocabulary, targetVocabulary }, configs);
}

async function readModel(folder: Folder, name: string, signal?: AbortSignal): Promise<SentencePiece | null> {
  const bytes = await readBytes(folder, name, signal);
  return bytes && new SentencePiece(parseSentencePiece(bytes, name));
}
