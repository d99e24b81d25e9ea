/** Loads a tokenizer without its model. */

import { familyOf } from '../families/index.js';
import type { CheckpointSource, Folder } from '../files/folder.js';
import type { HubOptions } from '../files/hub.js';
import { openFolder } from '../files/open_folder.js';
import { readJson } from '../files/read_json.js';
import { kinds } from '../tokenizers/kinds.js';
import { readTokenizer } from '../tokenizers/read_tokenizer.js';
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { cross } from '../values/border.js';
import { fail } from '../values/errors.js';
import { checkNames, toBoolean, toInteger, toObject } from '../values/options.js';
import { describe } from '../values/tensor.js';
import { asFolder, knowsWeights } from './folder_weights.js';

export interface LoadTokenizerOptions {
  /** Whether to keep downloads; default: true for models of a hub, else false. */
  cache?: boolean;
  /** Loads the source from a hub, as the id `'owner/name'`. */
  hub?: HubOptions;
  /** How often a request is repeated that fails for a passing reason. Default: 4. */
  retries?: number;
  /** Aborts loading, which then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/**
 * Loads the tokenizer of a model, and nothing else: no weights are read, and no engine starts.
 *
 * @param source a folder, the id of a model on a hub, or a GGUF file, as for `loadModel`, of which a GGUF file may hold
 *   a vocabulary alone; or the URL or path of a `tokenizer.json` or of a SentencePiece model (`.model`, `.spm`). The
 *   files beside such a file say which special tokens a text has; a SentencePiece model without them adds none.
 * @throws TransformerError `missing_file` if there is no tokenizer, `bad_checkpoint`, `unsupported`, `invalid_argument`
 */
export async function loadTokenizer(
  source: CheckpointSource,
  options: LoadTokenizerOptions = {},
): Promise<Tokenizer> {
  return cross('source options', [source, options], load);
}

async function load(source: CheckpointSource, options: LoadTokenizerOptions): Promise<Tokenizer> {
  checkOptions(options);
  const { signal } = options;
  signal?.throwIfAborted();
  const file = fileOf(source);
  const folder = file
    ? fileIn(await openFolder(file.folder, options), file.name)
    : await asFolder(await openFolder(source, options));
  try {
    // A vocabulary alone describes no model.
    const isGguf = knowsWeights(folder);
    const config = isGguf ? null : await readJson(folder, 'config.json', signal);
    const kind = config || isGguf ? (await familyOf(config ?? {})).tokenizer : kinds.ownPieces;
    const tokenizer = await readTokenizer(folder, { config: config ?? {}, kind }, signal);
    return tokenizer ?? fail('missing_file', `${folder.name} has no tokenizer`);
  } finally {
    if (knowsWeights(folder)) await folder.close();
  }
}

/** The folder and the name of a tokenizer's file; `null` if the source is something else. */
function fileOf(source: CheckpointSource): { folder: string; name: string } | null {
  const address = source instanceof URL ? source.href : source;
  if (typeof address !== 'string') return null;
  const [, path = '', name, query = ''] =
    /^(.*?)[/\\]?([^/\\?#]+\.(?:json|model|spm))([?#].*)?$/i.exec(address) ?? [];
  if (name === undefined) return null;
  return {
    folder: `${path || (/^[/\\]/.test(address) ? '/' : '.')}${query}`,
    name: decodeURIComponent(name),
  };
}

/** A folder whose tokenizer is one of its files, whatever that is called. */
function fileIn(folder: Folder, name: string): Folder {
  const usual = /\.json$/i.test(name) ? 'tokenizer.json' : 'tokenizer.model';
  const others = [
    'tokenizer.json',
    'spiece.model',
    'sentencepiece.bpe.model',
    'tokenizer.model',
    'spm.model',
  ];
  return {
    ...folder,
    open: async (asked, signal) => {
      if (asked === usual) return folder.open(name, signal);
      return others.includes(asked) ? { missing: `${name} was asked for` } : folder.open(asked, signal);
    },
  };
}

function checkOptions(options: LoadTokenizerOptions): void {
  const given = toObject(options, 'options');
  checkNames(given, ['cache', 'hub', 'retries', 'signal'], 'options');
  if (given.cache !== undefined) toBoolean(given.cache, 'cache');
  if (given.hub !== undefined) toObject(given.hub, 'hub');
  if (given.retries !== undefined) toInteger(given.retries, 'retries', { min: 0, max: 20 });
  if (given.signal !== undefined && !(given.signal instanceof AbortSignal))
    fail('invalid_argument', `signal must be an AbortSignal, got ${describe(given.signal)}`);
}
