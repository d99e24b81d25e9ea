// The readings of the page's first sentences, which the page is built with: made by the page's own code, with the model that
// the page ships, in Node.js.

import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @returns {Promise<string>} the readings and the names of all models of the page, as JSON */
export async function firstReadings() {
  const { loadModel } = await import(pathToFileURL(join(root, 'dist/index.js')));
  const { outputFiles } = await build({
    entryPoints: [join(root, 'web/src/first_readings.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    external: ['transformer-wasm'],
    write: false,
  });
  const file = join(root, 'build/first_readings.mjs');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, outputFiles[0].contents);
  const { makeFirstReadings } = await import(`${pathToFileURL(file)}?${Date.now()}`);
  const model = await loadModel(join(root, 'web/public/models/en-fr'), { dtype: 'int8' });
  try {
    const models = readdirSync(join(root, 'web/public/models'));
    return JSON.stringify({ ...(await makeFirstReadings(model)), models });
  } finally {
    model.dispose();
  }
}
