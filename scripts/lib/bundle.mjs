// What a site's bundler makes of this package.

import { build } from 'esbuild';

/** One minified file, with the packages it imports; the engine's modules stay files of their own. */
export async function bundle(entry) {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external: ['node:*', '../wasm/*', './wasm/*'],
    write: false,
    logLevel: 'silent',
  });
  return Buffer.from(result.outputFiles[0].contents);
}
