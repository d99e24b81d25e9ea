// The 8-bit version of a model that the page ships, made where the checked-in one holds floats.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExpectedError } from './lib/console.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @returns {Promise<string>} the folder of the 8-bit model: the given one, if it is one already */
export async function quantizedModel(folder) {
  const { quantization_config } = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
  if (quantization_config) return folder;
  const out = join(root, 'build/models', `${basename(folder)}-int8`);
  const args = [join(root, 'dist/cli.js'), 'quantize', folder, out, '--force'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new ExpectedError(`the model could not be quantised: ${stderr}`);
  return out;
}
