/** Chooses one of the engine's four variants, and the number of threads. */

import { fail } from './errors.js';
import type { Features } from './features.js';

export type Variant = 'simd' | 'relaxed' | 'simd-threads' | 'relaxed-threads';

export const maxThreads = 64;

export interface Wanted {
  /** Number of threads; `'auto'`: as many as benefit a small model. */
  readonly threads: 'auto' | number;
  /** The instruction set; `'auto'`: relaxed SIMD if it is available and correct. */
  readonly simd: 'auto' | 'relaxed' | 'simd128';
}

export interface Choice {
  readonly variant: Variant;
  readonly threads: number;
  readonly simd: 'relaxed' | 'simd128';
  /** The reasons, one sentence for each decision. */
  readonly notes: readonly string[];
}

/**
 * Makes the choice for the whole package.
 * @throws TransformerError `unsupported` if WebAssembly lacks a required feature, or the requested relaxed SIMD
 */
export function chooseVariant(features: Features, wanted: Wanted): Choice {
  if (!features.simd) fail('unsupported', 'This engine needs WebAssembly SIMD, which is not available here.');
  if (!features.exceptions)
    fail('unsupported', 'This engine needs WebAssembly exceptions, which are not available here.');
  const [simd, whySimd] = chooseSimd(features, wanted.simd);
  const [threads, whyThreads] = chooseThreads(features, wanted.threads);
  const base = simd === 'relaxed' ? 'relaxed' : 'simd';
  return {
    variant: threads > 1 ? `${base}-threads` : base,
    threads,
    simd,
    notes: [whySimd, whyThreads],
  };
}

function chooseSimd(features: Features, wanted: Wanted['simd']): [Choice['simd'], string] {
  if (wanted === 'simd128') return ['simd128', 'SIMD128, as requested.'];
  if (features.relaxedSimd) {
    const why = wanted === 'relaxed' ? 'as requested' : 'which is available and passed its self-test';
    return ['relaxed', `Relaxed SIMD, ${why}: multiply and add may be fused.`];
  }
  if (wanted === 'relaxed')
    fail(
      'unsupported',
      "simd: 'relaxed' was requested, but relaxed SIMD is unavailable here or gives wrong results.",
    );
  return ['simd128', 'SIMD128: relaxed SIMD is unavailable here or gives wrong results.'];
}

function chooseThreads(features: Features, wanted: Wanted['threads']): [number, string] {
  if (wanted === 1) return [1, 'One thread, as requested.'];
  if (!features.mayWait)
    return [
      1,
      "One thread: the engine runs in the page's main thread, which must not block (worker: false).",
    ];
  if (!features.threads)
    return [
      1,
      'One thread: the page is not cross-origin isolated. For more threads, serve it with the headers ' +
        'Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp.',
    ];
  if (wanted !== 'auto') return [wanted, `${wanted} threads, as requested.`];
  const threads = usefulThreads(features.cores);
  if (threads === 1) return [1, 'One thread: the machine has one processor.'];
  return [threads, `${threads} threads for ${features.cores} processors.`];
}

/**
 * Half of the logical processors, since most cores run two, but at most four: with more threads, a model of this size
 * is limited by memory, and the page needs processors too. With two processors, both.
 */
const usefulThreads = (cores: number): number =>
  Math.min(4, Math.max(Math.ceil(cores / 2), Math.min(cores, 2)));
