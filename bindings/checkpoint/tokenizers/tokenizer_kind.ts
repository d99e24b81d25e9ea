/** What a model family says of its tokenizer. */

import type { Folder } from '../source/folder.js';
import type { TokenizerConfigs } from './added_tokens.js';
import type { Codec } from './codec.js';
import type { SchemeOf } from './languages.js';

/** Where a vocabulary is read from. */
export interface TokenizerFiles {
  readonly folder: Folder;
  readonly configs: TokenizerConfigs;
  readonly signal?: AbortSignal | undefined;
}

export interface TokenizerKind {
  /**
   * Reads the vocabulary of a folder that has no tokenizer.json; `null` where its files are missing too.
   *
   * @throws TransformerError `bad_checkpoint`, `missing_file`, `unsupported`
   */
  read(files: TokenizerFiles): Promise<Codec | null>;
  /** How the model is told languages; absent where it is not. */
  readonly languages?: SchemeOf;
}
