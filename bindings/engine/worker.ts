/** The worker that runs an engine and answers requests in order. Browsers and Node.js start it alike. */

import { type Core, type MemoryUse, openCore } from './core.js';
import { fail, toMessage } from './errors.js';
import { isNode } from './features.js';
import { holdForLife } from './life_lock.js';
import { buffersOf, type Numbered, type Opened, type Reply, type Request, release } from './protocol.js';

let core: Core | undefined;

const open = (): Core => core ?? fail('internal', 'The engine is not open yet.');
const noMemory: MemoryUse = { heapBytes: 0, memoryBytes: 0 };

/** The replies to a request: one, or as many as a run has reports of its progress. */
async function* replies(request: Request): AsyncGenerator<{ value: unknown; more?: boolean }, void, void> {
  if (request.kind !== 'run') yield { value: await answer(request) };
  else
    for await (const progress of open().run(request.generation))
      yield { value: progress, more: !progress.done };
}

async function answer(request: Exclude<Request, { kind: 'run' }>): Promise<unknown> {
  if (request.kind !== 'open') return open().answer(request);
  if (request.lifeLock !== undefined) await holdForLife(request.lifeLock);
  core = await openCore(request.wanted, request);
  return { choice: core.choice } satisfies Opened;
}

async function handle({ id, ...request }: Numbered): Promise<void> {
  const memory = () => core?.memory() ?? noMemory;
  try {
    for await (const reply of replies(request))
      post({ id, ok: true, ...reply, memory: memory() }, [...buffersOf(reply.value)]);
  } catch (error) {
    post({ id, ok: false, error: toMessage(error), memory: memory() }, []);
  }
  // Without this, dozens of megabytes of weights would await garbage collection. Other arguments are left to the
  // collector, because freeing a buffer is slow: 0.9 ms for 256 kB.
  if (request.kind === 'invoke' && request.method === 'write') release(request.args);
}

const parentPort = isNode ? process.getBuiltinModule('node:worker_threads').parentPort : null;

function post(reply: Reply, moved: ArrayBuffer[]): void {
  if (parentPort) parentPort.postMessage(reply, moved);
  else globalThis.postMessage(reply, { transfer: moved });
}

if (parentPort) parentPort.on('message', handle);
else globalThis.addEventListener('message', (event: MessageEvent<Numbered>) => handle(event.data));
