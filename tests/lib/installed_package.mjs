// A folder with the released package in it: the tarball, as npm packs and installs it. Files of tests that run side by side, or one
// after the other, share both, as long as nothing of the package changes: packing and installing take seven seconds of a core.

import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../../scripts/lib/console.mjs';
import { fingerprint } from '../../scripts/lib/fingerprint.mjs';
import { withLock } from '../../scripts/lib/lock.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const store = join(root, 'build/packed');

/** What the tarball is made of. */
const sources = ['dist', 'bindings', 'package.json', 'README.md', 'LICENSE'];
const manifest = JSON.stringify({ name: 'app', private: true, type: 'module' });

async function packInto(folder) {
  await rm(store, { recursive: true, force: true });
  const made = join(store, 'making');
  await mkdir(join(made, 'app'), { recursive: true });
  const packed = await run('npm', ['pack', '--json', '--pack-destination', made], { cwd: root });
  const [{ filename }] = JSON.parse(packed);
  await writeFile(join(made, 'app/package.json'), manifest);
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', join(made, filename)];
  await run('npm', install, { cwd: join(made, 'app') });
  await rename(made, folder);
}

/** Puts a copy of the tarball into a folder, and beside it `app`, a project that has it installed. Returns the path of the tarball. */
export async function packPackage(home) {
  return withLock(join(root, 'build/packed.lock'), async () => {
    const folder = join(store, fingerprint(root, sources));
    const listed = () => readdir(folder).catch(() => []);
    if ((await listed()).length === 0) await packInto(folder);
    const name = (await listed()).find((file) => file.endsWith('.tgz'));
    await cp(join(folder, name), join(home, name));
    await cp(join(folder, 'app'), join(home, 'app'), { recursive: true, verbatimSymlinks: true });
    return join(home, name);
  });
}

/** The tarball is beside the app, not in it. */
export async function installPackage() {
  const home = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  const tarball = await packPackage(home);
  return {
    home,
    app: join(home, 'app'),
    tarball,
    remove: () => rm(home, { recursive: true, force: true }),
  };
}
