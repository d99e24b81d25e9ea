/** The tokenizer classes of the Python library, which `tokenizer_class` names, and the kinds that read their files. */

import type { Folder } from '../files/folder.js';
import { fail } from '../values/errors.js';
import type { TokenizerConfigs } from './added_tokens.js';
import {
  barthezPieces,
  bertWords,
  blenderbotBytes,
  camembertPieces,
  debertaPieces,
  fairseqPieces,
  gpt2Bytes,
  llamaPieces,
  m2m100Pieces,
  marianPieces,
  mbartPieces,
  mpnetWords,
  mt5Pieces,
  pegasusPieces,
  robertaBytes,
  t5Pieces,
  whisperBytes,
} from './kinds.js';
import type { TokenizerKind } from './tokenizer_kind.js';

/** Where a class has several kinds, the model's family decides, and otherwise the first one is taken. */
const classes: ReadonlyMap<string, readonly TokenizerKind[]> = new Map([
  ['BartTokenizer', [robertaBytes]],
  ['BarthezTokenizer', [barthezPieces]],
  ['BertTokenizer', [bertWords]],
  ['BlenderbotTokenizer', [blenderbotBytes]],
  ['CamembertTokenizer', [camembertPieces]],
  ['CodeGenTokenizer', [gpt2Bytes]],
  ['DebertaV2Tokenizer', [debertaPieces]],
  ['DistilBertTokenizer', [bertWords]],
  ['ElectraTokenizer', [bertWords]],
  ['GPT2Tokenizer', [gpt2Bytes]],
  ['LEDTokenizer', [robertaBytes]],
  ['LlamaTokenizer', [llamaPieces]],
  ['LongformerTokenizer', [robertaBytes]],
  ['M2M100Tokenizer', [m2m100Pieces]],
  ['MBart50Tokenizer', [mbartPieces]],
  ['MBartTokenizer', [mbartPieces]],
  ['MPNetTokenizer', [mpnetWords]],
  ['MT5Tokenizer', [mt5Pieces]],
  ['MarianTokenizer', [marianPieces]],
  ['MvpTokenizer', [robertaBytes]],
  ['NllbTokenizer', [m2m100Pieces]],
  ['PegasusTokenizer', [pegasusPieces]],
  ['RobertaTokenizer', [robertaBytes]],
  ['T5Tokenizer', [t5Pieces, mt5Pieces]],
  ['WhisperTokenizer', [whisperBytes]],
  ['XLMRobertaTokenizer', [fairseqPieces]],
]);

/** Classes that leave the kind open. */
const openClasses: readonly string[] = ['PreTrainedTokenizer', 'PreTrainedTokenizerBase', 'AutoTokenizer'];

/** The class that tokenizer_config.json or else config.json names, without "Fast"; `null` if none is named. */
function classOf({ tokenizer, model }: Pick<TokenizerConfigs, 'tokenizer' | 'model'>): string | null {
  const given = tokenizer.tokenizer_class ?? model.tokenizer_class;
  const name = typeof given === 'string' ? given.replace(/Fast$/, '') : null;
  return name !== null && openClasses.includes(name) ? null : name;
}

/** The kind that reads the files of the class; the family's if no class is named, `null` for an unknown class. */
export function kindOfClass(
  configs: Pick<TokenizerConfigs, 'tokenizer' | 'model'>,
  familys: TokenizerKind,
): TokenizerKind | null {
  const name = classOf(configs);
  if (name === null) return familys;
  const kinds = classes.get(name) ?? [];
  return kinds.includes(familys) ? familys : (kinds[0] ?? null);
}

const vocabularies: readonly string[] = [
  'spiece.model',
  'sentencepiece.bpe.model',
  'tokenizer.model',
  'spm.model',
  'source.spm',
  'vocab.txt',
  'vocab.json',
];

/**
 * Refuses a folder with a vocabulary whose class is unknown: other rules for its ids would give wrong ids.
 *
 * @throws TransformerError `unsupported`, naming the class
 */
export async function refuseUnknownClass(
  folder: Folder,
  configs: Pick<TokenizerConfigs, 'tokenizer' | 'model'>,
  signal?: AbortSignal,
): Promise<void> {
  for (const name of vocabularies) {
    if ('missing' in (await folder.open(name, signal))) continue;
    fail(
      'unsupported',
      `the folder has ${name} but no tokenizer.json, and tokenizers of the class '${classOf(configs)}' are not supported without it`,
    );
  }
}
