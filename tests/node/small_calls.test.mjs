// Which calls are small enough for the caller's thread.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { elements } from '../../build/modules/values/tensor.js';
import { isSmall as isSmallFor } from '../../build/modules/worker/small_calls.js';
import { randomNumbers } from '../lib/random.mjs';

const { normal } = randomNumbers(11);
const random = (...shape) => ({ data: Float32Array.from({ length: elements(shape) }, normal), shape });

describe('small calls', () => {
  const call = (name, ...args) => ({ kind: 'call', name, args });
  const pass = (method, ...args) => ({
    kind: 'invoke',
    target: { handle: 1, className: 'Linear' },
    method,
    args,
  });
  const isSmall = (one, parameterCount) => isSmallFor(one, { threads: 1, parameterCount });

  test('the time of products is that of their work, not of their numbers', () => {
    assert.ok(isSmall(call('matmul', random(64, 64), random(64, 64))));
    assert.ok(!isSmall(call('matmul', random(256, 256), random(256, 256))));
    assert.ok(!isSmall(call('matmul', random(2000, 1), random(1, 2000))));
    assert.ok(!isSmall(call('matmul', random(500, 1, 2, 2), random(500, 2, 2))), 'broadcast to 500 x 500');
    const attention = (heads, time, width) =>
      call('scaledDotProductAttention', ...Array(3).fill(random(heads, time, width)), {});
    assert.ok(isSmall(attention(8, 64, 64)));
    assert.ok(!isSmall(attention(8, 128, 64)));
    assert.ok(!isSmall(attention(1, 1000, 1)));
  });

  test('arguments that are given in the options count', () => {
    const [queries, keys] = [random(2, 5, 12), random(2, 7, 12)];
    const options = { Ws: random(6, 12), Wh: random(6, 12), v: random(6) };
    assert.ok(isSmall(call('additiveAttention', queries, keys, options)));
    assert.ok(!isSmall(call('additiveAttention', queries, keys, { ...options, Ws: random(60_000, 12) })));
  });

  test('sizes alone make a result large', () => {
    assert.ok(!isSmall(call('positionalEncoding', 512, { maxLength: 5000 })));
    assert.ok(!isSmall(call('alibiBias', 16, 512, 512)));
  });

  test('with several threads in the worker, what they would share goes there, but not what the way there outweighs', () => {
    const row = pass('forward', random(1, 512));
    for (const threads of [1, 2, 4]) {
      assert.equal(isSmallFor(row, { threads, parameterCount: 512 * 2048 }), threads < 4);
      assert.ok(isSmallFor(row, { threads, parameterCount: 512 * 512 }));
      assert.ok(isSmallFor(call('softmax', random(64, 512)), { threads }));
      const heads = Array(3).fill(random(8, 64, 64));
      assert.ok(isSmallFor(call('scaledDotProductAttention', ...heads, {}), { threads: 2 }));
    }
    const thin = [random(64, 256), random(256, 128)];
    assert.deepEqual(
      [1, 2].map((threads) => isSmallFor(call('matmul', ...thin), { threads })),
      [true, true],
    );
  });

  test('what has other effects runs in the worker', () => {
    assert.ok(!isSmall(call('machineLimits', 1)));
    assert.ok(!isSmall({ kind: 'create', className: 'Weights', args: ['f32', 1] }));
  });

  test('layers: the time of a pass is that of its rows times the parameters, and of attention', () => {
    assert.ok(isSmall(pass('forward', random(1, 512)), 512 * 2048));
    assert.ok(isSmall(pass('forward', random(4, 512)), 512 * 512));
    assert.ok(!isSmall(pass('forward', random(64, 512)), 512 * 512));
    assert.ok(!isSmall(pass('forward', random(2, 1000, 16), {}), 1000), 'attention among 1000');
    assert.ok(!isSmall(pass('forward', random(1, 2), { mask: random(1000, 1000) }), 6));
    assert.ok(!isSmall(pass('forward', random(1, 512))), 'not offered');
    assert.ok(!isSmall(pass('parameterCount'), 10));
    const unread = new Proxy({}, { ownKeys: () => assert.fail('the bytes of a checkpoint were looked at') });
    assert.ok(!isSmall(pass('write', 'weight', 0, unread)));
  });
});
