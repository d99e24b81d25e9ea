/**
 * What `transformer-wasm/inline` has in place of `addresses.ts`: the engine's files themselves, without the variants
 * with threads, each of which would need a worker of its own text.
 */

// The build supplies these: data: URLs of the wasm files, compressed by gzip, and the text of the worker.
import relaxed from 'inline:transformer-relaxed.wasm';
import signal from 'inline:transformer-signal.wasm';
import simd from 'inline:transformer-simd.wasm';
import worker from 'inline:worker.js';
import type { EngineFiles, VariantFiles } from './addresses.js';
import type { WebWorker } from './web_worker.js';

export * from './addresses.js';

export const ownFiles = (): EngineFiles => ({
  simd: { module: 'inline:simd', wasm: simd },
  relaxed: { module: 'inline:relaxed', wasm: relaxed },
});

export const signalFiles = (): VariantFiles => ({ module: 'inline:signal', wasm: signal });

/** One for as long as the page lives. */
let blob: string | undefined;

export function startOwnWorker(): WebWorker {
  blob ??= URL.createObjectURL(new Blob([worker], { type: 'text/javascript' }));
  return new Worker(blob);
}

export const ownWorkerInNode = (): string => `data:text/javascript,${encodeURIComponent(worker)}`;
