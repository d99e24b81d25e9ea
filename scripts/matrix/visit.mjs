// Opens a page in Chromium, and waits for the result that its script leaves.

import { chromium } from 'playwright';
import { serveFolder } from '../../tests/page/static_server.mjs';
import { chromiumLaunch } from '../lib/chromium.mjs';
import { ExpectedError } from '../lib/console.mjs';

/** The result of the page at this address. */
export async function visit(url) {
  const browser = await chromium.launch(chromiumLaunch);
  const complaints = [];
  try {
    const tab = await browser.newPage();
    tab.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    tab.on('pageerror', (error) => complaints.push(String(error)));
    await tab.goto(url);
    await tab.waitForFunction(() => globalThis.result !== undefined, null, { timeout: 60_000 });
    const result = await tab.evaluate(() => globalThis.result);
    return { ...result, complaints };
  } catch (error) {
    throw new ExpectedError(`${url}: ${error.message}\n${complaints.join('\n')}`);
  } finally {
    await browser.close();
  }
}

/** The result of a page in a folder of static files. */
export async function visitFolder(folder, headers = {}) {
  const server = await serveFolder(folder, '/', headers);
  try {
    return await visit(server.url);
  } finally {
    await server.close();
  }
}
