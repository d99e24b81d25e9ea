// Bundles the package as a web site's bundler would.

import { basename, dirname, relative } from 'node:path';
import { build } from 'esbuild';

/**
 * What is loaded with `entry`, minified, including the packages that it imports. Left out are the engine's modules and
 * everything behind a dynamic import, which a bundler puts into files of their own.
 */
export async function bundle(entry) {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external: ['node:*', '../wasm/*', './wasm/*'],
    outdir: dirname(entry),
    absWorkingDir: dirname(entry),
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const loaded = new Set([basename(entry)]);
  for (const name of loaded)
    for (const { path, kind } of metafile.outputs[name]?.imports ?? [])
      if (kind === 'import-statement') loaded.add(path);
  const files = outputFiles.filter(({ path }) => loaded.has(relative(dirname(entry), path)));
  return Buffer.concat(files.map(({ contents }) => contents));
}
