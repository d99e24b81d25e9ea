/** The ids and special tokens of CamemBERT, BARThez, Pegasus and DeBERTa. */

import { addedTokens, requireToken, roleOf, type TokenizerConfigs } from './added_tokens.js';
import type { AddedToken } from './codec.js';
import type { SentencePiece } from './sentencepiece.js';
import type { SentencePieceFamily, Template } from './sentencepiece_codec.js';
import { habits, known, ownIds } from './sentencepiece_families.js';
import type { Side } from './sentencepiece_vocabulary.js';

/** Around one text and around two: `<s> A </s>`, `<s> A </s></s> B </s>`. */
const robertas = (bos: number, eos: number): { single: Template; pair: Template } => ({
  single: [bos, 'first', eos],
  pair: [bos, 'first', eos, eos, 'second', eos],
});

/** The added tokens; the mask absorbs the space before it. */
function withMask(
  configs: TokenizerConfigs,
  fixed: ReadonlyMap<string, number>,
  idOf: (token: string) => number | null,
): AddedToken[] {
  const mask = roleOf(configs, 'mask_token', '<mask>');
  return addedTokens(configs, fixed, idOf).map((token) =>
    token.content === mask ? { ...token, lstrip: true } : token,
  );
}

/** Pieces whose ids are those of the model, plus `offset`; before them `front`. */
function shifted(
  model: SentencePiece,
  front: readonly (string | undefined)[],
  unknownId: number,
): Omit<Side, 'added'> & { idOf(token: string): number | null } {
  const offset = front.length;
  const tokens = [...front, ...model.file.pieces.map(({ text }) => text)];
  return {
    model,
    tokens,
    unknownId,
    idOf: (token) => {
      const id = model.idOf(token);
      return id === null ? null : id + offset;
    },
    idOfPiece: ({ id }) => (id === model.file.unknownId ? unknownId : id + offset),
  };
}

/** CamemBERT: the model's `<s>` and `</s>` count, and not those in front of its pieces; the mask is the last id. */
export function camembert(model: SentencePiece, configs: TokenizerConfigs): SentencePieceFamily {
  const front = ['<s>NOTUSED', '<pad>', '</s>NOTUSED', '<unk>', '<unk>NOTUSED'];
  // The fifth id stands for the model's own <unk>, so that its pieces move by four.
  const side = shifted(model, front.slice(0, 4), 3);
  const tokens = side.tokens.map((token, id) => front[id] ?? token);
  const [bos, eos] = ['<s>', '</s>'].map((token) => requireToken(side.idOf, token, model.file.name));
  const mask = roleOf(configs, 'mask_token', '<mask>');
  const fixed = new Map(front.map((token, id) => [token, id]));
  for (const [token, id] of [
    ['<s>', bos],
    ['</s>', eos],
  ] as const)
    if (id !== undefined) fixed.set(token, id);
  fixed.set(mask, tokens.length);
  const all = { ...side, tokens, added: withMask(configs, fixed, side.idOf) };
  return {
    ...habits,
    source: all,
    target: all,
    ...robertas(bos ?? 0, eos ?? 0),
    spaceAfterSpecial: 'its own',
  };
}

/** BARThez: the model holds the special tokens under their ids; the mask takes the last piece's. */
export function barthez(model: SentencePiece, configs: TokenizerConfigs): SentencePieceFamily {
  const specials = ['<s>', '<pad>', '</s>', '<unk>'];
  const fixed = new Map(specials.map((token, id) => [token, id]));
  fixed.set(roleOf(configs, 'mask_token', '<mask>'), model.file.pieces.length - 1);
  const [bos, eos, unknownId] = [0, 2, 3];
  const idOf = (token: string) => fixed.get(token) ?? model.idOf(token);
  const own = ownIds(model);
  const side: Side = {
    ...own,
    unknownId,
    idOfPiece: ({ id }) => (id === model.file.unknownId || id === 0 ? unknownId : id),
    added: withMask(configs, fixed, idOf),
  };
  return { ...habits, source: side, target: side, ...robertas(bos, eos), spaceAfterSpecial: 'its own' };
}

/** Pegasus: padding, end, two masks and unused ids, then the pieces. */
export function pegasus(model: SentencePiece, configs: TokenizerConfigs): SentencePieceFamily {
  const { offset: given } = configs.tokenizer;
  const offset =
    typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= 10_000 ? given : 103;
  const masks = [roleOf(configs, 'mask_token_sent', '<mask_1>'), roleOf(configs, 'mask_token', '<mask_2>')];
  const named = [roleOf(configs, 'pad_token', '<pad>'), roleOf(configs, 'eos_token', '</s>')];
  if (offset > 0) named.push(...masks);
  // The unused ids end two places behind the offset, where the model has its own padding and end.
  for (let i = 2; offset > 0 && i < offset; i++) named.push(`<unk_${i}>`);
  const front = Array.from({ length: offset }, (_, id) => named[id]);
  const side = shifted(model, front, offset + model.file.unknownId);
  const tokens = side.tokens.map((token, id) => named[id] ?? token);
  const fixed = new Map(named.map((token, id) => [token, id]));
  fixed.set(roleOf(configs, 'unk_token', '<unk>'), offset + model.file.unknownId);
  const idOf = (token: string) => fixed.get(token) ?? side.idOf(token);
  const all = { ...side, tokens, added: addedTokens(configs, fixed, idOf) };
  const eos = 1;
  return { ...habits, source: all, target: all, single: ['first', eos], pair: ['first', 'second', eos] };
}

/** DeBERTa: the model's own ids, with `[CLS]` and `[SEP]` around a text, and a mask behind the last piece. */
export function deberta(model: SentencePiece, configs: TokenizerConfigs): SentencePieceFamily {
  const { name, pieces } = model.file;
  const idOf = (token: string) => model.idOf(token);
  const [cls, sep] = [roleOf(configs, 'cls_token', '[CLS]'), roleOf(configs, 'sep_token', '[SEP]')].map(
    (token) => requireToken(idOf, token, name),
  );
  const fixed = known(idOf, ['[PAD]', '[CLS]', '[SEP]', '[UNK]']);
  const mask = roleOf(configs, 'mask_token', '[MASK]');
  fixed.set(mask, model.idOf(mask) ?? pieces.length);
  const side = { ...ownIds(model), added: addedTokens(configs, fixed, idOf) };
  const [begin = 0, end = 0] = [cls, sep];
  return {
    ...habits,
    source: side,
    target: side,
    single: [begin, 'first', end],
    pair: [begin, 'first', end, 'second', end],
    spaceAfterSpecial: 'its own',
  };
}
