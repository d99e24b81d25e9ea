/**
 * The kinds of tokenizers that families refer to. The code that reads a vocabulary is loaded on demand, because most
 * folders have a tokenizer.json.
 */

import { m2m100Scheme, marianScheme, mbartScheme } from './languages.js';
import type { TokenizerFiles, TokenizerKind } from './tokenizer_kind.js';

type Specials = typeof import('./byte_level_folder.js')['specials'];
type Names = typeof import('./wordpiece_folder.js')['names'];
type Layouts = typeof import('./sentencepiece_layouts.js')['layouts'];

/** What a kind has besides the code that reads it. */
type Others = Omit<TokenizerKind, 'read'>;

/** Byte-level BPE, from vocab.json and merges.txt. */
const bytes = (name: keyof Specials, classes: readonly string[]): TokenizerKind => ({
  read: async (files) => (await import('./byte_level_folder.js')).readByteLevel(name, files),
  classes,
});

/** WordPiece, from vocab.txt. */
const words = (name: keyof Names, classes: readonly string[]): TokenizerKind => ({
  read: async (files) => (await import('./wordpiece_folder.js')).readWords(name, files),
  classes,
});

/** A SentencePiece model. */
const pieces = (name: keyof Layouts, others: Others = {}): TokenizerKind => ({
  read: async (files) => (await twoModels()).readPieces(name, files),
  ...others,
});

const twoModels = () => import('./sentencepiece_folder.js');

/**
 * `null`: only tokenizer.json is supported. Where a class has several kinds, the first is taken unless a family says
 * otherwise.
 */
export const kinds = {
  onlyJson: { read: async () => null } as TokenizerKind,

  bertWords: words('bert', ['BertTokenizer', 'DistilBertTokenizer', 'ElectraTokenizer']),
  mpnetWords: words('mpnet', ['MPNetTokenizer']),

  gpt2Bytes: bytes('gpt2', ['CodeGenTokenizer', 'GPT2Tokenizer']),
  robertaBytes: bytes('roberta', [
    ...['BartTokenizer', 'LEDTokenizer', 'LongformerTokenizer', 'MvpTokenizer', 'RobertaTokenizer'],
  ]),
  blenderbotBytes: bytes('blenderbot', ['BlenderbotTokenizer']),
  whisperBytes: bytes('whisper', ['WhisperTokenizer']),

  marianPieces: {
    read: async (files: TokenizerFiles) => (await twoModels()).readMarian(files),
    classes: ['MarianTokenizer'],
    languages: marianScheme,
  } as TokenizerKind,
  studentPieces: {
    read: async (files: TokenizerFiles) => (await twoModels()).readStudent(files),
  } as TokenizerKind,
  t5Pieces: pieces('t5', { classes: ['T5Tokenizer'] }),
  mt5Pieces: pieces('mt5', { classes: ['MT5Tokenizer', 'T5Tokenizer'] }),
  llamaPieces: pieces('llama', { classes: ['LlamaTokenizer'] }),
  ownPieces: pieces('own'),
  fairseqPieces: pieces('fairseq', { classes: ['XLMRobertaTokenizer'] }),
  camembertPieces: pieces('camembert', { classes: ['CamembertTokenizer'] }),
  barthezPieces: pieces('barthez', { classes: ['BarthezTokenizer'] }),
  pegasusPieces: pieces('pegasus', { classes: ['PegasusTokenizer'] }),
  debertaPieces: pieces('deberta', { classes: ['DebertaV2Tokenizer'] }),
  mbartPieces: pieces('mbart', {
    classes: ['MBart50Tokenizer', 'MBartTokenizer'],
    languages: mbartScheme,
  }),
  m2m100Pieces: pieces('m2m100', {
    classes: ['M2M100Tokenizer', 'NllbTokenizer'],
    languages: m2m100Scheme,
  }),
};
