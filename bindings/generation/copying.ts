/**
 * Words that the model never learned, copied to its output: each unknown token stands for the unknown source word that
 * a cross-attention head of the model looks at most when it writes the token (Luong, Sutskever et al. 2015). Only
 * checkpoints that name such a head, under `copy_unknown` in config.json, copy.
 */

import type { Loaded } from '../checkpoint/loaded.js';
import type { ReadForwardOptions } from '../insight/forward_options.js';
import type { CopyingHead } from '../plans/family.js';
import type { Tokenizer } from '../tokenizers/tokenizer.js';
import { fail } from '../values/errors.js';
import type { Input } from './inputs.js';

/** What changes the passes of a generation. */
type Interventions = Pick<ReadForwardOptions, 'heads' | 'edits'>;

/** A decoder of ids. */
export type Decoder = Pick<Tokenizer, 'decode' | 'decodeSettled'>;

/** One generated sequence, whose unknown tokens are read as words of its source. */
export class Copying implements Decoder {
  readonly #model: Loaded;
  readonly #head: CopyingHead;
  readonly #source: Source;
  readonly #interventions: Interventions;
  /** The words that the unknown tokens read so far stand for. */
  #words: readonly string[] = [];

  private constructor(model: Loaded, head: CopyingHead, source: Source, interventions: Interventions) {
    this.#model = model;
    this.#head = head;
    this.#source = source;
    this.#interventions = interventions;
  }

  /**
   * @param interventions as in the generation
   * @returns `null` if the model does not copy, or if the source is not a text
   */
  static of(
    model: Loaded,
    { text, source, encoding }: Input,
    { heads, edits }: Interventions = {},
  ): Copying | null {
    const { tokenizer, plan } = model;
    const unknownId = tokenizer?.unknownId ?? null;
    if (!plan.copying || !tokenizer || unknownId === null) return null;
    if (text === null || !(source instanceof Int32Array)) return null;
    const words = encoding.offsets.map((span) => (span ? text.slice(...span) : null));
    const unknown = words.map((word, i) => (encoding.ids[i] === unknownId ? word : null));
    const candidates = unknown.some((word) => word !== null) ? unknown : words;
    return new Copying(
      model,
      plan.copying,
      { ids: source, candidates, tokenizer, unknownId },
      { heads, edits },
    );
  }

  /** Finds the words for the unknown tokens of ids that begin like those read before. */
  async read(ids: readonly number[]): Promise<void> {
    const places = [...ids.keys()].filter((i) => i > 0 && ids[i] === this.#source.unknownId);
    if (places.length === this.#words.length) return;
    const { ids: inputIds, candidates } = this.#source;
    const inputs = { inputIds, decoderInputIds: ids.slice(0, -1) };
    const { crossWeights } = await import('./passes.js');
    const { layer, head } = this.#head;
    const options = { ...this.#interventions, layer };
    const { data, shape } = (await crossWeights(this.#model, inputs, options)) ?? noHead(layer, head);
    const [, heads = 0, time = 0, keys = 0] = shape;
    if (head >= heads) noHead(layer, head);
    // The step that writes a token reads the one before it.
    this.#words = places.map((place) => {
      const row = (head * time + place - 1) * keys;
      return wordOf(candidates, data.subarray(row, row + keys));
    });
  }

  decode(ids: ArrayLike<number>): string {
    return this.#withWords(this.#source.tokenizer.decode(ids));
  }

  decodeSettled(ids: ArrayLike<number>): string {
    return this.#withWords(this.#source.tokenizer.decodeSettled(ids));
  }

  /** Tokens of ids, with the copied words among them. @param tokens the vocabulary's, all or the last of those read */
  tokens(tokens: readonly string[]): string[] {
    const { tokenizer, unknownId } = this.#source;
    const unknown = tokenizer.tokenOf(unknownId);
    const count = tokens.filter((token) => token === unknown).length;
    let next = this.#words.length - count;
    return tokens.map((token) => (token === unknown ? (this.#words[next++] ?? token) : token));
  }

  #withWords(text: string): string {
    const { tokenizer, unknownId } = this.#source;
    let next = 0;
    return text.replaceAll(tokenizer.tokenOf(unknownId) ?? '', (token) => this.#words[next++] ?? token);
  }
}

/** A source text. */
interface Source {
  readonly ids: Int32Array;
  /** For each token the word that may be copied, or `null`. */
  readonly candidates: readonly (string | null)[];
  readonly tokenizer: Tokenizer;
  readonly unknownId: number;
}

/** The word with the largest weight. */
function wordOf(candidates: readonly (string | null)[], weights: Float32Array): string {
  let best: { word: string; weight: number } | null = null;
  for (const [i, word] of candidates.entries()) {
    const weight = weights[i] ?? 0;
    if (word !== null && (best === null || weight > best.weight)) best = { word, weight };
  }
  return best?.word ?? '';
}

function noHead(layer: number, head: number): never {
  return fail(
    'bad_checkpoint',
    `config.json: copy_unknown names layer ${layer}, head ${head}, which the decoder does not have`,
  );
}
