/** Aligns a normalized text with its original, treating the normalizer as a black box. */

import { type AlignedText, AlignedTextBuilder } from './aligned_text.js';

/** Letters with their combining marks, and the parts of a Korean syllable: units that a normalizer may compose. */
const cluster = /[\u1100-\u11ff]+\p{M}*|\P{M}\p{M}*|\p{M}+/gsu;

const mostSkipped = 8;

/**
 * Aligns a text with its normalized form, cluster by cluster; `null` if that fails.
 *
 * @param normalize the function that produced the normalized form
 */
export function align(
  text: string,
  normalized: string,
  normalize: (part: string) => string,
): AlignedText | null {
  const images = new Images(normalize);
  if (!images.areKnown) return text === normalized ? alignEqual(text) : null;
  const clusters = Array.from(text.matchAll(cluster), ({ 0: part, index }) => ({
    part,
    begin: index,
    end: index + part.length,
  }));
  const result = new AlignedTextBuilder();
  const rest = () => normalized.slice(result.text.length);
  const fits = (i: number, place: number) => {
    const image = images.of(clusters[i]?.part ?? '');
    return image !== null && image !== '' && normalized.startsWith(image, place);
  };
  if (normalized.startsWith(images.prefix)) result.add(images.prefix, 0, 0);
  for (let i = 0; i < clusters.length; i++) {
    const { part = '', begin = 0, end = 0 } = clusters[i] ?? {};
    const image = images.of(part);
    if (image !== null && normalized.startsWith(image, result.text.length)) {
      result.add(image, begin, end);
    } else if (part.trim() !== '') {
      // Several clusters were replaced together, up to the next one that can be found.
      const jump = jumpFrom(i, result.text.length, fits);
      const last = jump ? clusters[i + jump.clusters - 1] : clusters.at(-1);
      const becomes = jump ? normalized.slice(result.text.length, result.text.length + jump.units) : rest();
      if (!last || becomes.length > mostSkipped) return null;
      result.add(becomes, begin, last.end);
      i = jump ? i + jump.clusters - 1 : clusters.length;
    }
  }
  if (rest() !== '' && rest() === images.suffix) result.add(images.suffix, text.length, text.length);
  return rest() === '' ? result : null;
}

/** The shortest jump over clusters and their replacements after which the next two match. */
function jumpFrom(
  from: number,
  place: number,
  fits: (i: number, place: number) => boolean,
): { clusters: number; units: number } | null {
  for (let total = 1; total <= 2 * mostSkipped; total++) {
    for (let clusters = 1; clusters <= Math.min(total, mostSkipped); clusters++) {
      const units = total - clusters;
      if (fits(from + clusters, place + units)) return { clusters, units };
    }
  }
  return null;
}

function alignEqual(text: string): AlignedText {
  const result = new AlignedTextBuilder();
  for (const { 0: part, index } of text.matchAll(cluster)) result.add(part, index, index + part.length);
  return result;
}

/** The normalized form of single clusters within a word, and the text that the normalizer adds at the ends. */
class Images {
  readonly prefix: string = '';
  readonly suffix: string = '';
  readonly areKnown: boolean;
  readonly #normalize: (part: string) => string;
  readonly #known = new Map<string, string | null>();

  constructor(normalize: (part: string) => string) {
    this.#normalize = normalize;
    const [prefix, suffix, ...more] = normalize('xx').split('xx');
    this.areKnown = suffix !== undefined && more.length === 0;
    if (this.areKnown) [this.prefix, this.suffix] = [prefix ?? '', suffix ?? ''];
  }

  of(part: string): string | null {
    const known = this.#known.get(part);
    if (known !== undefined) return known;
    const made = this.#normalize(`x${part}x`);
    const [begin, end] = [`${this.prefix}x`, `x${this.suffix}`];
    const isWhole = made.startsWith(begin) && made.endsWith(end) && made.length >= begin.length + end.length;
    const image = isWhole ? made.slice(begin.length, made.length - end.length) : null;
    this.#known.set(part, image);
    return image;
  }
}
