// A folder with the released package in it: the tarball, as npm packs and installs it.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const execute = promisify(execFile);

/** The tarball is beside the app, not in it. */
export async function installPackage() {
  const home = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  const app = join(home, 'app');
  const { stdout } = await execute('npm', ['pack', '--json', '--pack-destination', home], { cwd: root });
  const [{ filename }] = JSON.parse(stdout);
  const tarball = join(home, filename);
  await mkdir(app);
  await writeFile(join(app, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }));
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball];
  await execute('npm', install, { cwd: app });
  return { home, app, tarball, remove: () => rm(home, { recursive: true, force: true }) };
}
