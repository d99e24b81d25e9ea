// Installs npm packages as pinned in package-lock.json.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { run, step } from '../lib/console.mjs';
import { withLock } from '../lib/lock.mjs';

/** For one process at a time: a build in the background needs the packages too. */
export async function ensureNpmPackages(root) {
  // npm writes this file last, so an interrupted `npm ci` runs again.
  const installed = join(root, 'node_modules/.package-lock.json');
  const wanted = join(root, 'package-lock.json');
  const isCurrent = () => existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs;
  if (isCurrent()) return;
  await withLock(join(root, 'node_modules.lock'), async () => {
    if (isCurrent()) return;
    await step('Installing npm packages', () => run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root }));
  });
}
