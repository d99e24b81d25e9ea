/** The tokenizer classes of the Python library, which `tokenizer_class` names, and the kinds that read their files. */

import type { Folder } from '../files/folder.js';
import { fail } from '../values/errors.js';
import type { TokenizerConfigs } from './added_tokens.js';
import { kinds } from './kinds.js';
import type { TokenizerKind } from './tokenizer_kind.js';

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
  if (familys.classes?.includes(name)) return familys;
  return Object.values(kinds).find(({ classes }) => classes?.includes(name)) ?? null;
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
