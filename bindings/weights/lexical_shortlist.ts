/**
 * A lexical shortlist (`lex.*.s2t.bin`): for each token of the source, the tokens that may translate it. The output
 * projection computes those alone, a few hundred of tens of thousands (Junczys-Dowmunt et al. 2018, "Marian:
 * Cost-effective High-Quality Neural Machine Translation in C++", section 2.4).
 */

import { fail } from '../values/errors.js';

const magic = 0xf11a48d5013417f5n;
const headerBytes = 48;

/** How a shortlist fits its model. */
interface ShortlistModel {
  readonly sourceVocab: number;
  readonly targetVocab: number;
  /** Whether both languages have one vocabulary, so that tokens may be copied. */
  readonly sharesVocabulary: boolean;
}

export class LexicalShortlist {
  readonly #model: ShortlistModel;
  /** The most frequent tokens, which are always candidates. */
  readonly #frequent: number;
  /** Source token i has the target ids from #offsets[i] to #offsets[i + 1]. */
  readonly #offsets: readonly number[];
  readonly #ids: Uint32Array;

  /** @throws TransformerError `bad_checkpoint`, naming the byte, for a damaged file or one of another model. */
  constructor(bytes: Uint8Array, name: string, model: ShortlistModel) {
    const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const wrong = (place: number, expected: string, got: unknown): never =>
      fail('bad_checkpoint', `${name}: byte ${place}: expected ${expected}, got ${got}`);
    if (bytes.length < headerBytes)
      fail(
        'bad_checkpoint',
        `${name} is cut off: a shortlist has at least ${headerBytes} bytes, got ${bytes.length}`,
      );
    const word = (place: number) => data.getBigUint64(place, true);
    if (word(0) !== magic)
      wrong(0, `0x${magic.toString(16)}, with which shortlists begin`, `0x${word(0).toString(16)}`);
    const count = word(32);
    if (count !== BigInt(model.sourceVocab + 1))
      wrong(
        32,
        `${model.sourceVocab + 1} offsets for the ${model.sourceVocab} source tokens of this model`,
        `${count}, so it belongs to another model`,
      );
    const lists = headerBytes + 8 * (model.sourceVocab + 1);
    const left = bytes.length - lists;
    if (left < 0 || word(40) * 4n !== BigInt(left))
      wrong(40, `as many target ids as there are behind the offsets, ${Math.max(0, left / 4)}`, word(40));
    this.#ids = new Uint32Array(bytes.slice(lists).buffer);
    this.#offsets = Array.from({ length: model.sourceVocab + 1 }, (_, i) => {
      const place = headerBytes + 8 * i;
      const before = i === 0 ? 0n : word(place - 8);
      const offset = word(place);
      if (offset < before || offset > BigInt(this.#ids.length) || (i === 0 && offset !== 0n))
        wrong(place, `an offset from ${before} to ${this.#ids.length}`, offset);
      return Number(offset);
    });
    const foreign = this.#ids.findIndex((id) => id >= model.targetVocab);
    if (foreign >= 0)
      wrong(
        lists + 4 * foreign,
        `a target id below ${model.targetVocab}, the size of this model's vocabulary`,
        `${this.#ids[foreign]}, so it belongs to another model`,
      );
    const frequent = word(16);
    this.#frequent = Number(frequent < BigInt(model.targetVocab) ? frequent : BigInt(model.targetVocab));
    this.#model = model;
  }

  /**
   * The tokens that can be chosen for a source, ascending: the most frequent ones, those that translate its tokens, and
   * with one vocabulary its tokens themselves; then the next frequent ones up to a multiple of 8.
   *
   * @param source ids with the end token
   */
  candidates(source: ArrayLike<number>): Int32Array {
    const { targetVocab, sharesVocabulary } = this.#model;
    const found = new Set<number>();
    for (let id = 0; id < this.#frequent; id++) found.add(id);
    for (const id of Array.from(source)) {
      for (let i = this.#offsets[id] ?? 0; i < (this.#offsets[id + 1] ?? 0); i++)
        found.add(this.#ids[i] ?? 0);
      if (sharesVocabulary) found.add(id);
    }
    for (let id = this.#frequent; found.size % 8 !== 0 && id < targetVocab; id++) found.add(id);
    return Int32Array.from(found).sort();
  }
}
