// The development container fits the repository: a Debian that setup knows, a Node.js that it takes, the port of `npm start`.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('the development container', () => {
  const { image, postCreateCommand, forwardPorts } = JSON.parse(read('.devcontainer/devcontainer.json'));
  const [, version, debian] = image.match(/^node:(\d+)-(\w+)$/);
  const { engines, scripts } = JSON.parse(read('package.json'));
  assert.ok(Number(version) >= Number(engines.node.match(/\d+/)[0]));
  assert.match(read('README.md'), /On Debian 12 /);
  assert.equal(debian, 'bookworm'); // Debian 12
  const [, script] = postCreateCommand.match(/npm run (\w+)$/);
  assert.ok(script in scripts);
  const [, port] = read('scripts/start.mjs').match(/port: \{ type: 'string', default: '(\d+)' \}/);
  assert.deepEqual(forwardPorts, [Number(port)]);
});
