/** The worker that runs an engine and answers requests in order. Browsers and Node.js start it alike. */

import type { Call } from '../engine/calls.js';
import { type Core, type MemoryUse, openCore } from '../engine/core.js';
import { isNode } from '../modules/is_node.js';
import { fail, toMessage } from '../values/errors.js';
import type { FlatMessage } from './flat_message.js';
import { holdForLife } from './life_lock.js';
import { type WithMailbox, WorkerMailbox } from './mailbox.js';
import type { Numbered, Opened, Reply, Request } from './protocol.js';
import { isSpare } from './spare_buffers.js';
import { buffersOf, release } from './transfer.js';

let core: Core | undefined;
let mailbox: WorkerMailbox | undefined;
/** How many requests are being answered; a run pauses for others. */
let active = 0;
/** The runs, by the numbers of their requests. */
const runs = new Map<number, ReturnType<Core['run']>>();

const open = (): Core => core ?? fail('internal', 'The engine is not open yet.');
const noMemory: MemoryUse = { heapBytes: 0, memoryBytes: 0 };

/** The replies to a request: one, or as many as a run has reports of its progress. */
async function* replies({
  id,
  ...request
}: Numbered): AsyncGenerator<{ value: unknown; more?: boolean }, void, void> {
  if (request.kind !== 'run') {
    yield { value: await answer(request) };
    return;
  }
  const run = open().run(request);
  runs.set(id, run);
  try {
    for await (const progress of run) yield { value: progress, more: !progress.done };
  } finally {
    runs.delete(id);
  }
}

async function answer(request: Exclude<Request, { kind: 'run' }> & WithMailbox): Promise<unknown> {
  if (request.kind === 'stop') return void (await runs.get(request.run)?.return());
  if (request.kind === 'compiled') return open().compiled;
  if (request.kind !== 'open') return open().answer(request);
  if (request.lifeLock !== undefined) await holdForLife(request.lifeLock);
  core = await openCore(request.wanted, request);
  if (request.mailbox) mailbox = new WorkerMailbox(request.mailbox);
  return { choice: core.choice } satisfies Opened;
}

const memory = () => core?.memory() ?? noMemory;

const failure = (id: number, error: unknown): Reply => ({
  id,
  ok: false,
  error: toMessage(error),
  memory: memory(),
});

async function handle(request: Numbered): Promise<void> {
  const { id } = request;
  mailbox?.countMessage();
  active++;
  try {
    for await (const reply of replies(request))
      post({ id, ok: true, ...reply, memory: memory(), spent: spentBy(request) });
  } catch (error) {
    post(failure(id, error));
  }
  // Without this, dozens of megabytes of weights would await garbage collection. Other arguments are not freed here,
  // because that is slow: 0.9 ms for 256 kB.
  if (request.kind === 'invoke' && request.method === 'write') release(request);
  active--;
  if (active === 0)
    mailbox?.attend(
      (mail, reply) => answerMail(mail as Mail, reply),
      (reply) => post(reply as Reply),
    );
}

/** The buffers of a call that the page may want for its next one. */
const spentBy = (request: Request): ArrayBuffer[] =>
  request.kind === 'call' || request.kind === 'invoke' ? [...buffersOf(request.args)].filter(isSpare) : [];

type Mail = Call & { readonly id: number };

function answerMail({ id, ...call }: Mail, reply: FlatMessage): Reply {
  try {
    const value = open().answerInto((numbers) => reply.place(numbers), call);
    return { id, ok: true, value, memory: memory() };
  } catch (error) {
    return failure(id, error);
  }
}

const parentPort = isNode ? globalThis.process.getBuiltinModule('node:worker_threads').parentPort : null;

function post(reply: Reply): void {
  const moved = reply.ok ? [...buffersOf(reply.value), ...(reply.spent ?? [])] : [];
  if (parentPort) parentPort.postMessage(reply, moved);
  else globalThis.postMessage(reply, { transfer: moved });
}

if (parentPort) parentPort.on('message', handle);
else globalThis.addEventListener('message', (event: MessageEvent<Numbered>) => handle(event.data));
