// Makes the npm package, in dist, from bindings/ and the engine as it was last built.

import { readFileSync } from 'node:fs';
import { chmod, cp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../lib/console.mjs';
import { filesBelow } from '../lib/fingerprint.mjs';
import { llmsTexts } from '../lib/llms_text.mjs';
import { withLock } from '../lib/lock.mjs';
import { isNotInPackage } from '../lib/page_models.mjs';
import { hashesOf, nameWasm } from './hashes.mjs';
import { filesOf, modules, variants } from './modules.mjs';
import { keepPublicTypes } from './public_types.mjs';
import { addNotices } from './third_party.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

// The sources of dist, besides the engine. From package-lock.json on, the tools that make it.
export const packageSources = [
  'bindings',
  'tsconfig.json',
  'web/public/models',
  // The changelog, and the list of guides, llms.txt.
  '.github/CHANGELOG.md',
  'web/docs',
  'scripts/docs/start.md',
  'scripts/docs/typedoc.json',
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/build',
  'scripts/notices',
];

const asOneFile = ['--bundle', '--format=esm', '--target=es2022', '--log-level=warning'];

const moduleTypes = `/** Emscripten's module: given to createEngine as \`wasmFactory\`, it is not loaded by its address. */
export default function createTransformerModule(settings?: object): Promise<object>;
`;

/** Files that others' packages are bundled into: what only few need, and is not to be installed by everyone. */
export const bundledParts = [
  'markup/html_tokens',
  'documents/markdown_tree',
  'documents/icu_parser',
  'documents/json_parser',
  'documents/yaml_parser',
  'translator/eld_scores',
  'signal/demuxers',
];

/** Those which only pages use, so that what their packages have for pages is taken. */
const partsOfPages = new Set(['signal/demuxers']);

/** Returns the names of the npm packages that are now part of these files. */
async function bundleParts(made) {
  const { build: bundle } = await import('esbuild');
  const { packagesIn } = await import('./third_party.mjs');
  const own = new Set(['./elements.js']);
  const inputs = [];
  for (const part of bundledParts) {
    const file = join(made, `${part}.js`);
    const { metafile } = await bundle({
      entryPoints: [file],
      outfile: file,
      allowOverwrite: true,
      bundle: true,
      minify: true,
      format: 'esm',
      // Else neither for pages nor for Node.js alone: what a package has for pages may need a document.
      platform: partsOfPages.has(part) ? 'browser' : 'neutral',
      mainFields: ['module', 'main'],
      target: 'es2022',
      external: [...own],
      metafile: true,
      logLevel: 'warning',
    });
    inputs.push(...Object.keys(metafile.inputs));
    await rm(`${file}.map`);
    // Its types name those of the package, and nothing public does.
    await rm(join(made, `${part}.d.ts`));
  }
  return packagesIn(inputs);
}

/** What others import, or start. The one file of `inline.js` is joined by a script of its own. */
export const entries = ['index', 'pipeline', 'documents', 'tools', 'translator', 'train', 'en_fr', 'digits', 'vite', 'cli'].map(
  (name) => `${name}.js`,
);

const typesOf = (entry) => entry.replace(/js$/, 'd.ts');

/** Compiles the modules, each in a file of its own, which is what tests of the inside import. */
async function compileModules({ engine, made, dist, verbose }) {
  const tool = (name, args) => run(join(root, 'node_modules/.bin', name), args, { cwd: root, verbose });
  await rm(made, { recursive: true, force: true });
  // The sources lead from the scripts' maps; those of declarations would take another 43 kB of the tarball.
  await tool('tsc', ['-p', 'tsconfig.json', '--declarationMap', 'false', '--outDir', made]);
  // `made` is one folder deeper than dist, where the maps are to lead to the sources, which the package contains.
  for (const map of filesBelow(root, [relative(root, made)]).filter((name) => name.endsWith('.map')))
    await writeFile(
      join(root, map),
      readFileSync(join(root, map), 'utf8').replace('"sources":["../', '"sources":["'),
    );
  // Not while the engine is being linked, which would copy half a file.
  await withLock(join(root, `build/${engine}.lock`), async () => {
    for (const name of filesOf(modules))
      await cp(join(root, 'build', engine, name), join(made, 'wasm', name));
  });
  for (const name of variants) nameWasm(join(made, 'wasm', `transformer-${name}.mjs`));
  // Emscripten removes spaces but keeps names. Without them, the compressed download is 5 kB smaller.
  const glue = filesOf(modules).filter((name) => name.endsWith('.mjs'));
  if (dist === 'dist') {
    const files = glue.map((name) => join(made, 'wasm', name));
    await tool('esbuild', [
      ...files,
      '--minify',
      '--target=es2022',
      '--out-extension:.js=.mjs',
      `--outdir=${join(made, 'wasm')}`,
      '--allow-overwrite',
      '--log-level=warning',
    ]);
  }
  for (const name of variants) await writeFile(join(made, 'wasm', `transformer-${name}.d.mts`), moduleTypes);
  // One file, because import maps do not apply inside a worker: without a bundler it could not import packages. It is beside
  // the engine, so that one folder has everything that is loaded by its address.
  const worker = join(made, 'worker/worker.js');
  await tool('esbuild', [worker, ...asOneFile, `--outfile=${join(made, 'wasm/worker.js')}`]);
  const bundled = await bundleParts(made);
  const { buildInline } = await import('./build_inline.mjs'); // needs npm packages, which are now installed
  await addNotices(made, [...new Set([...(await buildInline(made)), ...bundled])].sort());
  for (const kind of ['js', 'js.map', 'd.ts']) await rm(join(made, `worker/worker.${kind}`));
}

/** Built beside dist and moved at the end: files without a source disappear, and a failure keeps the previous dist. */
export async function makePackage({ engine, made, dist, verbose }) {
  await compileModules({ engine, made, dist, verbose });
  const out = join(root, 'build', dist);
  await rm(out, { recursive: true, force: true });
  const { joinModules } = await import('./join_modules.mjs');
  // The maps hold for dist: its sources are as far from it as these would be from `out`.
  await joinModules({ modules: made, entries, sources: join(root, 'build/bindings'), out });
  const joined = (path) => /\.js(\.map)?$/.test(path) && !/wasm[\\/]|inline\.js$/.test(relative(made, path));
  await cp(made, out, { recursive: true, filter: (path) => !joined(path) });
  // npm does this when it installs a package, but `npx transformer-wasm` inside this repository runs the file directly.
  await chmod(join(out, 'cli.js'), 0o755);
  // The models of the page, except for those that only it compares: the recurrent ones (8 MB) and en-fr as training left it
  // (7 MB). The command line translates with en-fr.
  const isShipped = (path) => !relative(root, path).split(sep).some(isNotInPackage);
  await cp(join(root, 'web/public/models'), join(out, 'models'), { recursive: true, filter: isShipped });
  await keepPublicTypes(out, [...entries.filter((name) => name !== 'cli.js'), 'inline.js'].map(typesOf));
  await cp(join(root, '.github/CHANGELOG.md'), join(out, 'CHANGELOG.md'));
  const guides = 'https://github.com/transformer-wasm/transformer-wasm/blob/main/web/docs';
  const { 'llms.txt': index } = llmsTexts(root, ({ file }) => `${guides}/${file}`);
  await writeFile(join(out, 'llms.txt'), index.slice(0, index.indexOf('\n## Optional')));
  await writeFile(join(out, 'HASHES'), hashesOf(out));
  await rm(join(root, dist), { recursive: true, force: true });
  await rename(out, join(root, dist));
}
