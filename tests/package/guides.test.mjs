// Every block of code in README and the guides: it compiles under strict TypeScript, the newest and 5.9, and runs, with the
// released package installed beside it. Tiny models answer where a block names a model of a hub.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { ambient, compilerOptions, guideBlocks, others } from '../lib/guide_blocks.mjs';
import { installPackage } from '../lib/installed_package.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const execute = promisify(execFile);
const blocks = guideBlocks();

/** Blocks that another host runs, each in a row of the matrix; or, with a model that chats, a test of their own. */
const elsewhere = {
  'bundlers-1': /wasmUrl: '\/wasm\/'/, // esbuild-copy
  'bundlers-2': /new URL\('\.\/model\/config\.json', import\.meta\.url\)/, // a bundler's page
  'bundlers-6': /transformer-simd\.wasm/, // workerd
  'bundlers-8': /serviceWorker\.register/, // service-worker
  'speech-3': /model\.captions\(stream/, // the example `microphone`
  'structured-1': /constrain: \{ jsonSchema: schema \}/, // constrained.test.mjs
  'structured-2': /chatWithTools\(model, messages/, // tools.test.mjs
  'tasks-6': /model\.session\(\{ system/, // sessions.test.mjs
  'pages-1': /https:\/\/cdn/, // cdn-inline
};
/** What a block ends with, if not in peace. */
const ends = { 'hub-4': /not the file that integrity names/ };

let installed;
let home;
before(async () => {
  installed = await installPackage();
  home = installed.app;
  await cp(join(root, 'node_modules/@types/node'), join(home, 'node_modules/@types/node'), {
    recursive: true,
  });
  await cp(join(root, 'node_modules/undici-types'), join(home, 'node_modules/undici-types'), {
    recursive: true,
  });
  await mkdir(join(home, 'models'));
  await cp(join(root, 'web/public/models'), join(home, 'models'), { recursive: true });
  for (const { name, code } of blocks) await writeFile(join(home, `${name}.ts`), code);
  await cp(join(root, 'tests/types/narrowed.ts'), join(home, 'narrowed.ts'));
  await writeFile(join(home, 'ambient.d.ts'), ambient);
  await writeFile(join(home, 'others.d.ts'), others);
});
after(() => installed?.remove());

test('there are blocks, and those that run elsewhere are what they were', () => {
  assert.ok(blocks.length > 30, `${blocks.length}`);
  for (const [name, content] of Object.entries(elsewhere))
    assert.match(blocks.find((block) => block.name === name).code, content);
});

// The older compiler is installed in a folder of its own: in one, both would be node_modules/.bin/tsc.
for (const [version, folder] of [
  [7, root],
  [5.9, join(root, 'tests/types')],
])
  test(`all compile under strict TypeScript ${version}`, async () => {
    const tsc = join(folder, 'node_modules/.bin/tsc');
    assert.ok((await execute(tsc, ['--version'])).stdout.startsWith(`Version ${version}.`));
    const files = [...blocks.map(({ name }) => `${name}.ts`), 'ambient.d.ts', 'others.d.ts', 'narrowed.ts'];
    await writeFile(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const { stdout } = await execute(tsc, ['-p', home]).catch((error) => error);
    assert.equal(stdout, '');
  });

for (const { name, code } of blocks) {
  if (name in elsewhere) continue;
  test(`${name} runs`, async () => {
    const script = await transform(code, { loader: 'ts', format: 'esm', target: 'esnext' });
    await writeFile(join(home, `${name}.mjs`), script.code);
    const surroundings = join(root, 'tests/lib/guide_surroundings.mjs');
    const env = { ...process.env, XDG_CACHE_HOME: join(home, 'cache'), BLOCK: name };
    const run = execute(process.execPath, ['--import', surroundings, join(home, `${name}.mjs`)], {
      cwd: home,
      env,
      timeout: 60_000,
    });
    if (name in ends) await assert.rejects(run, ({ stderr }) => ends[name].test(stderr));
    else await run;
  });
}
