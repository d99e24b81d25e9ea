// Whether a build has the same bytes again:
//   npm run reproduce -- FILE.tgz    this checkout, built anew, against a tarball
//   npm run reproduce -- 1.2.3       against the one that npm has of a version: check out its tag first
//   npm run reproduce -- --twice     two copies of this checkout in folders of different names, with one job and with several
// Prints the files that differ; the exit code is 1 then. The toolchain is that of scripts/setup.mjs, whose versions are fixed:
// what another one builds may differ.

import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { differences, hashesOf } from './build/hashes.mjs';
import { ExpectedError, run, runMain, say, step } from './lib/console.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The commit of this checkout, built from nothing in a folder. Returns the hashes of its dist. */
async function buildIn(folder, jobs) {
  await run('git', ['clone', '--quiet', '--no-hardlinks', root, folder]);
  // Nothing that was compiled elsewhere.
  const env = {
    CCACHE_SLOPPINESS_NOTE: '1',
    CMAKE_BUILD_PARALLEL_LEVEL: `${jobs}`,
    TRANSFORMER_QUICK: process.env.TRANSFORMER_QUICK ?? '',
  };
  await step(`Building in ${folder}, jobs: ${jobs}`, () =>
    run(process.execPath, [join(folder, 'scripts/build.mjs')], { cwd: folder, env }),
  );
  return hashesOf(join(folder, 'dist'));
}

/** The hashes of a tarball's dist, given as a file or as a version. */
async function published(source, folder) {
  const isFile = source.endsWith('.tgz');
  if (!isFile) await run('npm', ['pack', `transformer-wasm@${source}`, '--pack-destination', folder]);
  const tarball = isFile ? source : join(folder, `transformer-wasm-${source}.tgz`);
  const unpacked = join(folder, 'unpacked');
  await mkdir(unpacked);
  await run('tar', ['-xzf', tarball, '-C', unpacked]);
  const dist = join(unpacked, 'package/dist');
  const hashes = hashesOf(dist);
  if (readFileSync(join(dist, 'HASHES'), 'utf8') !== hashes)
    throw new ExpectedError(`${tarball} does not contain what its HASHES list.`);
  return hashes;
}

async function main() {
  const [source] = process.argv.slice(2);
  if (source === undefined) throw new ExpectedError('Give a tarball, a version, or --twice.');
  const home = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  try {
    const other = source === '--twice' ? await buildIn(join(home, 'one'), 1) : await published(source, home);
    const built = await buildIn(join(home, 'the other one, of a longer name'.replaceAll(/\W+/g, '_')), 3);
    const found = differences(other, built);
    if (found.length > 0) throw new ExpectedError(`Other bytes in:\n${found.join('\n')}`);
    say(`${built.split('\n').length - 1} files have the same bytes.`);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(main);
