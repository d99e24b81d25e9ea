/** Where each kind of folder has the ids of SentencePiece's pieces, and which special tokens stand around a text. */

import type { Folder } from '../files/folder.js';
import { additionalSpecials, requireToken, roleOf, type TokenizerConfigs } from './added_tokens.js';
import { m2m100Languages, mbartLanguages, nllbLanguages, wmt21Languages } from './language_codes.js';
import { isFirstMbart } from './languages.js';
import { readVocabulary } from './read_files.js';
import type { SentencePiece } from './sentencepiece.js';
import type { Habits } from './sentencepiece_codec.js';
import { fairseqIds, type Ids, idsOf, listedIds, ownIds, shiftedIds } from './sentencepiece_ids.js';

/** A model, and what stands beside it in its folder. */
export interface Reading {
  readonly model: SentencePiece;
  readonly configs: TokenizerConfigs;
  readonly folder: Folder;
  readonly signal?: AbortSignal | undefined;
}

/** What distinguishes a kind. */
export interface Layout extends Partial<Habits> {
  /** Default: the model's own. */
  readonly ids?: Ids;
  /** The special tokens that the kind itself defines. */
  readonly specials: ReadonlyMap<string, number>;
  /** Special tokens that absorb white space: of both sides, or of the left one. */
  readonly absorbs?: { readonly tokens: RegExp | string; readonly right?: boolean };
  /** The ids around a text, and between two. */
  readonly before?: readonly number[];
  readonly after?: readonly number[];
  readonly between?: readonly number[];
}

type LayoutOf = (reading: Reading) => Layout | Promise<Layout>;

const fairseqSpecials = ['<s>', '<pad>', '</s>', '<unk>'];
const [bos, eos] = [0, 2];
/** Around one text and around two: `<s> A </s>`, `<s> A </s></s> B </s>`. */
const asRoberta = { before: [bos], after: [eos], between: [eos, eos] };
const itsOwn = { spaceAfterSpecial: 'its own' } as const;
const maskOf = (configs: TokenizerConfigs) => roleOf(configs, 'mask_token', '<mask>');

/** The kinds with one model. */
export const layouts = {
  t5: (reading) => t5(reading, 100),
  /** Its sentinels are inside of the model. */
  mt5: (reading) => t5(reading, 0),
  llama: ({ model, configs }) => llama(model, configs),
  /** A model by itself: no special tokens around a text. */
  own({ model, configs }) {
    const tokenizer = { add_bos_token: false, add_eos_token: false, ...configs.tokenizer };
    return llama(model, { ...configs, tokenizer });
  },
  fairseq: ({ model, configs }) => ({ ...fairseq(model, configs, []), ...asRoberta }),
  mbart: ({ model, configs }) => fairseq(model, configs, mbartLanguagesOf(model, configs)),
  /** M2M100: ids from vocab.json, then the languages, such as `__fr__`. NLLB has none. */
  async m2m100({ model, configs, folder, signal }) {
    const vocabulary = await readVocabulary(folder, 'vocab.json', signal);
    if (!vocabulary)
      return fairseq(model, configs, languagesOf(configs, /^[a-z]{3}_[A-Z][a-z]{3}$/, nllbLanguages));
    const ids = listedIds(model, vocabulary, configs, 'vocab.json');
    const end = requireToken(ids.idOf, roleOf(configs, 'eos_token', '</s>'), 'vocab.json');
    const specials = idsOf(ids.idOf, fairseqSpecials);
    const usual = configs.tokenizer.language_codes === 'wmt21' ? wmt21Languages : m2m100Languages;
    for (const [i, language] of usual.entries()) specials.set(`__${language}__`, vocabulary.size + i);
    return { ids, specials, after: [end] };
  },
  /** The model's `<s>` and `</s>` count, and not those in front of its pieces; the mask is the last id. */
  camembert({ model, configs }) {
    const front = ['<s>NOTUSED', '<pad>', '</s>NOTUSED', '<unk>', '<unk>NOTUSED'];
    // The fifth id stands for the model's own <unk>, so that its pieces move by four.
    const ids = shiftedIds(model, front, { by: 4, unknownId: 3 });
    const [begin, end] = ['<s>', '</s>'].map((token) => requireToken(ids.idOf, token, model.file.name)) as [
      number,
      number,
    ];
    const mask = maskOf(configs);
    const specials = new Map(front.map((token, id) => [token, id]));
    specials.set('<s>', begin).set('</s>', end).set(mask, ids.tokens.length);
    const around = { before: [begin], after: [end], between: [end, end] };
    return { ids, specials, absorbs: { tokens: mask }, ...around, ...itsOwn };
  },
  /** The model holds the special tokens under their ids; the mask takes the last piece's. */
  barthez({ model, configs }) {
    const mask = maskOf(configs);
    const specials = new Map(fairseqSpecials.map((token, id) => [token, id]));
    specials.set(mask, model.file.pieces.length - 1);
    const unknownId = 3;
    const idOfPiece = ({ id }: { id: number }) => (id === model.file.unknownId || id === 0 ? unknownId : id);
    const ids = { ...ownIds(model), unknownId, idOfPiece };
    return { ids, specials, absorbs: { tokens: mask }, ...asRoberta, ...itsOwn };
  },
  /** Padding, end, two masks and unused ids, then the pieces. */
  pegasus({ model, configs }) {
    const offset = countIn(configs, 'offset') ?? 103;
    const named = [roleOf(configs, 'pad_token', '<pad>'), roleOf(configs, 'eos_token', '</s>')];
    if (offset > 0)
      named.push(roleOf(configs, 'mask_token_sent', '<mask_1>'), roleOf(configs, 'mask_token', '<mask_2>'));
    // The unused ids end two places behind the offset, where the model has its own padding and end.
    for (let i = 2; offset > 0 && i < offset; i++) named.push(`<unk_${i}>`);
    const unknownId = offset + model.file.unknownId;
    const specials = new Map(named.map((token, id) => [token, id]));
    specials.set(roleOf(configs, 'unk_token', '<unk>'), unknownId);
    return { ids: shiftedIds(model, named, { by: offset, unknownId }), specials, after: [1] };
  },
  /** The model's own ids, with `[CLS]` and `[SEP]` around a text, and a mask behind the last piece. */
  deberta({ model, configs }) {
    const { idOf } = ownIds(model);
    const { name, pieces } = model.file;
    const [cls, sep] = [roleOf(configs, 'cls_token', '[CLS]'), roleOf(configs, 'sep_token', '[SEP]')].map(
      (token) => requireToken(idOf, token, name),
    ) as [number, number];
    const specials = idsOf(idOf, ['[PAD]', '[CLS]', '[SEP]', '[UNK]']);
    const mask = roleOf(configs, 'mask_token', '[MASK]');
    specials.set(mask, idOf(mask) ?? pieces.length);
    return { specials, before: [cls], after: [sep], between: [sep], ...itsOwn };
  },
} satisfies Record<string, LayoutOf>;

/**
 * The model's own ids, then sentinels numbered downwards from the largest id: `sentinels`, if the folder does not say.
 */
function t5({ model, configs }: Reading, sentinels: number): Layout {
  const { pieces, name } = model.file;
  const { idOf } = ownIds(model);
  const end = requireToken(idOf, roleOf(configs, 'eos_token', '</s>'), name);
  const specials = idsOf(idOf, ['<pad>', '</s>', '<unk>']);
  const extra = countIn(configs, 'extra_ids') ?? sentinels;
  for (let i = 0; i < extra; i++) specials.set(`<extra_id_${i}>`, pieces.length + extra - 1 - i);
  return {
    specials,
    // Spaces next to a sentinel are not part of the text.
    absorbs: { tokens: /^<extra_id_/, right: true },
    after: [end],
    between: [end],
    prefixesEachPart: configs.tokenizer.legacy !== false,
  };
}

function llama(model: SentencePiece, { tokenizer, ...others }: TokenizerConfigs): Layout {
  const configs = { tokenizer, ...others };
  const { idOf } = ownIds(model);
  const idIf = (isThere: boolean, role: string, usual: string) =>
    isThere ? [requireToken(idOf, roleOf(configs, role, usual), model.file.name)] : [];
  const before = idIf(tokenizer.add_bos_token !== false, 'bos_token', '<s>');
  const after = idIf(tokenizer.add_eos_token === true, 'eos_token', '</s>');
  return {
    specials: idsOf(idOf, ['<unk>', '<s>', '</s>']),
    before,
    after,
    between: [...after, ...before],
    prefixesEachPart: tokenizer.legacy !== false,
    strips: false,
    isBpe: true,
    ...itsOwn,
  };
}

/**
 * Fairseq's: four special tokens, the pieces from the third on, the languages, the mask. Languages replace what is
 * around.
 */
function fairseq(model: SentencePiece, configs: TokenizerConfigs, languages: readonly string[]): Layout {
  const first = model.file.pieces.length + 1;
  const mask = maskOf(configs);
  const specials = new Map(fairseqSpecials.map((token, id) => [token, id]));
  for (const [i, language] of languages.entries()) specials.set(language, first + i);
  specials.set(mask, first + languages.length);
  const ids = fairseqIds(model, fairseqSpecials);
  return { ids, specials, absorbs: { tokens: mask }, after: [eos], ...itsOwn };
}

/** mBART-CC25 has half as many languages as mBART-50, and its vocabulary has no room for more. */
function mbartLanguagesOf({ file }: SentencePiece, configs: TokenizerConfigs): readonly string[] {
  const { vocab_size: size } = configs.model;
  const room = typeof size === 'number' ? size - file.pieces.length - 1 : Number.POSITIVE_INFINITY;
  const isOld = isFirstMbart(configs.tokenizer) || room < mbartLanguages.length;
  return languagesOf(configs, /^[a-z]{2}_[A-Z]{2}$/, isOld ? mbartLanguages.slice(0, 25) : mbartLanguages);
}

/** The languages that the folder lists, or else the family's. */
function languagesOf(
  configs: TokenizerConfigs,
  isLanguage: RegExp,
  usual: readonly string[],
): readonly string[] {
  const named = additionalSpecials(configs).filter((token) => isLanguage.test(token));
  return named.length > 0 ? named : usual;
}

/** A number of ids in tokenizer_config.json. */
function countIn({ tokenizer }: TokenizerConfigs, name: string): number | null {
  const given = tokenizer[name];
  return typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= 10_000 ? given : null;
}
