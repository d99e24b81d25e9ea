// The readings of the page's first sentences, which the page is built with: made by the page's own code, with the model that
// the page ships, in Node.js.

import { readdirSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** `virtual:first-readings`: what the page shows before the model has arrived. @param models names of the page's models */
export const firstReadingsPlugin = (models) => ({
  name: 'first-readings',
  resolveId: (id) => (id === 'virtual:first-readings' ? id : null),
  load: async (id) =>
    id === 'virtual:first-readings' ? `export default ${await firstReadings(models)}` : null,
});

/** What the story loads of a model; nothing of one that is only for who asks for it by its name. */
function bytesOf(name) {
  if (name === 'en-fr-float32') return 0;
  const folder = join(root, 'web/public/models', name);
  const files = readdirSync(folder).filter((file) => file !== 'README.md');
  return files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}

/** @returns {Promise<string>} the readings and the sizes of the page's models, as JSON */
async function firstReadings(models) {
  const { loadModel } = await import(pathToFileURL(join(root, 'dist/index.js')));
  const { outputFiles } = await build({
    entryPoints: [join(root, 'web/src/reading/first_readings.ts')],
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
    return JSON.stringify({
      ...(await makeFirstReadings(model)),
      models: Object.fromEntries(models.map((name) => [name, bytesOf(name)])),
    });
  } finally {
    model.dispose();
  }
}
