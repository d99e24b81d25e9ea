// The mailbox that a page and its worker share: against plain messages, whatever their order and timing.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { readFlat, writeFlat } from '../../dist/engine/flat_message.js';
import { PageMailbox } from '../../dist/engine/mailbox.js';

const shared = (bytes) => new Uint8Array(new SharedArrayBuffer(bytes + 8), 8);

test('a message comes out as it went in', () => {
  const memory = shared(1000);
  const message = {
    id: 7,
    name: 'softmax',
    text: '“naïve” 𝄞 \u0000',
    args: [
      { data: new Float32Array([1.5, -0, Number.NaN]), shape: [1, 3] },
      undefined,
      null,
      true,
      -3.25,
      '',
    ],
    ids: new Int32Array([2 ** 31 - 1, -1]),
    bytes: new Uint8Array([1, 2, 3, 4, 5]).subarray(1, 4),
    empty: new Float32Array(0),
    absent: undefined,
  };
  assert.equal(writeFlat(message, memory), true);
  const copy = readFlat(memory, 'copies');
  assert.deepEqual(copy, message);
  assert.ok(Object.is(copy.args[0].data[1], -0));
  assert.deepEqual(readFlat(memory, 'views'), message);
  memory.fill(0);
  assert.deepEqual(copy, message, 'copies do not change with the memory');
});

test('what JSON would change, and what is too long, is left to messages', () => {
  const memory = shared(200);
  const refused = [
    Number.NaN,
    Infinity,
    -0,
    1n,
    Symbol('s'),
    () => 1,
    new Float64Array(1),
    new ArrayBuffer(4),
  ];
  for (const value of refused) assert.equal(writeFlat({ value: [value] }, memory), false, String(value));
  assert.equal(writeFlat({ $: 'undefined' }, memory), false);
  assert.equal(writeFlat(new Float32Array(60), memory), false);
  assert.equal(writeFlat('x'.repeat(100), memory), false);
  assert.equal(writeFlat([new Float32Array(20), 'x'.repeat(40)], memory), false);
  assert.equal(writeFlat(new Float32Array(20), memory), true);
});

/** Answers `value` with `value`, some time later; tells in which order requests came. */
const echo = `
  import { parentPort, workerData } from 'node:worker_threads';
  import { WorkerMailbox } from ${JSON.stringify(new URL('../../dist/engine/mailbox.js', import.meta.url).href)};
  const mailbox = new WorkerMailbox(workerData);
  let order = 0;
  const answer = ({ id, value, milliseconds, isMail }) => {
    for (const end = performance.now() + milliseconds; performance.now() < end; );
    const data = ArrayBuffer.isView(value.data) ? value.data.slice() : value.data; // mails are views
    return { id, value: { ...value, data }, order: order++, isMail };
  };
  parentPort.on('message', (message) => {
    mailbox.countMessage();
    parentPort.postMessage(answer({ ...message, isMail: false }));
    mailbox.attend((mail) => answer({ ...mail, isMail: true }), (reply) => parentPort.postMessage(reply));
  });
`;

test('thousands of requests, with pauses on either side, are answered once each and in order', async () => {
  const memory = new SharedArrayBuffer(4096);
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(echo)}`), {
    workerData: memory,
  });
  await once(worker, 'online');
  const mailbox = new PageMailbox(memory);
  const waiting = new Map();
  const settle = (reply) => {
    assert.ok(waiting.has(reply.id), `an unexpected reply to ${reply.id}`);
    waiting.get(reply.id)(reply);
    waiting.delete(reply.id);
  };
  worker.on('message', settle);
  const ask = (request) =>
    new Promise((resolve) => {
      waiting.set(request.id, resolve);
      if (mailbox.send(request, settle)) return;
      mailbox.announceMessage();
      worker.postMessage(request);
    });

  let seed = 1;
  const random = (below) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  let mails = 0;
  let last = -1;
  for (let id = 0; id < 6000; ) {
    const burst = random(3) === 0 ? 1 + random(5) : 1;
    const requests = Array.from({ length: burst }, () => ({
      id: id++,
      // Sometimes too long for the mailbox there, or on its way back.
      value: {
        data: new Float32Array(random(40) === 0 ? 900 + random(600) : random(20)).fill(id),
        n: random(1000),
      },
      milliseconds: random(200) === 0 ? 4 : 0,
    }));
    const replies = await Promise.all(requests.map(ask));
    for (const [i, reply] of replies.entries()) {
      assert.deepEqual(reply.value, requests[i].value);
      assert.ok(reply.order > last, 'requests are answered in their order');
      last = reply.order;
      mails += reply.isMail;
    }
    if (random(300) === 0) await sleep(random(6));
    if (random(300) === 0) for (const end = performance.now() + 4; performance.now() < end; );
  }
  assert.equal(waiting.size, 0);
  assert.ok(mails > 100, `only ${mails} of 6000 requests went through the mailbox`);
  await worker.terminate();
});
