// Keeps the last run of the bench: node scripts/bench/record.mjs (npm run bench:record)
// Writes the medians that build/bench.json has of Chromium to records/DATE-COMMIT.json, from which `npm run numbers` makes the
// tables and pictures.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExpectedError, runMain, say } from '../lib/console.mjs';
import { ratios as pairs } from './sides.mjs';
import { median, threeDigits } from './timing.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/** How many times as long each side took as another, round by round. */
function ratiosOf(results) {
  const found = {};
  for (const [other, side] of pairs) {
    if (!results[other] || !results[side]) continue;
    const all = results[other].times.map((time, round) => time / results[side].times[round]);
    found[`${other}/${side}`] = threeDigits(median(all));
  }
  return found;
}

/** @returns what is kept of a run, or `undefined` if it measured nothing in Chromium */
export function recordOf({ machine, date, commit, rows }, rival) {
  const inChromium = rows.filter(({ place }) => place.startsWith('Chromium'));
  if (inChromium.length === 0) return undefined;
  const kept = inChromium.map(({ name, place, results }) => ({
    name,
    threads: Number(place.match(/(\d+) threads?$/)[1]),
    milliseconds: Object.fromEntries(
      Object.entries(results).map(([side, { median }]) => [side, threeDigits(median)]),
    ),
    ratios: ratiosOf(results),
  }));
  const [place] = inChromium[0].place.match(/^Chromium \d+/);
  return { date: date.slice(0, 10), commit, machine, place, rival, rows: kept };
}

/** A line for each row, so that records can be compared line by line. */
export function textOf({ rows, ...head }) {
  const lines = rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "rows": [\n${lines}\n  ]\n}\n`;
}

async function main() {
  const run = JSON.parse(readFileSync(join(here, '../../build/bench.json'), 'utf8'));
  if (!run.commit || run.commit.includes('changed'))
    throw new ExpectedError('This run was of files that are not committed: commit them and measure again.');
  const { version } = JSON.parse(readFileSync(join(here, 'node_modules/onnxruntime-web/package.json')));
  const record = recordOf(run, `onnxruntime-web ${version.match(/^\d+\.\d+/)}`);
  if (!record) throw new ExpectedError('This run measured nothing in Chromium.');
  const name = `records/${record.date}-${record.commit}.json`;
  writeFileSync(join(here, name), textOf(record));
  say(`Written to scripts/bench/${name}. Now: npm run numbers`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(main);
