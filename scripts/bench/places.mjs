// Where rows are measured: always in a fresh process or page, because an engine keeps the number of threads that it started
// with.

import { fork } from 'node:child_process';
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromiumLaunch } from '../lib/chromium.mjs';
import { ExpectedError, say } from '../lib/console.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));
const types = {
  '.html': 'text/html',
  '.mjs': 'text/javascript',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};

export function inNode(options, report) {
  return new Promise((resolve, reject) => {
    const child = fork(join(here, 'node_child.mjs'), [JSON.stringify(options)]);
    child.on('message', report);
    child.on('error', reject);
    child.on('exit', (code) =>
      code === 0
        ? resolve()
        : reject(new ExpectedError(`The benchmark process failed with exit code ${code}`)),
    );
  });
}

/** Serves the checkout with the headers that threads need. */
export function serve() {
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

export async function withChromium(work) {
  const { chromium } = await import('playwright');
  if (!chromiumLaunch.executablePath)
    throw new ExpectedError('No Chromium on the PATH. Run: node scripts/setup.mjs --browser');
  const browser = await chromium.launch(chromiumLaunch);
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

export const chromiumVersion = () => withChromium(async (browser) => browser.version());

/**
 * What an exported function of a module of this folder returns in a fresh page.
 *
 * @param givenAt what it is given beside the package, by the address of the checkout
 */
export async function measureInPage(module, name, givenAt) {
  const server = await serve();
  try {
    const origin = `http://127.0.0.1:${server.address().port}`;
    return await withChromium(async (browser) => {
      const page = await browser.newPage();
      await page.goto(`${origin}/scripts/bench/models.html`);
      await page.waitForFunction('window.ready');
      return page.evaluate((given) => window.measure(...given), [`./${module}`, name, givenAt(origin)]);
    });
  } finally {
    server.close();
  }
}

export async function inChromium(options, report) {
  const server = await serve();
  try {
    await withChromium(async (browser) => {
      const page = await browser.newPage();
      page.on('pageerror', (error) => say(`page: ${error.message}`));
      await page.exposeFunction('reportResult', report);
      await page.goto(`http://127.0.0.1:${server.address().port}/scripts/bench/page.html`);
      await page.waitForFunction('window.ready');
      await page.evaluate((given) => window.bench(given), options);
    });
  } finally {
    server.close();
  }
}
