/** How a model family reads its tokenizer. */

import type { Folder } from '../files/folder.js';
import type { TokenizerConfigs } from './added_tokens.js';
import type { Codec } from './codec.js';
import type { SchemeOf } from './languages.js';

/** The files of a vocabulary. */
export interface TokenizerFiles {
  readonly folder: Folder;
  readonly configs: TokenizerConfigs;
  readonly signal?: AbortSignal | undefined;
}

export interface TokenizerKind {
  /**
   * Reads the vocabulary of a folder without tokenizer.json; `null` if its files are missing too.
   *
   * @throws TransformerError `bad_checkpoint`, `missing_file`, `unsupported`
   */
  read(files: TokenizerFiles): Promise<Codec | null>;
  /** The classes of the Python library that read such folders, without "Fast". */
  readonly classes?: readonly string[];
  /** The model's language tokens; absent if it has none. */
  readonly languages?: SchemeOf;
}
