// Internals of the engine that the public API cannot reach at will: the choice of a variant, a trap, a dying worker.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Core } from '../../build/modules/engine/core.js';
import { chooseVariant } from '../../build/modules/modules/variant.js';
import { TransformerError, toMessage, toTransformerError } from '../../build/modules/values/errors.js';
import { buffersOf, copyToMove } from '../../build/modules/worker/transfer.js';

const everything = {
  webAssembly: true,
  mayCompile: true,
  simd: true,
  relaxedSimd: 'right',
  exceptions: true,
  inNode: false,
  isolated: true,
  sharedMemory: true,
  mayWait: true,
  cores: 8,
};
const auto = { threads: 'auto', simd: 'auto' };

describe('the choice of a variant', () => {
  for (const [name, features, wanted, variant, threads, note] of [
    ['everything', {}, {}, 'relaxed-threads', 4, /4 threads for 8 processors/],
    ['two processors', { cores: 2 }, {}, 'relaxed-threads', 2, /2 threads for 2 processors/],
    ['one processor', { cores: 1 }, {}, 'relaxed', 1, /one processor/],
    ['six processors', { cores: 6 }, {}, 'relaxed-threads', 3, /3 threads for 6 processors/],
    [
      'no relaxed SIMD',
      { relaxedSimd: 'missing' },
      {},
      'simd-threads',
      4,
      /not available here; Chrome 114, Node\.js 22 and newer have it/,
    ],
    ['wrong relaxed SIMD', { relaxedSimd: 'wrong' }, {}, 'simd-threads', 4, /gives wrong results here/],
    ['SIMD128 requested', {}, { simd: 'simd128' }, 'simd-threads', 4, /SIMD128, as requested/],
    ['one thread requested', {}, { threads: 1 }, 'relaxed', 1, /One thread, as requested/],
    ['more threads than processors', {}, { threads: 16 }, 'relaxed-threads', 16, /16 threads, as requested/],
    [
      'no isolation',
      { isolated: false },
      { threads: 8 },
      'relaxed',
      1,
      /Cross-Origin-Embedder-Policy: require-corp/,
    ],
    [
      'isolation, but no shared memory, as in WebKitGTK',
      { sharedMemory: false },
      { threads: 8 },
      'relaxed',
      1,
      /although the page is cross-origin isolated, this browser does not share memory/,
    ],
    [
      'a Node.js without shared memory',
      { inNode: true, sharedMemory: false },
      {},
      'relaxed',
      1,
      /this Node\.js does not share memory between threads/,
    ],
    [
      'a host with one thread',
      {},
      { threads: 8, oneThread: 'One thread: so it is.' },
      'relaxed',
      1,
      /so it is/,
    ],
    ["a page's main thread", { mayWait: false }, { threads: 8 }, 'relaxed', 1, /page's main thread/],
  ]) {
    test(name, () => {
      const choice = chooseVariant({ ...everything, ...features }, { ...auto, ...wanted });
      assert.equal(choice.variant, variant);
      assert.equal(choice.threads, threads);
      assert.match(choice.notes.join(' '), note);
      assert.equal(choice.notes.length, 2);
    });
  }

  for (const [features, wanted, message] of [
    [{ webAssembly: false }, {}, /switched off here.*--jitless.*Lockdown Mode/],
    [{ mayCompile: false }, {}, /'wasm-unsafe-eval' to script-src.*wasmModule/],
    [{ simd: false }, {}, /WebAssembly SIMD.*Safari 16\.4/],
    [{ exceptions: false }, {}, /WebAssembly exceptions.*Chrome or Edge 95/],
    [{ relaxedSimd: 'missing' }, { simd: 'relaxed' }, /simd: 'relaxed' was requested/],
  ]) {
    test(`${JSON.stringify({ ...features, ...wanted })} is unsupported`, () => {
      const choose = () => chooseVariant({ ...everything, ...features }, { ...auto, ...wanted });
      assert.throws(choose, (error) => error.code === 'unsupported' && message.test(error.message));
    });
  }
});

test('a module that is compiled already needs no permission to compile', () => {
  const features = { ...everything, mayCompile: false, relaxedSimd: 'missing' };
  assert.equal(chooseVariant(features, { ...auto, compiled: true }).simd, 'simd128');
});

/** A module with a test's functions. */
function moduleWith(functions) {
  const deleted = [];
  class Context {
    delete = () => deleted.push('context');
  }
  let ended = 0;
  const PThread = { unusedWorkers: [], terminateAllThreads: () => ended++ };
  const computed = { scaledDotProductAttention: () => [], layerNorm: () => [], positionalEncoding: () => [] };
  const module = { Context, PThread, heapBytes: () => 7, memoryBytes: () => 9, ...computed, ...functions };
  const core = new Core(module, { variant: 'simd', threads: 1, simd: 'simd128', notes: [] });
  const call = (name) => core.answer({ kind: 'call', name, args: [] });
  return { core, call, deleted, ended: () => ended };
}

describe('exceptions in the engine', () => {
  test('a C++ error keeps its code, and the engine keeps working', () => {
    const fromCpp = Object.assign(new Error('x must be 3 wide'), { code: 'invalid_argument' });
    const { core, call, deleted } = moduleWith({
      refuse() {
        throw fromCpp;
      },
      answer: () => 42,
    });
    assert.throws(() => call('refuse'), {
      name: 'TransformerError',
      code: 'invalid_argument',
    });
    assert.equal(call('answer'), 42);
    core.close();
    assert.deepEqual(deleted, ['context']);
  });

  test('after a trap every call rejects with internal, and no destructor runs', () => {
    const { core, call, deleted, ended } = moduleWith({
      trap() {
        throw new WebAssembly.RuntimeError('unreachable');
      },
      answer: () => 42,
    });
    assert.throws(() => call('trap'), { code: 'internal', message: /unreachable/ });
    assert.throws(() => call('answer'), {
      code: 'internal',
      message: /has failed .*create a new one/,
    });
    assert.deepEqual(core.memory(), { heapBytes: 0, memoryBytes: 0 });
    core.close();
    assert.deepEqual(deleted, []);
    assert.equal(ended(), 1);
  });

  test('errors cross to and from a worker with their code', () => {
    const error = new TransformerError('bad_checkpoint', 'w holds NaN');
    assert.deepEqual(toMessage(error), { code: 'bad_checkpoint', message: 'w holds NaN' });
    assert.equal(toTransformerError(Object.assign(new Error('gone'), { code: 'ENOENT' })).code, 'internal');
    assert.equal(toTransformerError(new RangeError('Array buffer allocation failed')).code, 'out_of_memory');
    assert.equal(toTransformerError('a string').code, 'internal');
    const missing = toTransformerError(new ReferenceError('TextDecoder is not defined'));
    assert.equal(missing.code, 'unsupported');
    assert.match(missing.message, /^This host lacks a part of the platform: TextDecoder is not defined$/);
  });
});

describe('transfers to a worker', () => {
  test('a view is copied alone, into a transferable buffer', () => {
    const file = new Float32Array(1000).fill(1);
    const moved = [];
    const copy = copyToMove({ deep: [{ data: file.subarray(10, 13), shape: [3] }], flag: true }, moved);
    assert.deepEqual(copy, { deep: [{ data: Float32Array.of(1, 1, 1), shape: [3] }], flag: true });
    assert.deepEqual(
      moved.map(({ byteLength }) => byteLength),
      [12],
    );
    assert.equal(moved[0], copy.deep[0].data.buffer);
    assert.equal(file.length, 1000);
  });

  test('a Node Buffer is copied too, and ids remain integers', () => {
    const pool = Buffer.from('abc');
    const moved = [];
    const [bytes, ids] = copyToMove([pool, Int32Array.of(7)], moved);
    assert.deepEqual([...bytes], [97, 98, 99]);
    assert.notEqual(bytes.buffer, pool.buffer);
    assert.ok(ids instanceof Int32Array);
    assert.equal(moved.length, 2);
  });

  test('lists each buffer of a result once', () => {
    const data = Float32Array.of(1, 2);
    assert.deepEqual([...buffersOf({ a: { data, shape: [2] }, b: [data, null, 'x'] })], [data.buffer]);
  });
});
