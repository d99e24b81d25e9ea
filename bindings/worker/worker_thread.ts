/** A common interface to the workers of browsers and Node.js. */

import { ownWorkerInNode, startOwnWorker } from '../modules/addresses.js';
import { isNode } from '../modules/is_node.js';
import { startInNode } from '../modules/node_worker.js';
import { startWorkerAt } from '../modules/web_worker.js';
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

/** Starts the worker at an absolute address, by default the package's own. Whatever fails is thrown or reported. */
export const startThread = (address: string | undefined, listener: Listener): Thread =>
  isNode ? inNode(address, listener) : inBrowser(address, listener);

function inBrowser(address: string | undefined, listener: Listener): Thread {
  if (typeof Worker !== 'function')
    throw new Error('this browser, or its settings, have no workers (Worker)');
  const worker = address === undefined ? startOwnWorker() : startWorkerAt(address);
  worker.addEventListener('message', (event: { data: Reply }) => listener.message(event.data));
  worker.addEventListener('messageerror', () => listener.failure('a reply could not be read'));
  worker.addEventListener('error', (event) => {
    event.preventDefault();
    listener.failure(event.message || notLoaded);
  });
  return {
    post: (message, moved) => worker.postMessage(message, moved),
    terminate: () => worker.terminate(),
    keepAlive: () => undefined,
  };
}

/** Browsers do not say more. */
const notLoaded =
  "its script could not be loaded. If a bundler did not copy it, import 'transformer-wasm/inline' or give the address of a " +
  "copy as workerUrl; a Content Security Policy must allow it in worker-src (of another origin: also 'blob:')";

function inNode(address: string | undefined, listener: Listener): Thread {
  const worker = startInNode(address ?? ownWorkerInNode());
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
