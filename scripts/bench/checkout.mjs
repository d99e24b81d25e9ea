// What is measured, and what it is compared with.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, step } from '../lib/console.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/** The commit that is measured, with a mark if files differ from it; `null` outside a repository. */
export function commitOf() {
  const git = (...args) => spawnSync('git', args, { cwd: here, encoding: 'utf8' });
  const { status, stdout } = git('rev-parse', '--short', 'HEAD');
  if (status !== 0) return null;
  return stdout.trim() + (git('status', '--porcelain', '-uno').stdout.trim() ? ', changed' : '');
}

/** Installs the packages of this folder, unless they are there. */
export async function installRivals() {
  const { dependencies } = JSON.parse(readFileSync(join(here, 'package.json')));
  if (Object.keys(dependencies).every((name) => existsSync(join(here, 'node_modules', name)))) return;
  await step('Installing the engines to compare with', () =>
    run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: here }),
  );
}
