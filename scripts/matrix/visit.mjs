// Opens a page in Chromium, and waits for the result that its script leaves.

import { createHash } from 'node:crypto';
import { chromium } from 'playwright';
import { serveFolder } from '../../tests/page/static_server.mjs';
import { chromiumLaunch } from '../lib/chromium.mjs';
import { ExpectedError } from '../lib/console.mjs';

// A function, because a page's policy may forbid what evaluates a string.
const hasResult = () => globalThis.result !== undefined;

/** The result of the page at this address; `until` holds when it is the right one. */
export async function visit(url, until = hasResult) {
  const browser = await chromium.launch(chromiumLaunch);
  const complaints = [];
  try {
    const tab = await browser.newPage();
    tab.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    tab.on('pageerror', (error) => complaints.push(String(error)));
    await tab.goto(url);
    await tab.waitForFunction(until, null, { timeout: 60_000 });
    const result = await tab.evaluate(() => globalThis.result);
    return { ...result, complaints };
  } catch (error) {
    throw new ExpectedError(`${url}: ${error.message}\n${complaints.join('\n')}`);
  } finally {
    await browser.close();
  }
}

/** The result of a page in a folder of static files. */
export async function visitFolder(folder, headers = {}, until = undefined) {
  const server = await serveFolder(folder, '/', headers);
  try {
    return await visit(server.url, until);
  } finally {
    await server.close();
  }
}

/** The result of a page of an unpacked extension. */
export async function visitExtension(folder, page) {
  const context = await chromium.launchPersistentContext('', {
    ...chromiumLaunch,
    headless: false,
    args: [
      ...chromiumLaunch.args,
      '--headless=new',
      '--disable-features=DisableLoadExtensionCommandLineSwitch',
      `--disable-extensions-except=${folder}`,
      `--load-extension=${folder}`,
    ],
  });
  try {
    // Chromium makes the id of an unpacked extension from its path.
    const hash = createHash('sha256').update(folder).digest('hex').slice(0, 32);
    const id = [...hash].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 16))).join('');
    const tab = await context.newPage();
    await tab.goto(`chrome-extension://${id}/${page}`);
    await tab.waitForFunction(hasResult, null, { timeout: 60_000 });
    return await tab.evaluate(() => globalThis.result);
  } finally {
    await context.close();
  }
}
