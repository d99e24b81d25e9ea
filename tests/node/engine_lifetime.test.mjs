// The life cycle of engines: the chosen variant, missing files, dispose, abort, processes that exit.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createEngine, loadModel, TransformerError } from '../../dist/index.js';
import { bytesOfTurn, engineKinds } from '../lib/engine_turns.mjs';
import { assertHeap } from '../lib/heap.mjs';
import { hasRelaxedSimd } from '../lib/variants.mjs';

const dist = new URL('../../dist/', import.meta.url);
const wasmFolder = fileURLToPath(new URL('wasm/', dist));

const refusal = (code, message) => (error) => {
  assert.ok(error instanceof TransformerError, `${error?.stack}`);
  assert.equal(error.code, code, error.message);
  assert.match(error.message, message);
  return true;
};

async function works(engine) {
  assert.deepEqual((await engine.softmax([[5, 5]])).tolist(), [[0.5, 0.5]]);
}

describe('the chosen variant', () => {
  test('info describes it, and notes explain it', async () => {
    const engine = await createEngine({ threads: 2, simd: 'simd128' });
    const { version, variant, threads, simd, worker, heapBytes, memoryBytes, notes } = engine.info;
    assert.equal(version, JSON.parse(readFileSync(new URL('../package.json', dist))).version);
    assert.deepEqual([variant, threads, simd, worker], ['simd-threads', 2, 'simd128', false]);
    assert.ok(heapBytes > 0 && heapBytes < memoryBytes);
    assert.equal(notes.length, 2);
    assert.match(notes[0], /SIMD128, as requested/);
    assert.match(notes[1], /2 threads, as requested/);
    await engine.dispose();
    assert.equal(engine.info.heapBytes, 0);
  });

  test("threads: 'auto' uses one to four", async () => {
    const engine = await createEngine();
    assert.ok(engine.info.threads >= 1 && engine.info.threads <= 4);
    await works(engine);
    await engine.dispose();
  });

  test('relaxed SIMD is rejected where it is unavailable', { skip: hasRelaxedSimd }, async () => {
    await assert.rejects(
      createEngine({ simd: 'relaxed' }),
      refusal('unsupported', /relaxed SIMD, which is somewhat faster, is not available here/),
    );
  });

  for (const [options, message] of [
    [{ thread: 2 }, /options has no 'thread'; did you mean 'threads'\?/],
    [{ threads: 0 }, /threads must be an integer from 1 to 64, got 0/],
    [{ threads: 1.5 }, /threads must be an integer/],
    [{ threads: 'many' }, /threads must be 'auto' or a number, got the string 'many'/],
    [{ simd: 'avx' }, /simd must be one of/],
    [{ worker: 'yes' }, /worker must be 'auto', true or false/],
    [{ signal: {} }, /signal must be an AbortSignal/],
    [{ wasmBinary: 'abc' }, /wasmBinary must be an ArrayBuffer or Uint8Array/],
    [null, /options must be an object, got null/],
  ]) {
    test(`options ${JSON.stringify(options)} are rejected`, async () => {
      await assert.rejects(createEngine(options), refusal('invalid_argument', message));
    });
  }

  test('a model is not given the options of its engine, and where they belong is said', async () => {
    for (const [name, value] of Object.entries({ threads: 2, worker: true, simd: 'auto', wasmUrl: '/x/' }))
      await assert.rejects(
        loadModel('nowhere', { [name]: value }),
        refusal('invalid_argument', new RegExp(`no '${name}'.* engine: createEngine\\(\\{ ${name} `)),
      );
  });
});

describe("the location of the engine's files", () => {
  let server;
  let origin;
  before(async () => {
    server = createServer((request, response) => {
      if (request.url.startsWith('/wasm/'))
        return response.end(readFileSync(join(wasmFolder, request.url.slice(6))));
      // As servers send it that know the type: it is compiled while it arrives.
      if (request.url.startsWith('/typed/')) {
        const wasm = readFileSync(join(wasmFolder, 'transformer-simd.wasm'));
        const contents = { whole: wasm, cut: wasm.subarray(0, 1000), other: Buffer.from('hello') };
        response.setHeader('content-type', 'application/wasm');
        return response.end(contents[/\w+(?=\.wasm$)/.exec(request.url)[0]]);
      }
      if (request.url.startsWith('/app/'))
        return response.setHeader('content-type', 'text/html').end('<!doctype html><title>App</title>');
      response.writeHead(404).end();
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${server.address().port}`;
  });
  after(() => server.close());

  test('wasmUrl is a folder or a file, given as a path or a URL', async () => {
    for (const wasmUrl of [
      wasmFolder,
      pathToFileURL(wasmFolder).href,
      join(wasmFolder, 'transformer-simd.wasm'),
      new URL(`${origin}/wasm/transformer-simd.wasm`),
    ]) {
      const engine = await createEngine({ threads: 1, wasmUrl });
      await works(engine);
      await engine.dispose();
    }
    const typed = await createEngine({ wasmUrl: `${origin}/typed/whole.wasm` });
    await works(typed);
    await typed.dispose();
    const named = await createEngine({ wasmUrl: `${origin}/wasm/transformer-simd.wasm` });
    assert.deepEqual([named.info.variant, named.info.threads], ['simd', 1]);
    await named.dispose();
  });

  test('wasmBinary is used as it is, also in a worker', async () => {
    const wasmBinary = readFileSync(join(wasmFolder, 'transformer-simd.wasm'));
    for (const worker of [false, true]) {
      const engine = await createEngine({ wasmBinary, worker });
      await works(engine);
      await engine.dispose();
    }
    assert.ok(wasmBinary.length > 0, 'the bytes are not transferred');
    const threaded = readFileSync(join(wasmFolder, 'transformer-simd-threads.wasm'));
    await assert.rejects(
      createEngine({ wasmBinary: threaded }),
      refusal('invalid_argument', /does not match the chosen variant/),
    );
  });

  test('falls back to one thread if threads cannot be started, with a note', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'engine-'));
    cpSync(wasmFolder, folder, { recursive: true });
    const module = join(folder, 'transformer-simd-threads.mjs');
    const text = readFileSync(module, 'utf8');
    const isThread = "process.getBuiltinModule('worker_threads').workerData === 'em-pthread'";
    writeFileSync(module, `${text}\nif (${isThread}) throw new Error('no thread today');\n`);
    try {
      const engine = await createEngine({ threads: 3, simd: 'simd128', wasmUrl: folder });
      assert.equal(engine.info.threads, 1);
      assert.equal(engine.info.variant, 'simd');
      assert.match(
        engine.info.notes.at(-1),
        /One thread\. A thread of the engine could not be started: no thread today/,
      );
      await works(engine);
      await engine.dispose();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  for (const worker of [false, true]) {
    test(`a missing file is named in the error${worker ? ', through a worker' : ''}`, async () => {
      const create = (wasmUrl) => createEngine({ threads: 1, simd: 'simd128', worker, wasmUrl });
      await assert.rejects(
        create('/nowhere/at/all/'),
        refusal('missing_file', /\/nowhere\/at\/all\/transformer-simd/),
      );
      await assert.rejects(
        create('/nowhere/a.wasm'),
        refusal('missing_file', /\/nowhere\/a\.wasm.*no such file/),
      );
      const missing = `${origin}/gone/a.wasm`;
      await assert.rejects(
        create(missing),
        refusal('missing_file', /\/gone\/a\.wasm: the server answered 404/),
      );
      await assert.rejects(
        create(`${origin}/typed/cut.wasm`),
        refusal('unsupported', /\/typed\/cut\.wasm cannot be compiled here/),
      );
      await assert.rejects(
        create(`${origin}/typed/other.wasm`),
        refusal('missing_file', /\/typed\/other\.wasm is not WebAssembly: .*application\/wasm/),
      );
      const page = `${origin}/app/a.wasm`;
      await assert.rejects(
        create(page),
        refusal('missing_file', /is not WebAssembly: .*text\/html, probably the page/),
      );
    });
  }
});

for (const options of [{ threads: 1 }, { threads: 2 }, { threads: 2, worker: true }]) {
  describe(`the end of an engine, ${JSON.stringify(options)}`, () => {
    test('dispose is idempotent; later calls reject with disposed', async () => {
      const engine = await createEngine(options);
      const layer = await engine.linear({ weight: [[1, 2]], bias: [3] });
      assert.deepEqual((await layer.forward([[10, 100]])).tolist(), [[213]]);
      await engine.dispose();
      await engine.dispose();
      engine[Symbol.dispose]();
      await engine[Symbol.asyncDispose]();
      await assert.rejects(engine.softmax([[1]]), refusal('disposed', /engine was disposed/));
      await assert.rejects(engine.linear({ weight: [[1]] }), refusal('disposed', /engine was disposed/));
      await assert.rejects(layer.forward([[1, 2]]), refusal('disposed', /disposed/));
      await layer.dispose();
    });

    test('calls that are pending at dispose reject with disposed', async () => {
      const engine = await createEngine(options);
      const waiting = engine.transformer({ dModel: 64, numHeads: 2 }, { seed: 1 });
      const outcome = assert.rejects(waiting, refusal('disposed', /engine was disposed/));
      engine.dispose();
      await outcome;
    });

    test('memory is freed: 20 rounds of layers', async () => {
      const engine = await createEngine(options);
      const round = async (seed) => {
        const config = { dModel: 32, numHeads: 2, numEncoderLayers: 1, numDecoderLayers: 1, vocabSize: 20 };
        const model = await engine.transformer(config, { seed });
        await model.forward([[1, 2, 3]], [[4, 5]], { outputAttentions: true });
        const attention = await engine.multiHeadAttention({ dModel: 32, numHeads: 4 }, { seed });
        await attention.forward([[new Float32Array(32)]]);
        await assert.rejects(model.encode([[20]]), refusal('invalid_argument', /outside/));
        await engine.softmax([[1, 2]]);
        assert.ok(engine.info.heapBytes > model.parameterCount * 4);
        await Promise.all([model.dispose(), attention.dispose()]);
      };
      await round(0);
      const before = engine.info.heapBytes;
      for (let i = 1; i <= 20; i++) await round(i);
      assertHeap(engine, before);
      await engine.dispose();
    });

    test('an abort before and during creation rejects with its reason', async () => {
      const reason = new Error('changed my mind');
      await assert.rejects(createEngine({ ...options, signal: AbortSignal.abort(reason) }), reason);
      const controller = new AbortController();
      const creating = createEngine({ ...options, signal: controller.signal });
      const outcome = assert.rejects(creating, reason);
      controller.abort(reason);
      await outcome;
      const engine = await createEngine(options);
      await works(engine);
      await engine.dispose();
    });
  });
}

/** Runs a script in a process of its own and measures how long it takes to exit. */
function runScript(body, timeout = 20_000) {
  const folder = mkdtempSync(join(tmpdir(), 'engine-'));
  const file = join(folder, 'script.mjs');
  writeFileSync(file, `import * as t from ${JSON.stringify(new URL('index.js', dist).href)};\n${body}`);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--expose-gc', file], { timeout });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      rmSync(folder, { recursive: true });
      resolve({ code, signal, output });
    });
  });
}

describe('a process exits by itself', () => {
  const use = (options) => `
    const engine = await t.createEngine(${options});
    const layer = await engine.multiHeadAttention({ dModel: 64, numHeads: 4 }, { seed: 1 });
    await layer.forward([Array.from({ length: 64 }, () => new Float32Array(64))]);
    console.log(engine.info.threads);`;

  for (const options of ['{ threads: 1 }', '{ threads: 3 }', '{ threads: 2, worker: true }']) {
    for (const [how, end] of [
      ['that disposes', 'await engine.dispose();'],
      ['that forgets', ''],
      ['that calls process.exit', 'process.exit(0);'],
    ]) {
      test(`one ${how}, ${options}`, async () => {
        const { code, signal, output } = await runScript(`${use(options)}\n${end}`);
        assert.equal(signal, null, `it had to be ended: ${output}`);
        assert.equal(code, 0, output);
        assert.equal(output.trim().split('\n')[0], /threads: (\d)/.exec(options)[1]);
      });
    }
  }

  test('an engine is ended when it is garbage-collected, and not earlier', async () => {
    const { code, output } = await runScript(`
      import { setTimeout as wait } from 'node:timers/promises';
      let layer = await (async () => {
        const engine = await t.createEngine({ threads: 2 });
        return engine.linear({ weight: [[2]] });
      })();
      for (let i = 0; i < 5; i++) { globalThis.gc(); await wait(20); }
      console.log((await layer.forward([[21]])).data[0]);
      layer = undefined;
      for (let i = 0; i < 5; i++) { globalThis.gc(); await wait(20); }
      const next = await t.createEngine({ threads: 2 });
      console.log((await next.softmax([[0]])).data[0]);`);
    assert.equal(code, 0, output);
    assert.deepEqual(output.trim().split('\n'), ['42', '1']);
  });

  test('no globals change and no handlers remain', async () => {
    const { code, output } = await runScript(`
      const events = () => process.eventNames().map(String).sort().join();
      const [globals, handlers] = [Object.getOwnPropertyNames(globalThis).sort().join(), events()];
      const engine = await t.createEngine({ threads: 2 });
      await engine.dispose();
      console.log(globals === Object.getOwnPropertyNames(globalThis).sort().join(), handlers === events());`);
    assert.equal(code, 0, output);
    assert.equal(output.trim(), 'true true');
  });
});

describe('what an engine has held comes back', () => {
  const turns = new URL('../lib/engine_turns.mjs', import.meta.url).href;
  for (const kind of engineKinds) {
    test(`the process is flat over 50 engines, ${JSON.stringify(kind)}`, async () => {
      const { code, output } = await runScript(
        `import { growthInNode } from ${JSON.stringify(turns)};
        console.log(await growthInNode(t, 50, ${JSON.stringify(kind)}));`,
        300_000,
      );
      assert.equal(code, 0, output);
      assert.ok(Number(output) < 10 * bytesOfTurn, `it has grown by ${output} bytes`);
    });
  }
});
