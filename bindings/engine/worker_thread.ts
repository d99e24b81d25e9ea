/** A common interface to the workers of browsers and Node.js. */

import { fail } from './errors.js';
import { isNode } from './features.js';
import type { Numbered, Reply } from './protocol.js';

export interface Thread {
  post(message: Numbered, moved: ArrayBuffer[]): void;
  terminate(): void;
  /** Whether the worker keeps the process alive. Irrelevant in a browser. */
  keepAlive(needed: boolean): void;
}

export interface Listener {
  message(reply: Reply): void;
  /** The worker died, or failed to start. */
  failure(why: string): void;
}

export const startThread = (listener: Listener): Thread => (isNode ? inNode(listener) : inBrowser(listener));

function inBrowser(listener: Listener): Thread {
  if (typeof Worker !== 'function') fail('unsupported', 'Workers are not available here.');
  // Written like this because bundlers look for the pattern.
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  worker.addEventListener('message', (event: MessageEvent<Reply>) => listener.message(event.data));
  worker.addEventListener('messageerror', () => listener.failure('a reply could not be read'));
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    listener.failure(event.message || 'its script could not be loaded');
  });
  return {
    post: (message, moved) => worker.postMessage(message, moved),
    terminate: () => worker.terminate(),
    keepAlive: () => undefined,
  };
}

function inNode(listener: Listener): Thread {
  const { Worker: NodeWorker } = process.getBuiltinModule('node:worker_threads');
  const worker = new NodeWorker(new URL('./worker.js', import.meta.url));
  worker.on('message', (reply: Reply) => listener.message(reply));
  worker.on('messageerror', () => listener.failure('a reply could not be read'));
  worker.on('error', (error) => listener.failure(error.message));
  worker.on('exit', () => listener.failure('it exited'));
  return {
    post: (message, moved) => worker.postMessage(message, moved),
    terminate: () => void worker.terminate(),
    keepAlive: (needed) => (needed ? worker.ref() : worker.unref()),
  };
}
