// Outside of browsers: versions of Node.js, Deno, Bun, Cloudflare's workerd, test runners and compilers.

import { join } from 'node:path';
import { program } from './project.mjs';

/** The last line that a program prints, which is JSON. */
const resultOf = (output) => JSON.parse(output.trim().split('\n').at(-1));

const node = (version) => ({
  title: `Node.js ${version}`,
  how: 'nothing',
  packages: [`node@${version}`],
  files: {
    'main.mjs': program(),
    'worker.mjs': program('{ threads: 2, worker: true }'),
    'main.cjs': `
const { createEngine } = require('transformer-wasm');
createEngine().then((engine) => { console.log('required'); return engine.dispose(); });`,
  },
  run: async ({ sh }) => {
    if (!/required/.test(await sh('node main.cjs'))) throw new Error('require failed');
    return [resultOf(await sh('node main.mjs')), resultOf(await sh('node worker.mjs'))];
  },
  expected: { threads: 2 },
});

const typescript = (version) => ({
  title: `TypeScript ${version} without skipLibCheck`,
  how: 'nothing',
  packages: [`typescript@${version}`, '@types/node@20'],
  files: {
    'main.ts': `
import { createEngine, type EngineOptions, loadModel, Tensor } from 'transformer-wasm';
import { loadModel as inline } from 'transformer-wasm/inline';
import transformerWasm from 'transformer-wasm/vite';
import wasmFactory from 'transformer-wasm/wasm/transformer-simd.mjs';
const options: EngineOptions = { threads: 2, wasmFactory };
const engine = await createEngine(options);
const model = await loadModel('folder', { engine });
const text: string = (await model.translate('text')).text;
console.log(text, inline, transformerWasm().name, Tensor.from([1]).shape);`,
    'node.json': JSON.stringify({
      compilerOptions: {
        ...{ strict: true, noEmit: true, skipLibCheck: false, exactOptionalPropertyTypes: true },
        ...{ target: 'ES2022', module: 'NodeNext', lib: ['ES2022'], types: ['node'] },
      },
      files: ['main.ts'],
    }),
    'page.json': JSON.stringify({
      compilerOptions: {
        ...{ strict: true, noEmit: true, skipLibCheck: false },
        ...{
          target: 'ES2022',
          module: 'ESNext',
          moduleResolution: 'bundler',
          lib: ['ES2022', 'DOM'],
          types: [],
        },
      },
      files: ['main.ts'],
    }),
  },
  run: async ({ sh }, { text }) => {
    await sh('tsc -p node.json');
    await sh('tsc -p page.json');
    return { text };
  },
  expected: {},
});

/** A test of a test runner: it passes if the runner does. */
const tested =
  (command) =>
  async ({ sh }, { text }) => {
    await sh(command);
    return { text };
  };

const testFile = (imports) => `${imports}
import { createEngine } from 'transformer-wasm';
test('an engine', async () => {
  const engine = await createEngine({ threads: 1 });
  expect((await engine.softmax([[5, 5]])).tolist()).toEqual([[0.5, 0.5]]);
  await engine.dispose();
});`;

export const runtimes = {
  node20: node(20),
  node22: node(22),
  node24: node(24),
  deno: {
    title: 'Deno',
    how: 'nothing',
    packages: ['deno'],
    files: { 'main.mjs': program('{ threads: 1 }') },
    run: async ({ sh }) => resultOf(await sh('deno run --allow-all main.mjs')),
    expected: { threads: 1 },
  },
  bun: {
    title: 'Bun',
    how: 'nothing',
    packages: ['bun'],
    files: { 'main.mjs': program('{ threads: 1 }') },
    run: async ({ sh }) => resultOf(await sh('bun main.mjs')),
    expected: { threads: 1 },
  },
  workerd: {
    title: 'Cloudflare Workers (workerd)',
    how: 'import the .wasm and the .mjs file, pass them as wasmModule and wasmFactory (one thread)',
    packages: ['miniflare', 'esbuild'],
    files: {
      'worker.js': `
import wasmModule from 'transformer-wasm/wasm/transformer-simd.wasm';
import wasmFactory from 'transformer-wasm/wasm/transformer-simd.mjs';
import { createEngine } from 'transformer-wasm';
export default {
  async fetch() {
    try {
      const engine = await createEngine({ wasmModule, wasmFactory });
      const row = (await engine.softmax([[5, 5]])).tolist();
      return Response.json({ row, threads: engine.info.threads, notes: engine.info.notes });
    } catch (error) {
      return Response.json({ error: error.code + ': ' + error.message + error.stack });
    }
  },
};`,
      'main.mjs': `
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
await build({
  entryPoints: ['worker.js'], bundle: true, format: 'esm', outfile: 'out/worker.js', external: ['node:*'],
  loader: { '.wasm': 'copy' }, assetNames: '[name]', logLevel: 'error',
});
for (const flags of [[], ['nodejs_compat']]) {
  const worker = new Miniflare({
    modulesRoot: 'out',
    modules: [{ type: 'ESModule', path: 'out/worker.js' }, { type: 'CompiledWasm', path: 'out/transformer-simd.wasm' }],
    compatibilityDate: '2025-05-01', compatibilityFlags: flags,
  });
  console.log(await (await worker.dispatchFetch('http://localhost/')).text());
  await worker.dispose();
}`,
    },
    run: async ({ sh }, { text }) => {
      const results = (await sh('node main.mjs'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      return results.map((result) => ({ text: result.row?.[0]?.[0] === 0.5 ? text : undefined, ...result }));
    },
    expected: { threads: 1, note: /wasmFactory is a function/ },
  },
  jest: {
    title: 'Jest, with Node.js and with jsdom',
    how: 'node --experimental-vm-modules; for jsdom, three names of Node.js in setupFiles',
    packages: ['jest', 'jest-environment-jsdom'],
    files: {
      'node.test.js': testFile("import { expect, test } from '@jest/globals';"),
      // What jsdom lacks, setup.js takes from Node.js.
      'page.test.js': `/** @jest-environment jsdom */
import { expect, test } from '@jest/globals';
import { createEngine, loadModel, Tensor } from 'transformer-wasm';
test('computes and translates', async () => {
  expect(Tensor.from([1, 2]).shape).toEqual([2]);
  const engine = await createEngine({ threads: 1 });
  expect((await engine.softmax([[5, 5]])).tolist()).toEqual([[0.5, 0.5]]);
  const model = await loadModel('public/model', { engine });
  expect(typeof (await model.translate('The cat sat on the mat.')).text).toBe('string');
  await engine.dispose();
});`,
      'setup.js': `import { TextDecoder, TextEncoder } from 'node:util';
import { MessageChannel } from 'node:worker_threads';
Object.assign(globalThis, { TextDecoder, TextEncoder, MessageChannel });`,
      'jest.config.js': "export default { transform: {}, setupFiles: ['./setup.js'] };",
    },
    run: tested('node --no-warnings --experimental-vm-modules node_modules/jest/bin/jest.js'),
    expected: {},
  },
  vitest: {
    title: 'Vitest',
    how: 'nothing',
    packages: ['vitest@3'],
    files: { 'engine.test.js': testFile("import { expect, test } from 'vitest';") },
    run: tested('vitest run'),
    expected: {},
  },
  'typescript-5.9': typescript('5.9'),
  'typescript-7': typescript('7'),
  esbuild_cjs: {
    title: 'A server bundled as CommonJS',
    how: 'nothing where the package is installed; else wasmUrl, or transformer-wasm/inline',
    packages: ['esbuild'],
    files: {
      'main.mjs': `const main = async () => {${program().replace(/import \{.*?\} from .*?;/, '')}};\nmain();`,
    },
    run: async ({ folder, sh }) => {
      const source = (from) => `import { createEngine, loadModel } from '${from}';`;
      const results = [];
      for (const from of ['transformer-wasm', 'transformer-wasm/inline']) {
        await sh(`(echo "${source(from)}"; cat main.mjs) > entry.mjs`);
        await sh(
          'esbuild entry.mjs --bundle --platform=node --format=cjs --outfile=out/main.cjs --log-level=error',
        );
        results.push(resultOf(await sh(`node ${join(folder, 'out/main.cjs')}`)));
      }
      return results.map(({ text }) => ({ text }));
    },
    expected: {},
  },
};
