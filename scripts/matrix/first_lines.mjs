// README's first lines as they stand there: the bundled model, found by one import, wherever that import is resolved.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serveFolder } from '../../tests/page/static_server.mjs';
import { angular, webpackConfig } from './bundlers.mjs';
import { importMap } from './pages.mjs';
import { readmeResult as found, html, isolation, readmeLines as lines } from './project.mjs';
import { visitFolder } from './visit.mjs';

const inNode = `${lines}\nconsole.log(JSON.stringify({ text, line }));`;
const inPage = `${lines}\nglobalThis.result = { text, line };`;
const resultOf = (output) => JSON.parse(output.trim().split('\n').at(-1));

const row = (title, run, { how = 'nothing', ...others } = {}) => ({
  title: `README’s first lines: ${title}`,
  how,
  run,
  ...others,
  expected: found,
});

const program = (title, packages, command, { files, ...others } = {}) =>
  row(title, async ({ sh }) => resultOf(await sh(command)), {
    packages,
    files: { 'main.mjs': inNode, ...files },
    ...others,
  });

const site = (title, packages, command, { files, ...others } = {}) =>
  row(
    title,
    async (project) => {
      await project.sh(command);
      return visitFolder(join(project.folder, 'dist'), isolation);
    },
    { packages, files: { 'main.js': inPage, ...files }, ...others },
  );

/** Yarn's Plug'n'Play: packages stay in archives, and there are no node_modules. */
async function plugAndPlay({ folder, sh }, { tarball }) {
  const manifest = { name: 'p', type: 'module', dependencies: { 'transformer-wasm': `file:${tarball}` } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const registry = new URL((await sh('npm config get registry')).trim());
  const settings = [
    'nodeLinker: pnp',
    'enableGlobalCache: false',
    `npmRegistryServer: "${registry.href.replace(/\/$/, '')}"`,
    `unsafeHttpWhitelist: ["${registry.hostname}"]`,
  ];
  await writeFile(join(folder, '.yarnrc.yml'), settings.join('\n'));
  await sh('mv node_modules .tools && touch yarn.lock');
  const yarn = 'node .tools/@yarnpkg/cli-dist/bin/yarn.js';
  await sh(`YARN_ENABLE_IMMUTABLE_INSTALLS=0 ${yarn} install`);
  return resultOf(await sh(`${yarn} node main.mjs`));
}

const model = { 'transformer-wasm/en-fr': 'transformer-wasm/dist/en_fr.js' };

/** A page whose import map has the packages' addresses: beside it, or on another origin as on a CDN. */
const mapped = (isForeign) => async (project) => {
  const cdn = await serveFolder(project.folder, '/', { 'Access-Control-Allow-Origin': '*' });
  const base = isForeign ? cdn.url.slice(0, -1) : '';
  try {
    await writeFile(join(project.folder, 'index.html'), html('main.js', importMap(base, model)));
    return await visitFolder(project.folder, isolation);
  } finally {
    await cdn.close();
  }
};

const pageFile = { files: { 'main.js': inPage } };

/** A test whose body the lines are: a runner's own loader resolves the imports. */
const jest = async ({ sh }) => {
  await sh('node --no-warnings --experimental-vm-modules node_modules/jest/bin/jest.js');
  return found;
};

const compiled = {
  ...{ target: 'es2022', module: 'nodenext', strict: true, skipLibCheck: true, types: ['node'] },
};

/** The same in TypeScript, as a CommonJS project has it: no await outside of a function. */
const [imports, body] = lines.split('\n\n');
const inFunction = `${imports}\nasync function main() {\n${body}\nconsole.log(JSON.stringify({ text, line }));\n}\nmain();`;

/** Angular's programs have no await outside of a function either. */
const inAngular = `// @ts-nocheck\n${inFunction.replace('console.log(JSON.stringify({ text, line }))', 'globalThis.result = { text, line }')}`;

export const firstLines = {
  'first-node': program('Node.js', [], 'node main.mjs', { quick: true }),
  'first-bun': program('Bun', ['bun'], 'bun main.mjs'),
  'first-deno': program('Deno', ['deno'], 'deno run --allow-all main.mjs'),
  'first-tsx': program('tsx', ['tsx'], 'tsx main.mts', { files: { 'main.mts': inNode } }),
  'first-ts-node': program('ts-node', ['ts-node', 'typescript@5.9', '@types/node@22'], 'ts-node main.ts', {
    how: "module: 'nodenext'",
    type: 'commonjs',
    files: { 'main.ts': inFunction, 'tsconfig.json': JSON.stringify({ compilerOptions: compiled }) },
  }),
  'first-pnp': row("Yarn's Plug'n'Play", plugAndPlay, {
    packages: ['@yarnpkg/cli-dist'],
    files: { 'main.mjs': inNode },
  }),
  'first-jest': row('Jest', jest, {
    how: 'node --experimental-vm-modules',
    packages: ['jest', 'jest-environment-jsdom'],
    files: {
      'first.test.js': `import { expect, test } from '@jest/globals';\n${lines}
test('translates', () => expect({ text, line }).toEqual(${JSON.stringify(found)}));`,
      'jest.config.js': 'export default { transform: {} };',
    },
  }),
  'first-vite': site('Vite 8', ['vite@8'], 'vite build', {
    files: { 'index.html': html('/main.js') },
  }),
  'first-webpack': site(
    'webpack 5',
    ['webpack@5', 'webpack-cli'],
    'webpack --no-color && cp page.html dist/index.html',
    { files: { 'page.html': html('main.js'), 'webpack.config.js': webpackConfig('webpack') } },
  ),
  'first-esbuild': site(
    'esbuild',
    ['esbuild'],
    'esbuild main.js --bundle --format=esm --outdir=dist --log-level=error && cp page.html dist/index.html && ' +
      'cp -r node_modules/transformer-wasm/dist/models node_modules/transformer-wasm/dist/wasm dist',
    {
      how: 'copies of dist/wasm and dist/models beside the bundle',
      quick: true,
      files: { 'page.html': html('main.js') },
    },
  ),
  'first-esbuild-node': program(
    'a server bundled by esbuild',
    ['esbuild'],
    'esbuild main.mjs --bundle --platform=node --format=esm --outfile=out/main.mjs --log-level=error && node out/main.mjs',
    { quick: true },
  ),
  'first-parcel': site(
    'Parcel',
    ['parcel'],
    'parcel build index.html --no-cache --dist-dir dist --public-url ./',
    {
      how: "import 'transformer-wasm/inline' (one thread), and the models as they are: .parcelrc",
      files: {
        'index.html': html('main.js'),
        'main.js': inPage.replace("'transformer-wasm'", "'transformer-wasm/inline'"),
        'package.json': JSON.stringify({
          ...{ name: 'project', private: true },
          '@parcel/resolver-default': { packageExports: true },
        }),
        '.parcelrc': JSON.stringify({
          extends: '@parcel/config-default',
          transformers: { '**/transformer-wasm/dist/models/**': ['@parcel/transformer-raw'] },
        }),
      },
    },
  ),
  'first-angular': row(
    'Angular',
    async (project) => {
      await project.sh('ng build app');
      return visitFolder(join(project.folder, 'dist/browser'), isolation);
    },
    {
      how: 'copies of dist/wasm and dist/models beside the bundle: in angular.json, assets',
      ...angular(inAngular, ['wasm', 'models']),
    },
  ),
  'first-vue': site('Vue, a model in ref()', ['vue@3', 'vite@8'], 'vite build', {
    files: {
      'index.html': html('/main.js'),
      'main.js': `import { ref } from 'vue';\n${inPage.replace('await loadModel(enFr)', 'ref(await loadModel(enFr)).value')}`,
    },
  }),
  'first-import-map': row('an import map', mapped(false), { ...pageFile, quick: true }),
  'first-cdn': row('a CDN (files of another origin)', mapped(true), { ...pageFile, quick: true }),
};
