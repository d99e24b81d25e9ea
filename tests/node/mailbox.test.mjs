// The mailbox that a page and its worker share: against plain messages, whatever their order and timing.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { FlatMessage } from '../../build/modules/worker/flat_message.js';
import { PageMailbox } from '../../build/modules/worker/mailbox.js';

const shared = (bytes) => new FlatMessage(new Uint8Array(new SharedArrayBuffer(bytes + 8), 8));

test('a message comes out as it went in', () => {
  const memory = new SharedArrayBuffer(1000);
  const flat = new FlatMessage(new Uint8Array(memory));
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
  assert.equal(flat.write(message), true);
  const copy = flat.read('copies');
  assert.deepEqual(copy, message);
  assert.ok(Object.is(copy.args[0].data[1], -0));
  const views = flat.read('views');
  assert.deepEqual(views, message);
  assert.equal(views.ids.buffer, memory);
  new Uint8Array(memory).fill(0);
  assert.deepEqual(copy, message, 'copies do not change with the memory');
});

test('numbers that were placed are not copied again, and never mistaken for others', () => {
  const memory = new SharedArrayBuffer(400);
  const flat = new FlatMessage(new Uint8Array(memory, 8));
  for (let round = 0; round < 3; round++) {
    const unused = flat.place(new Float32Array([9, 9, 9]));
    const ids = flat.place(new Int32Array([round, 2, 3]));
    assert.equal(ids.buffer, memory);
    const large = flat.place(new Float32Array(200).fill(round));
    assert.notEqual(large.buffer, memory, 'there is no room for these');
    const message = { ids, part: ids.subarray(1), other: new Uint8Array([7, round]), id: round };
    assert.equal(flat.write(message), true);
    assert.deepEqual(flat.read('copies'), {
      ids: new Int32Array([round, 2, 3]),
      part: new Int32Array([2, 3]),
      other: new Uint8Array([7, round]),
      id: round,
    });
    assert.deepEqual(Array.from(unused), [9, 9, 9]);
    assert.equal(flat.write({ large }), false);
    assert.equal(flat.write({ text: 'x'.repeat(200) }), false);
  }
  const elsewhere = new Float32Array(memory, 8, 2); // of the same memory, but not placed
  elsewhere.set([5, 6]);
  const copy = elsewhere.slice();
  assert.equal(flat.write({ copy }), true);
  assert.deepEqual(Array.from(flat.read('copies').copy), [5, 6]);
});

test('what JSON would change, and what is too long, is left to messages', () => {
  const flat = shared(200);
  const refused = [
    Number.NaN,
    Infinity,
    -0,
    1n,
    Symbol('s'),
    () => 1,
    new Float64Array(1),
    new ArrayBuffer(4),
    JSON.parse('{ "__proto__": 1 }'),
  ];
  for (const value of refused) assert.equal(flat.write({ value: [value] }), false, String(value));
  assert.equal(flat.write({ $: 'undefined' }), false);
  assert.equal(flat.write(new Float32Array(60)), false);
  assert.equal(flat.write('x'.repeat(100)), false);
  assert.equal(flat.write([new Float32Array(20), 'x'.repeat(40)]), false);
  assert.equal(flat.write(new Float32Array(20)), true);
});

/** Answers `value` with `value`, some time later; tells in which order requests came. */
const echo = `
  import { parentPort, workerData } from 'node:worker_threads';
  import { WorkerMailbox } from ${JSON.stringify(new URL('../../build/modules/worker/mailbox.js', import.meta.url).href)};
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
      const mayOvertake = waiting.size > 0;
      waiting.set(request.id, resolve);
      if (!mayOvertake && mailbox.send(request, settle)) return;
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
  // Some requests are always under way, as when weights are loaded.
  const underWay = [];
  const take = async () => {
    const reply = await underWay.shift();
    assert.ok(reply.order > last, 'requests that overlap are answered in their order');
    last = reply.order;
  };
  for (let id = 6000; id < 9000; id++) {
    underWay.push(ask({ id, value: { data: new Float32Array(random(20)), n: 0 }, milliseconds: 0 }));
    while (underWay.length > random(4)) await take();
  }
  while (underWay.length > 0) await take();
  assert.equal(waiting.size, 0);
  assert.ok(mails > 100, `only ${mails} of 6000 requests went through the mailbox`);
  await worker.terminate();
});

test('nothing waits at the mailbox of a worker that has ended before it replied', async () => {
  const memory = new SharedArrayBuffer(4096);
  const words = new Int32Array(memory, 0, 1);
  Atomics.store(words, 0, 1); // the worker waits for a request
  const mailbox = new PageMailbox(memory, false);
  assert.ok(mailbox.send({ id: 0 }, () => assert.fail('there was no reply')));
  mailbox.end();
  await sleep(0);
  assert.equal(Atomics.notify(words, 0), 0, 'something still waits, and holds the memory');
  assert.equal(mailbox.send({ id: 1 }, assert.fail), false);
});
