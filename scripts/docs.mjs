// Writes the API documentation from the guides in web/docs and the comments in bindings: node scripts/docs.mjs (npm run docs)
// Static HTML in build/api, with llms.txt, written again only when something changed; a broken link or an undocumented type is an error. The
// built page serves it under /api/.

import { existsSync, readFileSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, runMain, say, step } from './lib/console.mjs';
import { filesBelow, fingerprint } from './lib/fingerprint.mjs';
import { llmsTexts } from './lib/llms_text.mjs';
import { withLock } from './lib/lock.mjs';
import { ensureNpmPackages } from './setup.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// TypeDoc needs an older TypeScript than the package does, so it has npm packages of its own.
const tool = join(root, 'scripts/docs');

/** The page's. */
const font = 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2';

/** TypeDoc's pages with what readers of screens go by: where the text is, and headings without a gap between their levels. */
const withLandmarks = (html) =>
  html
    .replace('<div class="col-content">', '<div class="col-content" role="main">')
    .replace(
      '<div class="col-sidebar">',
      '<div class="col-sidebar" role="complementary" aria-label="Contents">',
    )
    .replaceAll(/<h3>(Settings|On This Page)<\/h3>/g, '<h2>$1</h2>')
    .replaceAll(
      /<h5 class="tsd-index-heading([^"]*)">([^<]*)<\/h5>/g,
      '<h2 class="tsd-index-heading$1">$2</h2>',
    )
    .replaceAll(/(<section class="tsd-panel[^"]*">\s*)<h4>([^<]*)<\/h4>/g, '$1<h2 class="small">$2</h2>');

/** The page has the documentation in its folder `api`: `@page/` in the footer is the way there. */
async function linkToPage(folder) {
  for (const name of filesBelow(folder, ['.']).filter((file) => file.endsWith('.html'))) {
    const depth = relative(folder, join(folder, name)).split(sep).length;
    const html = await readFile(join(folder, name), 'utf8');
    await writeFile(join(folder, name), withLandmarks(html.replaceAll('@page/', '../'.repeat(depth))));
  }
}

/** Brings build/api up to date with its sources. */
export async function makeDocs({ verbose = false } = {}) {
  await ensureNpmPackages(root); // the package's types refer to theirs
  await ensureNpmPackages(tool);
  const own = [
    'start.md',
    'site.css',
    'search.mjs',
    'site.js',
    'keywords.json',
    'typedoc.json',
    'package-lock.json',
  ].map((name) => `docs/${name}`);
  const texts = ['docs.mjs', 'lib/llms_text.mjs', ...own].map((name) => `scripts/${name}`);
  const sources = filesBelow(root, ['bindings', 'web/docs']).filter((name) => /\.(ts|md)$/.test(name));
  await withLock(join(root, 'build/api.lock'), async () => {
    const stampFile = join(root, 'build/api.stamp');
    const stamp = () =>
      `${fingerprint(root, [...sources, ...texts, 'tsconfig.json', 'package.json'])} ${fingerprint(root, ['build/api'])}`;
    if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp()) return;
    await step('Writing the API documentation', () =>
      run(join(tool, 'node_modules/.bin/typedoc'), ['--options', join(tool, 'typedoc.json')], {
        cwd: root,
        verbose,
        env: { NO_COLOR: '1' },
      }),
    );
    await linkToPage(join(root, 'build/api'));
    await copyFile(join(root, font), join(root, 'build/api/assets/inter.woff2'));
    for (const [name, text] of Object.entries(llmsTexts(root)))
      await writeFile(join(root, 'build/api', name), text);
    await writeFile(stampFile, stamp());
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await runMain(async () => {
    await makeDocs({ verbose: process.argv.includes('--verbose') });
    say('API documentation: build/api/index.html');
  });
