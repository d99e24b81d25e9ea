/** A text some of whose ranges were replaced, and the way from ranges of the one to those of the other. */

import type { Span } from '../tokenizers/aligned_text.js';

export interface Edit {
  readonly span: Span;
  /** What takes its place. */
  readonly text: string;
}

interface Replaced {
  readonly from: Span;
  readonly to: Span;
}

export class EditedText {
  readonly text: string;
  readonly #edits: readonly Replaced[];

  /** @param edits in order, disjoint */
  constructor(original: string, edits: readonly Edit[]) {
    const replaced: Replaced[] = [];
    let text = '';
    let at = 0;
    for (const { span, text: own } of edits) {
      text += original.slice(at, span[0]);
      replaced.push({ from: span, to: [text.length, text.length + own.length] });
      text += own;
      at = span[1];
    }
    this.text = text + original.slice(at);
    this.#edits = replaced;
  }

  /** The range of the edited text for one of the original; where it overlaps an edit, it covers all of that. */
  after(span: Span): Span {
    return moved(span, this.#edits);
  }

  /** The range of the original for one of the edited text. */
  before(span: Span): Span {
    return moved(
      span,
      this.#edits.map(({ from, to }) => ({ from: to, to: from })),
    );
  }
}

function moved([begin, end]: Span, edits: readonly Replaced[]): Span {
  let [newBegin, newEnd] = [begin, end];
  for (const { from, to } of edits) {
    if (begin >= from[1]) newBegin = begin + to[1] - from[1];
    else if (begin > from[0]) newBegin = to[0];
    if (end >= from[1]) newEnd = end + to[1] - from[1];
    else if (end > from[0]) newEnd = to[1];
  }
  return [newBegin, Math.max(newBegin, newEnd)];
}
