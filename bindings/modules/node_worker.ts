/** Starts workers of Node.js. */

import type { Worker, WorkerOptions } from 'node:worker_threads';

/** Workers run a file, and would refuse `--input-type=module`, which they inherit from `node --eval`. */
export function startInNode(address: string, options: WorkerOptions = {}): Worker {
  const { Worker: NodeWorker } = globalThis.process.getBuiltinModule('node:worker_threads');
  const isFromText = globalThis.process.execArgv.some((option) => option.startsWith('--input-type'));
  return new NodeWorker(new URL(address), isFromText ? { ...options, execArgv: [] } : options);
}
