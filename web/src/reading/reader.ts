/** Reads a sentence with a model: translates it, and gathers all that the views show of it. */

import { type Model, type Tensor, type TextOrIds, TransformerError } from 'transformer-wasm';
import { type Head, type Kind, offIn, parseHead } from '../selection/heads.js';
import { Problem } from '../words/problem.js';
import { words } from '../words/words.js';
import { AttentionMap } from './attention_map.js';
import { breathe, isOutOfBreath } from './breath.js';
import { largest, softmaxOf } from './largest.js';
import { passOf } from './pass.js';
import { type Candidate, type Reading, strongest, type WrittenToken } from './reading.js';
import { generationOf, type Request } from './request.js';
import { type Token, tokenOf } from './tokens.js';

/** How many candidates are kept for each written token. */
const mostCandidates = 5;

/** The text is split where a sentence ends, and translated one by one: the model has only seen single sentences. */
export function sentencesOf(text: string): string[] {
  const parts = new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text);
  return [...parts].map(({ segment }) => segment.trim()).filter((sentence) => sentence !== '');
}

/** @throws TransformerError; the signal's reason */
export async function read(model: Model, text: string, options: Request = {}): Promise<Reading> {
  const input = inputOf(model, text);
  const shape = await shapeOf(model, input);
  if (shape === 'encoder') return readEncoder(model, text, options);
  const { off = [], signal } = options;
  const result = await model.generate(input, {
    ...generationOf(options),
    numReturnSequences: options.beams ?? 1,
    ...(shape === 'decoder' && { maxNewTokens: 12 }),
  });
  const best = result.sequences[0];
  if (!best) throw new Problem(words.messages.wroteNothing);
  const { ids } = best;
  const passed = { stacks: shape, inputIds: result.inputIds, ids, off };
  const pass = await passOf(model, passed, { outputAttentions: true });
  signal?.throwIfAborted();
  const language = shape === 'both' ? 'fr' : 'en';
  const tokens = tokensOf(model, ids, language);
  const source = sourceOf(model, text, result.inputIds, result.inputOffsets);
  const read = tokens.slice(0, -1);
  const writtenPlain = await writtenOf(model, tokens.slice(1), ids.slice(1), pass.logits as Tensor, language);
  signal?.throwIfAborted();
  const taught = taughtHeads(model);
  const written = named(writtenPlain, source, pass.crossAttentions, taught.alignment);
  return {
    text,
    translation: spelledOut(best.text, written),
    ...passed,
    source,
    written,
    read,
    unknownWords: result.unknownWords,
    maps: {
      ...mapOf('encoder', [source, source], { weights: pass.encoderAttentions, off }),
      ...mapOf('decoder', [written, read], { weights: pass.decoderAttentions ?? pass.attentions, off }),
      ...mapOf('cross', [written, source], { weights: pass.crossAttentions, off }),
    },
    isRecurrent: model.info.family === 'recurrent',
    nBest: nBestOf(result.sequences),
    isBuiltIn: false,
    taught,
  };
}

/** Nothing where the model has no such attention: a recurrent one has none but that from the French to the English. */
function mapOf(
  kind: Kind,
  [queries, keys]: readonly [readonly Token[], readonly Token[]],
  { weights = [], off }: { weights: Tensor[] | undefined; off: readonly string[] },
): Reading['maps'] {
  return weights.length > 0 ? { [kind]: new AttentionMap(queries, keys, weights, offIn(kind, off)) } : {};
}

/** An unknown word is shown as the source word that the model looked at when it wrote it. */
function named(
  written: WrittenToken[],
  source: Reading['source'],
  weights: Tensor[] | undefined,
  alignment: Head | undefined,
): WrittenToken[] {
  if (!weights?.length || !written.some(({ isUnknown }) => isUnknown)) return written;
  const map = new AttentionMap(written, source, weights);
  const [layer, head] = alignment ? [alignment.layer, alignment.head] : [map.layers - 1, 'mean' as const];
  const isWord = source.map(({ isSpecial }) => (isSpecial ? 0 : 1));
  return written.map((token, i) => {
    if (!token.isUnknown) return token;
    const row = map.row(layer, head, i).map((weight, key) => weight * (isWord[key] ?? 0));
    return { ...token, label: source[strongest(row)]?.label ?? token.label };
  });
}

/** Which stacks a model has: only a model of both looks from one to the other, and one without a decoder writes nothing. */
async function findShape(model: Model, input: TextOrIds): Promise<Shape> {
  try {
    const { crossAttentions } = await model.generate(input, { maxNewTokens: 1, outputAttentions: true });
    return crossAttentions ? 'both' : 'decoder';
  } catch (error) {
    if (error instanceof TransformerError && error.code === 'unsupported') return 'encoder';
    throw error;
  }
}

type Shape = Reading['stacks'];
const shapes = new WeakMap<Model, Shape>();

async function shapeOf(model: Model, input: TextOrIds): Promise<Shape> {
  const shape = shapes.get(model) ?? (await findShape(model, input));
  shapes.set(model, shape);
  return shape;
}

/** A model without a tokenizer takes token ids: the numbers in the text. One of pictures or sound takes neither. */
function inputOf(model: Model, text: string): TextOrIds {
  if ('image_size' in model.config || 'vision_config' in model.config)
    throw new Problem(words.messages.readsPictures);
  if ('num_mel_bins' in model.config || model.config.model_type === 'moonshine')
    throw new Problem(words.messages.readsSound);
  if (model.tokenizer) return text;
  const ids = (text.match(/\d+/g) ?? []).map(Number);
  if (ids.length > 0) return ids;
  throw new Problem(words.messages.noTokenizer);
}

/** A model without a decoder writes nothing: only its own attention can be shown. */
async function readEncoder(model: Model, text: string, { off = [], signal }: Request): Promise<Reading> {
  const ids = inputOf(model, text);
  const encoding = model.tokenizer?.encode(text) ?? {
    ids: Array.from(ids as ArrayLike<number>),
    offsets: [],
    unknownWords: [],
  };
  const passed = { stacks: 'encoder', inputIds: encoding.ids, ids: [], off } as const;
  const pass = await passOf(model, passed, { outputAttentions: true });
  signal?.throwIfAborted();
  const source = sourceOf(model, text, encoding.ids, encoding.offsets);
  return {
    text,
    translation: '',
    ...passed,
    source,
    written: [],
    read: [],
    unknownWords: encoding.unknownWords,
    maps: mapOf('encoder', [source, source], { weights: pass.attentions, off }),
    isRecurrent: false,
    nBest: [],
    isBuiltIn: false,
    taught: {},
  };
}

function tokensOf(model: Model, ids: readonly number[], language: Token['language']): Token[] {
  return ids.map((id) => tokenOf(nameOf(model, id), language));
}

/** Letters that stand for bytes, as byte-level vocabularies write them, and bytes by their numbers. */
const bytes = /[\u0100-\u0143]|^<0x[\dA-F]{2}>$/;

/** A token as the page shows it; bytes as the letters that they are, where a token has whole ones. */
function nameOf(model: Model, id: number, isSource = false): string {
  const token = model.tokenizer?.tokenOf(id, { isSource }) ?? `${id}`;
  if (!bytes.test(token)) return token;
  const text = model.tokenizer?.decode([id]) ?? token;
  return text === '' || text.includes('\ufffd') ? token : text;
}

function sourceOf(
  model: Model,
  text: string,
  ids: readonly number[],
  offsets: readonly (readonly [number, number] | null)[],
): Reading['source'] {
  return ids.map((id, i) => {
    const offset = offsets[i];
    return {
      ...tokenOf(nameOf(model, id, true), 'en', offset ? text.slice(...offset) : undefined),
      id,
      span: offset ?? null,
    };
  });
}

/** The text with the source words in place of the mark for unknown ones. */
function spelledOut(text: string, written: readonly WrittenToken[]): string {
  const words = written.filter(({ isUnknown }) => isUnknown).map(({ label }) => label);
  return text.replaceAll('<unk>', () => words.shift() ?? '…');
}

/** @param logits [1, time, vocabulary]: of the token after each one that the decoder read */
async function writtenOf(
  model: Model,
  tokens: readonly Token[],
  ids: readonly number[],
  { data, shape: [, , vocabulary = 0] }: Tensor,
  language: Token['language'],
): Promise<WrittenToken[]> {
  const written: WrittenToken[] = [];
  for (const [i, token] of tokens.entries()) {
    const scores = data.subarray(i * vocabulary, (i + 1) * vocabulary);
    const probabilityOf = softmaxOf(scores);
    const candidates = largest(scores, mostCandidates).map((id): Candidate => {
      const named = tokenOf(nameOf(model, id), language);
      return { ...named, id, probability: probabilityOf(id) };
    });
    const id = ids[i] ?? 0;
    written.push({ ...token, id, probability: probabilityOf(id), candidates });
    if (isOutOfBreath()) await breathe();
  }
  return written;
}

/** Probabilities of whole translations: from the sum of their tokens' log-probabilities. */
function nBestOf(sequences: readonly { text: string; tokenScores: number[] }[]): Reading['nBest'] {
  return sequences.map(({ text, tokenScores }) => ({
    text: spelledOut(text, []),
    probability: Math.exp(tokenScores.reduce((sum, score) => sum + score, 0)),
  }));
}

/** The heads that were trained for a purpose, as the model's config names them. */
function taughtHeads({ config }: Model): Reading['taught'] {
  const given = config.taught_heads;
  if (typeof given !== 'object' || given === null) return {};
  const { alignment, antecedent } = given as Record<string, { layer?: unknown; head?: unknown } | undefined>;
  const one = (kind: 'cross' | 'encoder', place: typeof alignment) =>
    place ? parseHead(`${kind}.${place.layer}.${place.head}`) : null;
  const [aligns, refers] = [one('cross', alignment), one('encoder', antecedent)];
  return { ...(aligns && { alignment: aligns }), ...(refers && { antecedent: refers }) };
}
