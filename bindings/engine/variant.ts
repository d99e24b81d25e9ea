/** Which of the four variants of the engine runs, and on how many threads. */

import { fail } from './errors.js';
import type { Features } from './features.js';

export type Variant = 'simd' | 'relaxed' | 'simd-threads' | 'relaxed-threads';

export const maxThreads = 64;

export interface Wanted {
  /** How many threads; `'auto'`: as many as benefit a small model. */
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
 * The only place where this is decided.
 * @throws TransformerError `unsupported` if WebAssembly lacks what every variant needs, or relaxed SIMD where it was
 *   asked for
 */
export function chooseVariant(features: Features, wanted: Wanted): Choice {
  if (!features.simd) fail('unsupported', 'This engine needs WebAssembly SIMD, which is missing here.');
  if (!features.exceptions)
    fail('unsupported', 'This engine needs WebAssembly exceptions, which are missing here.');
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
  if (wanted === 'simd128') return ['simd128', 'SIMD128, as asked for.'];
  if (features.relaxedSimd) {
    const why = wanted === 'relaxed' ? 'as asked for' : 'which is here and passed its test';
    return ['relaxed', `Relaxed SIMD, ${why}: a multiply and an add may be one instruction.`];
  }
  if (wanted === 'relaxed')
    fail(
      'unsupported',
      "simd: 'relaxed' was asked for, but relaxed SIMD is missing here or gives wrong results.",
    );
  return ['simd128', 'SIMD128: relaxed SIMD is missing here or gives wrong results.'];
}

function chooseThreads(features: Features, wanted: Wanted['threads']): [number, string] {
  if (wanted === 1) return [1, 'One thread, as asked for.'];
  if (!features.mayWait)
    return [
      1,
      "One thread: the engine runs in the page's own thread, which may not wait for others (worker: false).",
    ];
  if (!features.threads)
    return [
      1,
      'One thread: the page is not cross-origin isolated. To have more, serve it with the headers ' +
        'Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp.',
    ];
  if (wanted !== 'auto') return [wanted, `${wanted} threads, as asked for.`];
  const threads = usefulThreads(features.cores);
  if (threads === 1) return [1, 'One thread: the machine offers one processor.'];
  return [threads, `${threads} threads for ${features.cores} processors.`];
}

/**
 * Half of the processors, since most machines have two per core, and no more than four: beyond that a model of this
 * size waits for memory, and the page needs some processors too. Both of two processors.
 */
const usefulThreads = (cores: number): number =>
  Math.min(4, Math.max(Math.ceil(cores / 2), Math.min(cores, 2)));
