// What the workflows on GitHub may do, and whose code they run.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, '.github/workflows');
const files = readdirSync(folder);
const read = (name) => readFileSync(join(folder, name), 'utf8');

/** The text of each job, by its name. */
function jobsOf(text) {
  const parts = text.slice(text.indexOf('\njobs:\n')).split(/^ {2}(\w+):\n/m);
  return Object.fromEntries(parts.flatMap((part, i) => (i % 2 === 1 ? [[part, parts[i + 1]]] : [])));
}

describe('the workflows', () => {
  test('pin every action by the digest of a commit, with its version beside it', () => {
    const uses = files.flatMap((name) => read(name).match(/uses:.*$/gm) ?? []);
    assert.ok(uses.length >= 7);
    for (const use of uses) assert.match(use, /^uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test('give a token to publish only to the jobs that publish, which run nothing of ours', () => {
    const publishing = ['release.yml publish', 'pages.yml publish'];
    for (const name of files)
      for (const [job, text] of Object.entries(jobsOf(read(name))))
        assert.equal(
          text.includes('id-token: write'),
          publishing.includes(`${name} ${job}`),
          `${name} ${job}`,
        );
    for (const name of ['release.yml', 'pages.yml']) {
      assert.match(read(name), /^permissions: \{\}$/m);
      assert.doesNotMatch(jobsOf(read(name)).publish, /checkout|npm (ci|install|run|test)|node /);
    }
  });

  test('publish only what another job has built and tested from a tag on main', () => {
    const { build, publish } = jobsOf(read('release.yml'));
    assert.match(build, /merge-base --is-ancestor "\$GITHUB_SHA" origin\/main/);
    assert.match(build, /run: \.ci\/run\n[\s\S]*npm pack[\s\S]*cp dist\/sbom\.cdx\.json/);
    assert.match(publish, /needs: build\n/);
    assert.doesNotMatch(publish, /checkout|npm (ci|install|run|test)/);
  });

  test('npm has nothing to correct in package.json, and publishing runs every check', () => {
    const { bin, scripts, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const path of Object.values(bin)) assert.doesNotMatch(path, /^\.?\//); // npm would remove the entry's start
    assert.match(repository.url, /^git\+https:/);
    assert.equal(scripts.prepublishOnly, 'npm test');
  });
});
