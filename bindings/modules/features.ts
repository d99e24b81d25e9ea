/** Detects the features of the browser or Node.js that decide which variant of the engine runs. */

import { exceptions, relaxedSimd, simd, threads } from 'wasm-feature-detect';
import { isNode } from './is_node.js';

export interface Features {
  readonly webAssembly: boolean;
  /** Code may be compiled at run time: no policy of the page or of the host forbids it. */
  readonly mayCompile: boolean;
  readonly simd: boolean;
  readonly relaxedSimd: 'right' | 'wrong' | 'missing';
  readonly exceptions: boolean;
  readonly inNode: boolean;
  /** The page is cross-origin isolated; always true in Node.js. */
  readonly isolated: boolean;
  /** Memory can be shared between threads, if the page is isolated. */
  readonly sharedMemory: boolean;
  /** This thread may block. A browser's main thread may not. */
  readonly mayWait: boolean;
  /** Number of available processors, as reported. */
  readonly cores: number;
}

/** Detects everything at once; without WebAssembly there is nothing to detect. */
export async function findFeatures(): Promise<Features> {
  const webAssembly = typeof WebAssembly === 'object';
  const [hasSimd, hasRelaxed, hasThreads, hasExceptions] = await Promise.all(
    [simd, relaxedSimd, threads, exceptions].map((has) => webAssembly && has()),
  );
  const mayCompile = webAssembly && compiles();
  return {
    webAssembly,
    mayCompile,
    simd: hasSimd === true,
    relaxedSimd: !hasRelaxed || !mayCompile ? 'missing' : relaxedMultiplyAddIsRight() ? 'right' : 'wrong',
    exceptions: hasExceptions === true,
    inNode: isNode,
    isolated: isNode || globalThis.crossOriginIsolated === true,
    sharedMemory: hasThreads === true,
    mayWait: isNode || typeof document === 'undefined',
    cores: countCores(),
  };
}

/** Whether the shortest of all modules compiles: "\0asm", version 1. */
function compiles(): boolean {
  try {
    return new WebAssembly.Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])) !== undefined;
  } catch {
    return false;
  }
}

/** (func (export "f") (param f32 f32 f32) (result f32)): lane 0 of f32x4.relaxed_madd of the three, splat. */
const relaxedMultiplyAdd = new Uint8Array([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // "\0asm", version 1
  ...[0x01, 0x08, 0x01, 0x60, 0x03, 0x7d, 0x7d, 0x7d, 0x01, 0x7d], // type: (f32, f32, f32) -> f32
  ...[0x03, 0x02, 0x01, 0x00], // one function of that type
  ...[0x07, 0x05, 0x01, 0x01, 0x66, 0x00, 0x00], // export "f"
  ...[0x0a, 0x16, 0x01, 0x14, 0x00], // code: one body of 20 bytes, no locals
  ...[0x20, 0x00, 0xfd, 0x13, 0x20, 0x01, 0xfd, 0x13, 0x20, 0x02, 0xfd, 0x13], // local.get, f32x4.splat, thrice
  ...[0xfd, 0x85, 0x02, 0xfd, 0x1f, 0x00, 0x0b], // f32x4.relaxed_madd, f32x4.extract_lane 0, end
]);

/**
 * Some engines have shipped relaxed instructions with wrong results, so the one that the kernels use is tested first.
 * It may round once or twice; any other result is wrong.
 */
function relaxedMultiplyAddIsRight(): boolean {
  const { f } = new WebAssembly.Instance(new WebAssembly.Module(relaxedMultiplyAdd)).exports;
  if (typeof f !== 'function') return false;
  const a = 1 + 2 ** -12;
  const nearOne = f(a, a, -(1 + 2 ** -11)); // 2^-24 if rounded once, 0 if rounded twice
  return (
    f(2, 3, 4) === 10 &&
    f(-1.5, 0.25, 8) === 7.625 &&
    f(0, 7, -3) === -3 &&
    (nearOne === 2 ** -24 || nearOne === 0)
  );
}

function countCores(): number {
  // Unlike the number of cores, this respects the limits of a container or `taskset`.
  if (isNode) return globalThis.process.getBuiltinModule('node:os')?.availableParallelism?.() ?? 1;
  return globalThis.navigator?.hardwareConcurrency ?? 1;
}
