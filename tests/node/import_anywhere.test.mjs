// Importing the package never fails, whatever the host lacks, and the engine runs from parts that the host supplies.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { createEngine } from '../../dist/index.js';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const wasm = join(dist, 'wasm');
const execute = promisify(execFile);

const refuses = (creating, code, message) =>
  assert.rejects(creating, (error) => error.code === code && message.test(error.message));

let folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'import-'));
});
after(() => rm(folder, { recursive: true }));

/** Runs a script that has the package in one file of CommonJS or of ES modules; returns what it prints. */
async function runBundled(source, { format = 'cjs', flags = [] } = {}) {
  const outfile = join(folder, `bundle.${format === 'cjs' ? 'cjs' : 'mjs'}`);
  const options = { bundle: true, platform: 'node', logLevel: 'silent', format, outfile };
  await build({ ...options, stdin: { contents: source, resolveDir: dist } });
  const { stdout } = await execute(process.execPath, [...flags, outfile], { cwd: folder });
  return stdout.trim();
}

/** Creates an engine, and prints a softmax or the error. */
const use = (options) => `
  createEngine(${options}).then(async (engine) => {
    console.log(JSON.stringify((await engine.softmax([[5, 5]])).tolist()), engine.info.notes.join(' '));
    await engine.dispose();
  }, (error) => console.log(error.code, error.message));`;

test('a program that is given as text starts the worker and its threads', async () => {
  for (const options of ['{ worker: true, threads: 2 }', '{ worker: false, threads: 2 }']) {
    const source = `import { createEngine } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url))};
      const engine = await createEngine(${options});
      console.log(engine.info.threads, (await engine.softmax([[5, 5]])).tolist());
      await engine.dispose();`;
    for (const type of [['--input-type=module'], ['--input-type', 'module']]) {
      const { stdout } = await execute(process.execPath, [...type, '--eval', source]);
      assert.equal(stdout.trim(), '2 [ [ 0.5, 0.5 ] ]');
    }
  }
});

describe('a bundle', () => {
  const start = "import { createEngine } from './index.js';";

  test('that lost its files says what helps', async () => {
    for (const format of ['cjs', 'esm'])
      assert.match(
        await runBundled(start + use('{ threads: 1 }'), { format }),
        /^missing_file .*not beside this bundle.*serverExternalPackages.*transformer-wasm\/inline.*wasmUrl/,
      );
  });

  test('is imported where TextDecoder, FinalizationRegistry, WebAssembly and workers are missing', async () => {
    const source = `
      for (const name of ['TextDecoder', 'FinalizationRegistry', 'WebAssembly', 'Worker', 'SharedArrayBuffer'])
        delete globalThis[name];
      const { createEngine } = require('./index.js');
      ${use('{ threads: 1, wasmUrl: "/nowhere/" }')}`;
    assert.match(await runBundled(source), /^unsupported WebAssembly is switched off here.*--jitless/);
  });

  test('runs with files that it is given', async () => {
    const wasmUrl = JSON.stringify(wasm);
    assert.match(await runBundled(start + use(`{ threads: 2, wasmUrl: ${wasmUrl} }`)), /^\[\[0\.5,0\.5\]\]/);
  });
});

test('node --jitless: an error that says what helps', async () => {
  const script = join(folder, 'jitless.mjs');
  for (const options of ['{}', '{ worker: true }']) {
    await writeFile(
      script,
      `import { createEngine } from ${JSON.stringify(join(dist, 'index.js'))};${use(options)}`,
    );
    const { stdout } = await execute(process.execPath, ['--jitless', '--no-warnings', script]);
    assert.match(stdout, /^unsupported .*run Node\.js without --jitless/);
  }
});

describe('a compiled module', () => {
  const compile = (name) => new WebAssembly.Module(readFileSync(join(wasm, `transformer-${name}.wasm`)));
  const works = async (engine) => {
    assert.deepEqual((await engine.softmax([[5, 5]])).tolist(), [[0.5, 0.5]]);
    await engine.dispose();
  };

  for (const worker of [false, true])
    test(`is used as it is${worker ? ', also in a worker' : ''}`, async () => {
      await works(await createEngine({ wasmModule: compile('simd'), worker }));
    });

  test('with its factory, nothing is loaded and nothing compiled', async () => {
    const { default: wasmFactory } = await import('../../dist/wasm/transformer-simd.mjs');
    const wasmModule = compile('simd');
    const { compile: original, Module } = WebAssembly;
    WebAssembly.compile = () => Promise.reject(new Error('compiled'));
    class Forbidden {
      constructor() {
        throw new WebAssembly.CompileError('disallowed by embedder');
      }
      static [Symbol.hasInstance] = (value) => value === wasmModule;
    }
    WebAssembly.Module = Forbidden;
    try {
      await refuses(createEngine(), 'unsupported', /wasm-unsafe-eval.*wasmModule, wasmFactory/);
      const engine = await createEngine({ wasmModule, wasmFactory, threads: 4 });
      assert.match(engine.info.notes.join(' '), /One thread: wasmFactory is a function/);
      await works(engine);
    } finally {
      Object.assign(WebAssembly, { compile: original, Module });
    }
  });

  test('wrong values are refused', async () => {
    await refuses(
      createEngine({ wasmModule: {} }),
      'invalid_argument',
      /wasmModule must be a WebAssembly\.Module/,
    );
    await refuses(createEngine({ wasmFactory: 1 }), 'invalid_argument', /wasmFactory must be a function/);
    await refuses(
      createEngine({ wasmFactory: () => {}, worker: true }),
      'invalid_argument',
      /leave out worker: true/,
    );
    await refuses(createEngine({ workerUrl: 1 }), 'invalid_argument', /workerUrl must be a string or URL/);
  });
});

test('wasmUrl may be a data: URL', async () => {
  const bytes = readFileSync(join(wasm, 'transformer-simd.wasm')).toString('base64');
  const engine = await createEngine({ wasmUrl: `data:application/wasm;base64,${bytes}` });
  assert.deepEqual((await engine.softmax([[5, 5]])).tolist(), [[0.5, 0.5]]);
  await engine.dispose();
  await refuses(createEngine({ wasmUrl: 'data:text/plain,hello' }), 'missing_file', /is not WebAssembly/);
});

test('Emscripten’s modules depend on no address of their own', () => {
  for (const name of readdirSync(wasm).filter((file) => file.endsWith('.mjs')))
    assert.doesNotMatch(
      readFileSync(join(wasm, name), 'utf8').replaceAll(/\/\/.*/g, ''),
      /import\.meta/,
      name,
    );
});
