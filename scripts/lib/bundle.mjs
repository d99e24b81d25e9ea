// Bundles the package as a web site's bundler would.

import { build } from 'esbuild';

/** One minified file, including the packages it imports; the engine's modules remain separate files. */
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
