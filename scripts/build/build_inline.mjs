// Bundles dist/inline.js, the whole package in one file: the wasm files without threads, compressed, and the worker are
// strings in it. The files `bindings/modules/inline_*.ts` take the place of those that load them by an address.

import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { ExpectedError } from '../lib/console.mjs';
import { packagesIn } from './third_party.mjs';

const options = {
  bundle: true,
  minify: true,
  target: 'es2022',
  platform: 'browser',
  external: ['node:*'],
  // Parcel would replace a plain `process` by a package of its own.
  define: { 'import.meta.url': 'undefined', process: 'globalThis.process' },
  logLevel: 'warning',
  metafile: true,
};

/** Resolves `inline:NAME`, and puts `inline_NAME.js` in place of NAME.js for everyone but itself. */
const inlining = (dist, worker) => ({
  name: 'inline',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/(addresses|glue|fetch_wasm)\.js$/ }, ({ path, importer }) => {
      const own = `inline_${basename(path)}`;
      return basename(importer) === own ? undefined : { path: join(dist, 'modules', own) };
    });
    // 255 kB for those who have compressed sound: there, the browser decodes the whole of it.
    onResolve({ filter: /\/compressed_sound\.js$/ }, ({ path }) => ({ path, namespace: 'without' }));
    onLoad({ filter: /./, namespace: 'without' }, () => ({ contents: 'export const openCompressed = () => undefined;' }));
    onResolve({ filter: /^inline:/ }, ({ path }) => {
      const name = path.slice('inline:'.length);
      return name.endsWith('.mjs') ? { path: join(dist, 'wasm', name) } : { path: name, namespace: 'inline' };
    });
    onLoad({ filter: /\.wasm$/, namespace: 'inline' }, async ({ path }) => {
      const packed = gzipSync(await readFile(join(dist, 'wasm', path)), { level: 9 });
      return { loader: 'text', contents: `data:application/gzip;base64,${packed.toString('base64')}` };
    });
    onLoad({ filter: /^worker\.js$/, namespace: 'inline' }, () => ({ loader: 'text', contents: worker }));
  },
});

/**
 * Returns the names of the npm packages in the bundle.
 * @param dist the folder of the compiled package, whose inline.js is replaced by the bundle
 */
export async function buildInline(dist) {
  const entry = join(dist, 'inline.js');
  const worker = await build({
    ...options,
    format: 'iife',
    entryPoints: [join(dist, 'worker/worker.js')],
    plugins: [inlining(dist, '')],
    write: false,
  });
  const whole = await build({
    ...options,
    format: 'esm',
    entryPoints: [entry],
    plugins: [inlining(dist, worker.outputFiles[0].text)],
    outfile: entry,
    allowOverwrite: true,
  });
  if (/import\.meta|new URL\(["']\.\./.test(await readFile(entry, 'utf8')))
    throw new ExpectedError('dist/inline.js depends on its own address');
  for (const part of ['addresses', 'glue', 'fetch_wasm'])
    for (const kind of ['js', 'js.map', 'd.ts'])
      await rm(join(dist, `modules/inline_${part}.${kind}`));
  await rm(join(dist, 'inline.js.map'));
  return packagesIn([worker, whole].flatMap(({ metafile }) => Object.keys(metafile.inputs)));
}
