// Parts of the page's code for Node.js: what they compute is tested without a browser.

import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** @param files of web/src @returns the modules by the names of their files, `compute.ts` of a view by the view's */
export async function bundleForNode(files) {
  const names = files.map((file) =>
    basename(file) === 'compute.ts' ? file.split('/').at(-2) : basename(file, '.ts'),
  );
  const lines = files.map(
    (file, i) => `export * as ${names[i]} from './web/src/${file.replace(/\.ts$/, '.js')}';`,
  );
  const { outputFiles } = await build({
    stdin: { contents: lines.join('\n'), resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['transformer-wasm', 'virtual:*'],
    loader: { '.css': 'empty' },
    write: false,
  });
  const file = join(root, 'build', `page_code_${names.join('_').slice(0, 100)}.mjs`);
  await mkdir(join(root, 'build'), { recursive: true });
  await writeFile(file, outputFiles[0].contents);
  return import(pathToFileURL(file));
}
