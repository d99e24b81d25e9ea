/** The beams as a tree: what they begin with alike is one branch. */

import { words } from '../../words/words.js';

export interface Written {
  readonly label: string;
  readonly probability: number;
}

export interface Beam {
  readonly words: readonly Written[];
  /** Of the whole translation. */
  readonly probability: number;
}

export interface Branch {
  /** Words that all beams of this branch have. */
  readonly words: readonly Written[];
  /** What follows, best first; none at the end of a beam. */
  readonly branches: readonly Branch[];
  /** The places among the beams, best first from 0, that go through here. */
  readonly beams: readonly number[];
}

/** @param beams best first */
export function treeOf(beams: readonly Beam[]): Branch {
  return branch(
    beams,
    beams.map((_, i) => i),
    0,
  );
}

function branch(beams: readonly Beam[], through: readonly number[], from: number): Branch {
  const words: Written[] = [];
  const first = beams[through[0] ?? 0]?.words ?? [];
  const isShared = (at: number) => through.every((i) => beams[i]?.words[at]?.label === first[at]?.label);
  while (from + words.length < first.length && isShared(from + words.length))
    words.push(first[from + words.length] as Written);
  const end = from + words.length;
  const next = new Map<string, number[]>();
  for (const i of through) {
    const label = beams[i]?.words[end]?.label;
    if (label !== undefined) next.set(label, [...(next.get(label) ?? []), i]);
  }
  // A beam that ends where others go on has no word there.
  const branches =
    next.size > 1 || through.length > 1 ? [...next.values()].map((some) => branch(beams, some, end)) : [];
  return { words, branches, beams: through };
}

/** The place among the beams that a greedy search, always taking the likeliest next word, would have written; -1: none. */
export const greedyBeam = (beams: readonly Beam[], greedy: readonly string[]): number =>
  beams.findIndex(({ words }) => words.map(({ label }) => label).join(' ') === greedy.join(' '));

/** The heading, as far as this sentence shows it. @param isGreedy whether what stands on the page was written greedily */
export const claimOf = (greedy: number, isGreedy: boolean): string =>
  isGreedy && greedy === 0 ? words.beams.claimBest : words.chapters.beams.claim;

/** Probabilities after their scores were divided by a temperature, as shares of their sum: p^(1/T) / Σ p^(1/T). */
export function tempered(probabilities: readonly number[], temperature: number): number[] {
  const largest = Math.max(...probabilities);
  // Of the largest, so that no power becomes zero for all.
  const powers = probabilities.map((probability) => (probability / largest) ** (1 / temperature));
  const sum = powers.reduce((all, power) => all + power, 0);
  return powers.map((power) => power / sum);
}
