/** The ids that a folder gives to the pieces of a SentencePiece model. */

import { requireToken, roleOf, type TokenizerConfigs } from './added_tokens.js';
import type { SentencePiece } from './sentencepiece.js';
import type { Side } from './sentencepiece_vocabulary.js';

export interface Ids extends Omit<Side, 'added'> {
  idOf(token: string): number | null;
}

/** The model's own. */
export function ownIds(model: SentencePiece): Ids {
  const { pieces, unknownId } = model.file;
  const idOf = (token: string) => model.idOf(token);
  return { model, tokens: pieces.map(({ text }) => text), unknownId, idOfPiece: ({ id }) => id, idOf };
}

/** Those of a vocabulary, which `file` holds. */
export function listedIds(
  model: SentencePiece,
  vocabulary: ReadonlyMap<string, number>,
  configs: TokenizerConfigs,
  file: string,
): Ids {
  const idOf = (token: string) => vocabulary.get(token) ?? null;
  const unknownId = requireToken(idOf, roleOf(configs, 'unk_token', '<unk>'), file);
  const tokens: (string | undefined)[] = [];
  for (const [token, id] of vocabulary) tokens[id] = token;
  return { model, tokens, unknownId, idOf, idOfPiece: ({ piece }) => vocabulary.get(piece) ?? unknownId };
}

/** The model's own, moved; the first are named otherwise, or unused. */
export function shiftedIds(
  model: SentencePiece,
  named: readonly string[],
  { by, unknownId }: { readonly by: number; readonly unknownId: number },
): Ids {
  const own = model.file.pieces.map(({ text }) => text);
  const tokens = Array.from({ length: by + own.length }, (_, id) => named[id] ?? own[id - by]);
  const idOf = (token: string) => {
    const id = model.idOf(token);
    return id === null ? null : id + by;
  };
  return {
    model,
    tokens,
    unknownId,
    idOf,
    idOfPiece: ({ id }) => (id === model.file.unknownId ? unknownId : id + by),
  };
}

/** Fairseq's: the special tokens, of which `<unk>` is the last, then the model's from the fourth on. */
export function fairseqIds(model: SentencePiece, specials: readonly string[]): Ids {
  const unknownId = specials.length - 1;
  const tokens = [...specials, ...model.file.pieces.slice(unknownId).map(({ text }) => text)];
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const isMoved = (id: number) => id !== model.file.unknownId && id >= unknownId;
  return {
    model,
    tokens,
    unknownId,
    idOf: (token) => ids.get(token) ?? null,
    idOfPiece: ({ id }) => (isMoved(id) ? id + 1 : unknownId),
  };
}

/** The tokens that exist, with their ids. */
export function idsOf(
  idOf: (token: string) => number | null,
  tokens: readonly string[],
): Map<string, number> {
  const found = new Map<string, number>();
  for (const token of tokens) {
    const id = idOf(token);
    if (id !== null) found.set(token, id);
  }
  return found;
}
