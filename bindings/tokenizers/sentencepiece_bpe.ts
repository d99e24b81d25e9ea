/**
 * Byte pair encoding (Sennrich et al. 2016) as in SentencePiece: beginning with single characters, repeatedly merges
 * the neighbours with the best score, the leftmost of equal ones, until no pair is a piece.
 */

import { lettersAtOnce, type Steps } from '../engine/steps.js';
import { characterAt } from './characters.js';
import { LongestMatch } from './longest_match.js';
import type { SentencePieceFile } from './sentencepiece_file.js';
import type { Cut } from './unigram.js';

/** A linked part of the text; empty once it was merged into the one before. */
interface Part {
  begin: number;
  end: number;
  before: number;
  after: number;
  /** A user-defined symbol, which is never merged. */
  readonly isFixed: boolean;
}

interface Pair {
  readonly left: number;
  readonly right: number;
  readonly score: number;
  readonly length: number;
}

export class BpeModel {
  readonly #ids = new Map<string, number>();
  readonly #file: SentencePieceFile;
  readonly #symbols: LongestMatch;

  constructor(file: SentencePieceFile) {
    this.#file = file;
    const mergeable = ['normal', 'user', 'unused'];
    for (const [id, { text, kind }] of file.pieces.entries())
      if (mergeable.includes(kind)) this.#ids.set(text, id);
    this.#symbols = LongestMatch.of(
      file.pieces.filter(({ kind }) => kind === 'user').map(({ text }) => text),
    );
  }

  *cut(text: string): Steps<Cut[]> {
    const parts = this.#partsOf(text);
    /** Splits pieces that may only occur as intermediate results. */
    const seams = new Map<string, number>();
    const queue = new PairQueue();
    const offer = (left: number, right: number) => {
      const [a, b] = [parts[left], parts[right]];
      if (!a || !b || a.isFixed || b.isFixed) return;
      const joined = text.slice(a.begin, b.end);
      const id = this.#ids.get(joined);
      if (id === undefined) return;
      const { score = 0, kind } = this.#file.pieces[id] ?? {};
      queue.push({ left, right, score, length: joined.length });
      if (kind === 'unused') seams.set(joined, a.end - a.begin);
    };
    for (let i = 1; i < parts.length; i++) offer(i - 1, i);
    let done = 0;
    for (let pair = queue.pop(); pair; pair = queue.pop()) {
      if (++done % lettersAtOnce === 0) yield;
      const [a, b] = [parts[pair.left], parts[pair.right]];
      if (!a || !b) continue;
      const wereJoined = a.end === a.begin || b.end === b.begin || b.end - a.begin !== pair.length;
      if (wereJoined) continue;
      a.end = b.end;
      a.after = b.after;
      b.begin = b.end;
      const next = parts[b.after];
      if (next) next.before = pair.left;
      offer(a.before, pair.left);
      offer(pair.left, a.after);
    }
    const cuts: Cut[] = [];
    for (let part = parts[0]; part; part = parts[part.after])
      this.#emit(text, part.begin, part.end, seams, cuts);
    return cuts;
  }

  #partsOf(text: string): Part[] {
    const parts: Part[] = [];
    const symbolAt = this.#symbols.in(text);
    for (let begin = 0; begin < text.length; ) {
      const symbol = symbolAt(begin);
      const end = begin + (symbol ?? characterAt(text, begin)).length;
      const i = parts.length;
      const after = end < text.length ? i + 1 : -1;
      parts.push({ begin, end, before: i - 1, after, isFixed: symbol !== null });
      begin = end;
    }
    return parts;
  }

  #emit(text: string, begin: number, end: number, seams: ReadonlyMap<string, number>, cuts: Cut[]): void {
    const piece = text.slice(begin, end);
    const id = this.#ids.get(piece) ?? this.#file.unknownId;
    const seam = this.#file.pieces[id]?.kind === 'unused' ? seams.get(piece) : undefined;
    if (seam === undefined) {
      cuts.push({ begin, end, id });
      return;
    }
    this.#emit(text, begin, begin + seam, seams, cuts);
    this.#emit(text, begin + seam, end, seams, cuts);
  }
}

/** A binary heap: best score first, the leftmost of equal ones. */
class PairQueue {
  readonly #heap: Pair[] = [];

  push(pair: Pair): void {
    const heap = this.#heap;
    let place = heap.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent];
      if (!above || !isBefore(pair, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = pair;
  }

  pop(): Pair | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (heap.length === 0 || !last) return top;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      const [left, right] = [heap[child], heap[child + 1]];
      if (left && right && isBefore(right, left)) child++;
      const best = heap[child];
      if (!best || !isBefore(best, last)) break;
      heap[place] = best;
      place = child;
    }
    heap[place] = last;
    return top;
  }
}

const isBefore = (a: Pair, b: Pair) => a.score > b.score || (a.score === b.score && a.left < b.left);
