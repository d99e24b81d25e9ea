/** Starts workers of Node.js. */

import type { Worker, WorkerOptions } from 'node:worker_threads';

/** Under `node --input-type=module --eval ...`, workers would inherit an option that they refuse, since they run a file. */
export function startInNode(address: string, options: WorkerOptions = {}): Worker {
  const { Worker: NodeWorker } = process.getBuiltinModule('node:worker_threads');
  const isFromText = process.execArgv.some((option) => option.startsWith('--input-type'));
  return new NodeWorker(new URL(address), isFromText ? { ...options, execArgv: [] } : options);
}
