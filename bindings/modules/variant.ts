/** Chooses one of the engine's four variants, and the number of threads. */

import { fail } from '../values/errors.js';
import type { Features } from './features.js';

export type Variant = 'simd' | 'relaxed' | 'simd-threads' | 'relaxed-threads';

export interface Wanted {
  /** Number of threads; `'auto'`: as many as benefit a small model. */
  readonly threads: 'auto' | number;
  /** The instruction set; `'auto'`: relaxed SIMD if it is available and correct. */
  readonly simd: 'auto' | 'relaxed' | 'simd128';
  /** A sentence that says why there is one thread, if there cannot be more. */
  readonly oneThread?: string;
  /** The module is compiled already. */
  readonly compiled?: boolean;
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
  checkWebAssembly(features, wanted);
  const [simd, whySimd] = chooseSimd(features, wanted.simd);
  const [threads, whyThreads] = chooseThreads(features, wanted);
  const base = simd === 'relaxed' ? 'relaxed' : 'simd';
  return {
    variant: threads > 1 ? `${base}-threads` : base,
    threads,
    simd,
    notes: [whySimd, whyThreads],
  };
}

/** Each message says what helps. */
function checkWebAssembly(features: Features, wanted: Wanted): void {
  if (!features.webAssembly)
    fail(
      'unsupported',
      'WebAssembly is switched off here, and this engine needs it: run Node.js without --jitless; in Lockdown Mode, ' +
        "exclude this page; in a browser's settings, allow the optimising JavaScript compiler for this page.",
    );
  if (!features.mayCompile && !wanted.compiled)
    fail(
      'unsupported',
      "WebAssembly may not be compiled here: add 'wasm-unsafe-eval' to script-src in the page's Content Security " +
        'Policy. A host that never compiles at run time takes createEngine({ wasmModule, wasmFactory }).',
    );
  if (!features.simd)
    fail(
      'unsupported',
      'This engine needs WebAssembly SIMD, which is not available here: use Chrome or Edge 91, Firefox 89, Safari 16.4, ' +
        'Node.js 16.4 or newer.',
    );
  if (!features.exceptions)
    fail(
      'unsupported',
      'This engine needs WebAssembly exceptions, which are not available here: use Chrome or Edge 95, Firefox 100, ' +
        'Safari 15.2, Node.js 17 or newer.',
    );
}

function chooseSimd(features: Features, wanted: Wanted['simd']): [Choice['simd'], string] {
  if (wanted === 'simd128') return ['simd128', 'SIMD128, as requested.'];
  if (features.relaxedSimd === 'right') {
    const why = wanted === 'relaxed' ? 'as requested' : 'which is available and passed its self-test';
    return ['relaxed', `Relaxed SIMD, ${why}: multiply and add may be fused.`];
  }
  const why =
    features.relaxedSimd === 'wrong'
      ? 'relaxed SIMD gives wrong results here; a newer version of the browser may help.'
      : 'relaxed SIMD, which is somewhat faster, is not available here; Chrome 114, Node.js 22 and newer have it.';
  if (wanted === 'relaxed') fail('unsupported', `simd: 'relaxed' was requested, but ${why}`);
  return ['simd128', `SIMD128: ${why}`];
}

function chooseThreads(features: Features, { threads: wanted, oneThread }: Wanted): [number, string] {
  if (oneThread !== undefined) return [1, oneThread];
  if (wanted === 1) return [1, 'One thread, as requested.'];
  if (!features.mayWait)
    return [
      1,
      "One thread: the engine runs in the page's main thread, which must not block (worker: false).",
    ];
  if (!features.isolated)
    return [
      1,
      'One thread: the page is not cross-origin isolated. For more threads, serve it with the headers ' +
        'Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp.',
    ];
  if (!features.sharedMemory)
    return [
      1,
      features.inNode
        ? 'One thread: this Node.js does not share memory between threads, as in a WebContainer.'
        : 'One thread: although the page is cross-origin isolated, this browser does not share memory between threads ' +
          '(SharedArrayBuffer); only another browser, or another version of it, has more threads.',
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
