// Compares this engine with onnxruntime-web and tfjs on the same weights and inputs, in Node.js and in Chromium. Prints tables
// and writes build/bench.json and build/bench.md.

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ExpectedError, runMain, say } from '../lib/console.mjs';
import { commitOf, installRivals } from './checkout.mjs';
import { downloads } from './downloads.mjs';
import { footprintModels, footprints } from './footprint.mjs';
import { chromiumVersion, inChromium, inNode } from './places.mjs';
import { markdown, printDownloads, printFootprints, printHeader, printRow } from './report.mjs';
import { isAsked, rows } from './rows/index.mjs';
import { sides } from './sides.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));

const usage = `npm run bench [-- OPTIONS]

Times are medians over the rounds, ± half the distance between the fastest and the slowest round; a ratio above 1 means that
this engine is faster. Every side runs where it runs for its users: in Chromium this engine in a worker, so that a call carries
its tensors there and back, the others in the page's own thread.

  --only NAME      rows with NAME in their names, or "footprint"; can be repeated
  --sides A,B      from ${Object.keys(sides).join(', ')}
  --threads 1,2    numbers of threads, one table each
  --rounds 5       more rounds give steadier numbers
  --node           only in Node.js
  --browser        only in Chromium
  --worker false   this engine in the page's own thread too
  --simd simd128   this engine without relaxed SIMD`;

const parseCommandLine = () =>
  parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      threads: { type: 'string', default: '1,2' },
      only: { type: 'string', multiple: true, default: [] },
      sides: { type: 'string', default: Object.keys(sides).join(',') },
      simd: { type: 'string', default: 'auto' },
      worker: { type: 'string', default: 'auto' },
      node: { type: 'boolean', default: false },
      browser: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }).values;

async function placesOf({ node, browser }) {
  const both = node === browser;
  return [
    ...(both || node ? [[`Node.js ${process.versions.node}`, inNode]] : []),
    ...(both || browser ? [[`Chromium ${await chromiumVersion()}`, inChromium]] : []),
  ];
}

/** Checks what the command line asks for. */
function readAsked(values) {
  const unknown = values.sides.split(',').filter((name) => !Object.hasOwn(sides, name));
  if (unknown.length > 0)
    throw new ExpectedError(`Unknown: ${unknown}. Sides are ${Object.keys(sides).join(', ')}`);
  if (!existsSync(join(root, 'dist/index.js')))
    throw new ExpectedError('The package is not built yet. Run: npm run build');
  const hasRows = rows.some(({ name }) => isAsked(name, values.only));
  const hasFootprint = isAsked('footprint', values.only);
  if (!hasRows && !hasFootprint)
    throw new ExpectedError(
      `No row has '${values.only.join("' or '")}' in its name. Rows are: ${rows.map(({ name }) => name).join('; ')}; footprint`,
    );
  return { hasRows, hasFootprint };
}

const commonOptions = ({ sides: asked, simd, worker }) => ({
  sides: asked.split(','),
  simd,
  worker: worker === 'auto' ? 'auto' : worker === 'true',
});

const threadCountsOf = ({ threads }) => threads.split(',').map(Number);

/** Measures the rows in each place with each number of threads, and prints them. */
async function measureRows(places, values, result) {
  for (const [name, measureThere] of places) {
    for (const threads of threadCountsOf(values)) {
      const place = `${name}, ${threads} thread${threads > 1 ? 's' : ''}`;
      printHeader(`${place}, ${result.machine}`);
      const { rounds, only } = values;
      const options = { ...commonOptions(values), threads, rounds: Number(rounds), only };
      await measureThere({ ...options, task: 'measure' }, (row) => {
        result.rows.push({ place, ...row });
        printRow(row);
      });
    }
  }
}

/** Measures downloads, and the memory and the time that loading takes. */
async function measureFootprints(places, values, result) {
  result.downloads = await downloads();
  printDownloads(result.downloads);
  const options = { ...commonOptions(values), threads: Math.max(...threadCountsOf(values)) };
  const report = (footprint) => result.footprints.push(footprint);
  for (const model of footprintModels) {
    await footprints(model, { places, options, report });
    for (const [place] of places)
      printFootprints(
        `${place}: ${model.title}, from its bytes in memory`,
        result.footprints.filter((one) => one.place === place && one.model === model.title),
      );
  }
}

async function main() {
  const values = parseCommandLine();
  if (values.help) {
    say(usage);
    return;
  }
  const { hasRows, hasFootprint } = readAsked(values);
  await installRivals();
  const places = await placesOf(values);
  const machine = `${cpus()[0].model}, ${cpus().length} cores`;
  const date = new Date().toISOString();
  const result = { machine, date, commit: commitOf(), rows: [], footprints: [], downloads: [] };
  if (hasRows) await measureRows(places, values, result);
  if (hasFootprint) await measureFootprints(places, values, result);
  await writeFile(join(root, 'build/bench.json'), JSON.stringify(result, null, 2));
  await writeFile(join(root, 'build/bench.md'), markdown(result));
  say('\nWritten to build/bench.json and, as Markdown, build/bench.md');
}

await runMain(main);
