// npm run bench [-- --rounds 9 --only "base encoder" --threads 1,2 --node --browser]
// This engine against onnxruntime-web on the same weights and inputs, in Node.js and in Chromium. Prints a table and
// writes build/bench.json. Times are medians over the rounds; a ratio above 1 means that this engine is faster.

import { createReadStream, existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { cpus } from 'node:os';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromiumLaunch } from '../lib/chromium.mjs';
import { ExpectedError, run, runMain, say, step } from '../lib/console.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));
const types = {
  '.html': 'text/html',
  '.mjs': 'text/javascript',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};

const milliseconds = ({ median, min, max }) =>
  `${median.toPrecision(3)} (${min.toPrecision(3)}..${max.toPrecision(3)})`;

function print(row) {
  const cells = [
    row.name.padEnd(40),
    milliseconds(row.ours).padEnd(24),
    milliseconds(row.theirs).padEnd(24),
    `${row.gflops.toFixed(1)}`.padStart(6),
    `${row.ratio.toFixed(2)} x`.padStart(8),
  ];
  say(cells.join('  '));
}

function printHeader(place) {
  say(`\n${place}`);
  say(
    `${'ms a call: median (min..max)'.padEnd(40)}  ${'transformer-wasm'.padEnd(24)}  ${'onnxruntime-web'.padEnd(24)}  GFLOP/s     ratio`,
  );
}

async function inNode(options, report) {
  const { createEngine } = await import('../../dist/index.js');
  const ort = await import('onnxruntime-web');
  const { measure } = await import('./measure.mjs');
  await measure({ createEngine, ort, ...options, report });
}

/** Serves the checkout with the headers that threads need. */
function serve() {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
    const file = join(root, path);
    if (!existsSync(file) || !extname(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      'Content-Type': types[extname(file)] ?? 'application/octet-stream',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
    });
    createReadStream(file).pipe(response);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

async function inChromium(options, report) {
  const { chromium } = await import('playwright');
  if (!chromiumLaunch.executablePath)
    throw new ExpectedError('No Chromium on PATH. First: node scripts/setup.mjs --browser');
  const server = await serve();
  const browser = await chromium.launch(chromiumLaunch);
  try {
    const page = await browser.newPage();
    page.on('pageerror', (error) => say(`page: ${error.message}`));
    await page.exposeFunction('reportRow', report);
    await page.goto(`http://127.0.0.1:${server.address().port}/scripts/bench/page.html`);
    await page.waitForFunction('window.ready');
    await page.evaluate((given) => window.bench(given), options);
  } finally {
    await browser.close();
    server.close();
  }
}

async function main() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '9' },
      threads: { type: 'string', default: '1,2' },
      only: { type: 'string', default: '' },
      simd: { type: 'string', default: 'auto' },
      node: { type: 'boolean', default: false },
      browser: { type: 'boolean', default: false },
    },
  });
  if (!existsSync(join(here, 'node_modules/onnxruntime-web'))) {
    await step('Installing what the bench compares with', () =>
      run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: here }),
    );
  }
  if (!existsSync(join(root, 'dist/index.js'))) {
    throw new ExpectedError('Nothing is built yet. First: npm run build');
  }
  const both = values.node === values.browser;
  const places = [
    ...(both || values.node ? [[`Node.js ${process.versions.node}`, inNode]] : []),
    ...(both || values.browser ? [['Chromium', inChromium]] : []),
  ];
  const machine = `${cpus()[0].model}, ${cpus().length} cores`;
  const rows = [];
  for (const [place, measureThere] of places) {
    for (const threads of values.threads.split(',').map(Number)) {
      printHeader(`${place}, ${threads} thread${threads > 1 ? 's' : ''} — ${machine}`);
      const options = { threads, simd: values.simd, rounds: Number(values.rounds), only: values.only };
      await measureThere(options, (row) => {
        rows.push({ place, ...row });
        print(row);
      });
    }
  }
  const file = join(root, 'build/bench.json');
  await writeFile(file, JSON.stringify({ machine, date: new Date().toISOString(), rows }, null, 2));
  say(`\nWritten to ${file}`);
  process.exit(0); // onnxruntime-web leaves its threads running
}

await runMain(main);
