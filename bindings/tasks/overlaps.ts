/** Groups of labelled tokens from parts of a text that overlap. */

import { fail } from '../values/errors.js';

interface Place {
  readonly start: number | null;
  readonly end: number | null;
  readonly score: number;
}

/**
 * Of groups that overlap, the longest; of equally long ones, the one with the best score. In the order of the text.
 *
 * @throws TransformerError `unsupported` if the places of groups are not known.
 */
export function withoutOverlaps<Group extends Place>(groups: readonly Group[]): Group[] {
  const placed = groups.map((group) => {
    const { start, end } = group;
    if (start === null || end === null)
      return fail(
        'unsupported',
        'stride needs to know where each token is in the text, which this tokenizer does not tell here',
      );
    return { group, start, end, length: end - start };
  });
  placed.sort((a, b) => a.start - b.start);
  const kept: typeof placed = [];
  for (const next of placed) {
    const last = kept.at(-1);
    if (!last || next.start >= last.end) kept.push(next);
    else if (next.length > last.length) kept[kept.length - 1] = next;
    else if (next.length === last.length && next.group.score > last.group.score) kept[kept.length - 1] = next;
  }
  return kept.map(({ group }) => group);
}
