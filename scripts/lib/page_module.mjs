// A module of the page for Node.js: bundled in memory, and imported from there.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const web = fileURLToPath(new URL('../../web/src/', import.meta.url));

/** @param path of a TypeScript file in web/src, which needs nothing of a page @returns what it exports */
export async function pageModule(path) {
  const { outputFiles } = await build({
    entryPoints: [join(web, path)],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  const code = Buffer.from(outputFiles[0].contents).toString('base64');
  return import(`data:text/javascript;base64,${code}`);
}
