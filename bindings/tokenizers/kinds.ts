/**
 * The kinds of tokenizers that families refer to. The code that reads a vocabulary is loaded on demand, because most
 * folders have a tokenizer.json.
 */

import { m2m100Scheme, marianScheme, mbartScheme } from './languages.js';
import type { TokenizerKind } from './tokenizer_kind.js';

const bytes = () => import('./byte_level_folder.js');
const pieces = () => import('./sentencepiece_folder.js');
const words = () => import('./wordpiece_folder.js');

/** Only tokenizer.json is supported. */
export const onlyJson: TokenizerKind = { read: async () => null };

/** BERT: WordPiece, from vocab.txt. */
export const bertWords: TokenizerKind = { read: async (files) => (await words()).readWordPiece(files) };

/** MPNet: WordPiece, with `<s>` and `</s>` around a text. */
export const mpnetWords: TokenizerKind = { read: async (files) => (await words()).readMpnet(files) };

/** GPT-2: byte-level BPE, from vocab.json and merges.txt. */
export const gpt2Bytes: TokenizerKind = { read: async (files) => (await bytes()).readGpt2(files) };

/** RoBERTa and BART: like GPT-2, with `<s>` and `</s>` around a text. */
export const robertaBytes: TokenizerKind = { read: async (files) => (await bytes()).readRoberta(files) };

/** Blenderbot: like RoBERTa, with `</s>` behind a text only and a space in front of it. */
export const blenderbotBytes: TokenizerKind = {
  read: async (files) => (await bytes()).readBlenderbot(files),
};

/** Whisper: like GPT-2, with tokens for language and task. */
export const whisperBytes: TokenizerKind = { read: async (files) => (await bytes()).readWhisper(files) };

/** Marian: one SentencePiece model per language, with ids from vocab.json. */
export const marianPieces: TokenizerKind = {
  read: async (files) => (await pieces()).readMarian(files),
  languages: marianScheme,
};

/** Firefox's translation models: SentencePiece with its own ids, one model or one for each language. */
export const studentPieces: TokenizerKind = { read: async (files) => (await pieces()).readStudent(files) };

/** T5: SentencePiece, plus sentinels outside of the model. */
export const t5Pieces: TokenizerKind = { read: async (files) => (await pieces()).readT5(files, 100) };

/** mT5: like T5, with the sentinels inside of the model. */
export const mt5Pieces: TokenizerKind = { read: async (files) => (await pieces()).readT5(files, 0) };

/** Llama: SentencePiece with a begin-of-sequence token. */
export const llamaPieces: TokenizerKind = { read: async (files) => (await pieces()).readLlama(files) };

/** A SentencePiece model by itself: its own ids, and no special tokens around a text. */
export const ownPieces: TokenizerKind = { read: async (files) => (await pieces()).readOwn(files) };

/** XLM-RoBERTa: SentencePiece with Fairseq's ids. */
export const fairseqPieces: TokenizerKind = { read: async (files) => (await pieces()).readFairseq(files) };

/** CamemBERT: SentencePiece, with five ids in front of its own. */
export const camembertPieces: TokenizerKind = {
  read: async (files) => (await pieces()).readCamembert(files),
};

/** BARThez: the ids of a SentencePiece model that holds the special tokens. */
export const barthezPieces: TokenizerKind = { read: async (files) => (await pieces()).readBarthez(files) };

/** Pegasus: SentencePiece, with masks and unused ids in front of its own. */
export const pegasusPieces: TokenizerKind = { read: async (files) => (await pieces()).readPegasus(files) };

/** DeBERTa, versions 2 and 3: SentencePiece with BERT's special tokens. */
export const debertaPieces: TokenizerKind = { read: async (files) => (await pieces()).readDeberta(files) };

/** mBART: Fairseq's ids, followed by the languages. */
export const mbartPieces: TokenizerKind = {
  read: async (files) => (await pieces()).readMbart(files),
  languages: mbartScheme,
};

/** M2M100, with ids in vocab.json, and NLLB, with Fairseq's ids: both have the model type `m2m_100`. */
export const m2m100Pieces: TokenizerKind = {
  read: async (files) => (await pieces()).readM2m100OrNllb(files),
  languages: m2m100Scheme,
};
