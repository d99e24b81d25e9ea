// Builds and runs the packed package in each environment that it supports: npm run matrix [-- NAME ...] [--quick] [--write]
//   npm run matrix                  all rows, one after the other: half an hour, most of it installing packages
//   npm run matrix -- vite8 next    the rows whose names begin so
//   --quick    the rows that need no other packages; `npm test package` runs them too
//   --write    writes the table into web/docs/bundlers.md; rows that were not run keep their last result
//   --list     the names
// Browser rows run in Chromium; scripts/matrix/engines.mjs has Firefox and WebKitGTK.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ExpectedError, runMain, say } from '../lib/console.mjs';
import { bundlers } from './bundlers.mjs';
import { engines } from './engines.mjs';
import { executables } from './executables.mjs';
import { firstLines } from './first_lines.mjs';
import { frameworks } from './frameworks.mjs';
import { pages } from './pages.mjs';
import { makeProject, openWorkshop, root } from './project.mjs';
import { runtimes } from './runtimes.mjs';
import { servers } from './servers.mjs';
import { workers } from './workers.mjs';

export const rows = {
  ...bundlers,
  ...frameworks,
  ...servers,
  ...pages,
  ...workers,
  ...runtimes,
  ...executables,
  ...engines,
  ...firstLines,
};

const document = join(root, 'web/docs/bundlers.md');

/** Throws if a row's result is not what it expects. */
function check(result, { text, expected }) {
  const shown = JSON.stringify(result);
  const require = (holds, what) => {
    if (!holds) throw new ExpectedError(`expected ${what}, got ${shown}`);
  };
  const { error, note, complains, text: wanted = text, ...fields } = expected;
  if (error) require(error.test(result.error ?? ''), `the error ${error}`);
  else require(result.text === wanted, `the text '${wanted}'`);
  for (const [name, value] of Object.entries(fields)) require(result[name] === value, `${name}: ${value}`);
  if (note) require(note.test((result.notes ?? []).join(' ')), `a note like ${note}`);
  if (!complains) require((result.complaints ?? []).length === 0, 'a silent console');
}

/** Runs one row; throws what went wrong. */
export async function runRow(workshop, row) {
  const project = await makeProject(workshop, row);
  try {
    const results = [await row.run(project, workshop)].flat();
    for (const result of results) check(result, { text: workshop.text, expected: row.expected });
  } finally {
    await project.remove();
  }
}

/** Replaces the results of the rows that were run. */
async function writeTable(results) {
  const text = await readFile(document, 'utf8');
  const [before, , after] = text.split(/<!-- (?:matrix|end) -->\n?/);
  const old = new Map(
    [...text.matchAll(/^\| (.+?) \| .* \| (.+?) \|$/gm)].map(([, title, last]) => [title, last]),
  );
  const lines = Object.entries(rows).map(([name, { title, how }]) => {
    const state = results.get(name) ?? old.get(title) ?? 'not run';
    return `| ${title} | ${how} | ${state} |`;
  });
  const table = ['| environment | what it takes | result |', '|---|---|---|', ...lines].join('\n');
  await writeFile(document, `${before}<!-- matrix -->\n\n${table}\n\n<!-- end -->\n${after ?? ''}`);
}

async function main() {
  const flag = { type: 'boolean', default: false };
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: flag, write: flag, list: flag },
  });
  if (values.list) return say(Object.keys(rows).join('\n'));
  const chosen = Object.keys(rows).filter(
    (name) =>
      (positionals.length === 0 || positionals.some((start) => name.startsWith(start))) &&
      (!values.quick || rows[name].quick),
  );
  if (chosen.length === 0) throw new ExpectedError(`No such row. Rows: ${Object.keys(rows).join(' ')}`);
  const workshop = await openWorkshop();
  const results = new Map();
  try {
    for (const name of chosen) {
      const start = performance.now();
      const outcome = await runRow(workshop, rows[name]).then(
        () => 'passes',
        (error) => {
          say(String(error instanceof ExpectedError ? error.message : error.stack));
          return 'fails';
        },
      );
      results.set(name, outcome);
      say(`${outcome.padEnd(7)} ${((performance.now() - start) / 1000).toFixed(0).padStart(4)} s  ${name}`);
    }
  } finally {
    await workshop.close();
  }
  if (values.write) await writeTable(results);
  const failed = [...results.values()].filter((outcome) => outcome === 'fails').length;
  say(`\nrows: ${results.size - failed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(main);
