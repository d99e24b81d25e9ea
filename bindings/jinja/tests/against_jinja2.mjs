// Fuzzes: renders random templates and compares them with Python's jinja2 (Debian: python3-jinja2), which is started for it:
//   node bindings/jinja/tests/against_jinja2.mjs [templates] [seed]
// Prints what differs; the exit code is 1 then. Uses what was built last (npm run build -- js).

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { failuresOf } from './cases.mjs';

const [count = '2000', seed = `${Date.now() % 1e9}`] = process.argv.slice(2);
const maker = fileURLToPath(new URL('make_fixtures.py', import.meta.url));
const { status, stdout, stderr } = spawnSync('python3', [maker, '--random', count, '--seed', seed], {
  encoding: 'utf8',
  maxBuffer: 1 << 30,
});
if (status !== 0) throw new Error(stderr);
const { cases, variables } = JSON.parse(stdout);
const failures = failuresOf(cases, variables);
for (const failure of failures) console.log(JSON.stringify(failure));
const rendered = cases.filter(([, wanted]) => typeof wanted === 'string').length;
console.log(
  `seed ${seed}: ${cases.length} templates, of which jinja2 renders ${rendered}; ${failures.length} differ`,
);
process.exitCode = failures.length > 0 ? 1 : 0;
