// The released package: the tarball, installed into an empty folder, used from Node.js and TypeScript, and in a browser
// from a site built with Vite; other environments are in matrix.test.mjs.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build as buildSite } from 'vite';
import { loadModel } from '../../dist/index.js';
import { installPackage } from '../lib/installed_package.mjs';
import { tinyModel } from '../lib/tiny_model.mjs';
import { serveFolder } from '../page/static_server.mjs';
import { openBrowser } from '../page/visitor.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const execute = promisify(execFile);
const text = 'The cat sat on the mat.';

let installed;
let app; // the empty folder that the package is installed into
let tarball;
let expected;

const bin = (name) => join(root, 'node_modules/.bin', name);

before(async () => {
  installed = await installPackage();
  ({ app, tarball } = installed);
  await mkdir(join(app, 'public/model'), { recursive: true });

  // With every file that is requested: a browser reports missing ones.
  const files = tinyModel({ generation: { max_length: 24, eos_token_id: 3 } });
  for (const [name, bytes] of files) await writeFile(join(app, 'public/model', name), bytes);
  const model = await loadModel(files);
  expected = await model.translate(text);
  await model.dispose();
});
after(() => installed?.remove());

describe('the tarball', () => {
  test('contains exactly what is needed', async () => {
    const { stdout } = await execute('tar', ['-tzf', tarball]);
    const files = stdout.trim().split('\n');
    const needed = [
      'LICENSE',
      ...['THIRD_PARTY.txt', 'sbom.cdx.json', 'HASHES', 'CHANGELOG.md', 'llms.txt'].map(
        (name) => `dist/${name}`,
      ),
      'package.json',
      'dist/index.js',
      'dist/index.d.ts',
      'dist/cli.js',
    ];
    for (const file of needed) {
      assert.ok(files.includes(`package/${file}`), file);
    }
    for (const variant of ['simd', 'relaxed', 'simd-threads', 'relaxed-threads', 'train']) {
      assert.ok(files.includes(`package/dist/wasm/transformer-${variant}.wasm`), variant);
    }
    const others = files.filter(
      (file) => !/^package\/(dist\/|bindings\/.*\.ts$|LICENSE$|README\.md$|package\.json$)/.test(file),
    );
    assert.deepEqual(others, []);
    // Declarations of what is inside cannot be imported.
    assert.ok(files.includes('package/dist/model/model.d.ts'));
    assert.ok(!files.includes('package/dist/families/bert.d.ts'));
  });

  test('is at most 6.4 MB', async () => {
    const { size } = await stat(tarball);
    assert.ok(size <= 6_400_000, `${size} bytes`);
  });

  test('maps lead to sources that it contains', async () => {
    const { stdout } = await execute('tar', ['-tzf', tarball]);
    const files = new Set(
      stdout
        .trim()
        .split('\n')
        .map((name) => name.replace(/^package\//, '')),
    );
    const maps = [...files].filter((name) => name.endsWith('.map'));
    assert.ok(maps.length > 100);
    for (const map of maps) {
      const { sources } = JSON.parse(await readFile(join(app, 'node_modules/transformer-wasm', map), 'utf8'));
      for (const source of sources) assert.ok(files.has(join(dirname(map), source)), `${map}: ${source}`);
    }
  });

  test('publint and attw report nothing', async () => {
    const { stdout } = await execute(bin('publint'), ['--strict', tarball], { cwd: root });
    assert.match(stdout, /All good/);
    await execute(bin('attw'), [tarball], { cwd: root });
  });
});

describe('in Node', () => {
  test('a script translates and exits by itself', async () => {
    const script = `
      import { loadModel } from 'transformer-wasm';
      const model = await loadModel('public/model');
      const { text } = await model.translate(${JSON.stringify(text)});
      console.log(text);
      model.dispose();`;
    await writeFile(join(app, 'translate.mjs'), script);
    const { stdout, stderr } = await execute(process.execPath, ['translate.mjs'], {
      cwd: app,
      timeout: 20_000,
    });
    assert.equal(stdout, `${expected.text}\n`);
    assert.equal(stderr, '');
  });

  test("the README's first lines, as they stand there", async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8');
    const [, lines] = /```js\n(.*?)```/s.exec(readme);
    await writeFile(join(app, 'readme.mjs'), lines);
    const { stdout, stderr } = await execute(process.execPath, ['readme.mjs'], { cwd: app, timeout: 20_000 });
    assert.deepEqual(stdout.split('\n'), [
      "Le chat s'est assis sur le tapis.",
      ...["J'", "J'ai", "J'ai faim", "J'ai faim.", ''],
    ]);
    assert.equal(stderr, '');
  });

  test('the command that npm installed', async () => {
    const command = join(app, 'node_modules/.bin/transformer-wasm');
    const { stdout } = await execute(command, ['translate', text, '--model', 'public/model'], { cwd: app });
    assert.equal(stdout, `${expected.text}\n`);
  });

  test('the included model', async () => {
    const command = join(app, 'node_modules/.bin/transformer-wasm');
    const { stdout, stderr } = await execute(command, ['translate', 'I am hungry.'], { cwd: app });
    assert.equal(stdout, "J'ai faim.\n");
    assert.equal(stderr, '');
  });

  test('TypeScript accepts it: with the types of Node.js only, and with those of a browser only', async () => {
    const source = `
      import { createEngine, type GenerationOptions, loadModel, Tensor, TransformerError } from 'transformer-wasm';
      const options: GenerationOptions = { numBeams: 2, earlyStopping: 'never' };
      const engine = await createEngine({ threads: 1 });
      const model = await loadModel(new Map([['config.json', new Uint8Array()]]), { engine });
      const one: string = (await model.translate('text', options)).text;
      const many: string[] = (await model.translate(['text'])).map(({ text }) => text);
      const scores: number[] | undefined = (await model.generate([1, 2])).sequences[0]?.tokenScores;
      for await (const { token } of model.stream('text')) console.log(token, one, many, scores);
      const logits: Tensor | undefined = (await model.forward({ inputIds: [[1]] })).logits;
      console.log(logits?.tolist(), new TransformerError('internal', '').code);`;
    await writeFile(join(app, 'app.ts'), source);
    await writeFile(
      join(app, 'page.ts'),
      `${source}
      await loadModel(await navigator.storage.getDirectory(), { engine });`,
    );
    const strict = ['--noEmit', '--strict', '--target', 'ES2022'];
    const inNode = [
      '--module',
      'NodeNext',
      '--typeRoots',
      join(root, 'node_modules/@types'),
      '--types',
      'node',
    ];
    const inPage = ['--module', 'ESNext', '--moduleResolution', 'bundler', '--types', ''];
    for (const args of [
      [...inNode, '--lib', 'ES2022', 'app.ts'],
      [...inPage, '--lib', 'ES2022,DOM', 'page.ts'],
    ]) {
      const compiled = execute(bin('tsc'), [...strict, ...args], { cwd: app });
      await compiled.catch(({ stdout }) => assert.fail(stdout));
    }
  });
});

const page = (script) =>
  `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`;

/** Translates and shows the result on the page. */
const pageScript = (options) => `
  import { createEngine, loadModel } from 'transformer-wasm';
  const show = (value) => { globalThis.result = value; };
  try {
    const engine = await createEngine(${options});
    const model = await loadModel('model', { engine });
    const { text } = await model.translate(${JSON.stringify(text)});
    const { threads, worker, variant, notes } = engine.info;
    show({ text, threads, worker, variant, notes });
    await model.dispose();
    await engine.dispose();
  } catch (error) {
    show({ error: String(error) });
  }`;

describe('in a browser', () => {
  let browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  const isolation = {
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
  };

  /** Opens the site and waits for its result. */
  async function visit(folder, headers) {
    const server = await serveFolder(folder, '/site/', headers);
    const tab = await browser.newPage();
    const complaints = [];
    tab.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    tab.on('pageerror', (error) => complaints.push(String(error)));
    try {
      await tab.goto(server.url);
      await tab.waitForFunction(() => globalThis.result !== undefined, null, { timeout: 20_000 });
      return { result: await tab.evaluate(() => globalThis.result), complaints };
    } finally {
      await tab.close();
      await server.close();
    }
  }

  test('a site built by Vite with default settings: one thread, and several with cross-origin isolation', async () => {
    await writeFile(join(app, 'index.html'), page('/main.js'));
    await writeFile(join(app, 'main.js'), pageScript('{ threads: "auto" }'));
    const site = join(app, 'dist');
    const warnings = [];
    const customLogger = {
      ...{ info() {}, clearScreen() {}, hasErrorLogged: () => false, hasWarned: false },
      ...{ warn: (message) => warnings.push(message), warnOnce: (message) => warnings.push(message) },
      error: (message) => warnings.push(message),
    };
    // A slow machine would be warned about the time that plugins take, which says nothing about the package.
    const rolldownOptions = { checks: { bundlerTimings: false } };
    const build = { rolldownOptions };
    await buildSite({ root: app, base: './', configFile: false, logLevel: 'warn', customLogger, build });
    assert.deepEqual(warnings, []);
    const assets = await readdir(join(site, 'assets'));
    assert.equal(assets.filter((name) => name.endsWith('.wasm')).length, 5);

    const alone = await visit(site);
    assert.deepEqual(alone.complaints, []);
    assert.equal(alone.result.text, expected.text, JSON.stringify(alone.result));
    assert.equal(alone.result.worker, true);
    assert.equal(alone.result.threads, 1);
    assert.match(alone.result.notes.join(' '), /isolated/);

    const isolated = await visit(site, isolation);
    assert.deepEqual(isolated.complaints, []);
    assert.equal(isolated.result.text, expected.text, JSON.stringify(isolated.result));
    assert.match(isolated.result.variant, /threads/);
    assert.ok(isolated.result.threads > 1);
  });
});

test('the version in package.json is the one that the package reports', async () => {
  const { version } = JSON.parse(
    await readFile(join(app, 'node_modules/transformer-wasm/package.json'), 'utf8'),
  );
  const { stdout } = await execute(join(app, 'node_modules/.bin/transformer-wasm'), ['--version']);
  assert.equal(stdout, `${version}\n`);
});
