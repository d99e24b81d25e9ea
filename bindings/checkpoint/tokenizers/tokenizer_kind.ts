/** What a model family says about its tokenizer. */

import type { Folder } from '../source/folder.js';
import type { TokenizerConfigs } from './added_tokens.js';
import type { Codec } from './codec.js';
import type { SchemeOf } from './languages.js';

/** What a vocabulary is read from. */
export interface TokenizerFiles {
  readonly folder: Folder;
  readonly configs: TokenizerConfigs;
  readonly signal?: AbortSignal | undefined;
}

export interface TokenizerKind {
  /**
   * Reads the vocabulary of a folder that has no tokenizer.json; `null` if its files are missing too.
   *
   * @throws TransformerError `bad_checkpoint`, `missing_file`, `unsupported`
   */
  read(files: TokenizerFiles): Promise<Codec | null>;
  /** How the model is told languages, if it is. */
  readonly languages?: SchemeOf;
}
