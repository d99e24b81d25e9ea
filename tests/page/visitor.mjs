// A visitor of the page: a tab that records everything that should not happen.

import assert from 'node:assert/strict';
import { chromium } from 'playwright';
import { chromiumLaunch } from '../../scripts/lib/chromium.mjs';

export const openBrowser = () => chromium.launch(chromiumLaunch);

/** The address of a selection: its fields as the page names them. */
export const hashOf = (fields) => `#${new URLSearchParams(fields)}`;

/** Injected before the page loads: records policy violations, and layout shifts without user input. */
function watch() {
  globalThis.violations = [];
  globalThis.shift = 0;
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    globalThis.violations.push(`${violatedDirective} ${blockedURI}`);
  });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shift += entry.value;
  });
  observer.observe({ type: 'layout-shift', buffered: true });
}

const contexts = new WeakMap();

/**
 * A tab for a visitor without a past. Those with the same options share a context, in which a blank tab keeps the process
 * and the compiled code alive (a visit takes 2.7 s of processor time instead of 5.7); what pages have stored is deleted.
 * The first visitor of all, for whom nothing is cached either, has `isFirst`.
 */
async function openTab(browser, origin, { isFirst, ...options }) {
  if (isFirst) return browser.newPage(options);
  const kept = contexts.get(browser) ?? new Map();
  contexts.set(browser, kept);
  const key = JSON.stringify(options);
  if (!kept.has(key))
    kept.set(
      key,
      browser.newContext(options).then(async (context) => {
        await context.newPage();
        return context;
      }),
    );
  const context = await kept.get(key);
  const isAlone = context.pages().length === 1;
  const page = await context.newPage();
  if (isAlone) {
    const session = await context.newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await session.detach();
  }
  return page;
}

export class Visitor {
  /** Console messages, and requests to other servers. */
  complaints = [];

  static async arrive(browser, url, { before = () => {}, ...options } = {}) {
    const page = await openTab(browser, new URL(url).origin, {
      viewport: { width: 1280, height: 900 },
      ...options,
    });
    const visitor = new Visitor(page, url);
    // A busy machine takes its time; what does not come at all is as wrong a minute later.
    page.setDefaultTimeout(90_000);
    await page.addInitScript(watch);
    await before(page);
    await page.goto(url);
    return visitor;
  }

  constructor(page, url) {
    this.page = page;
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol !== 'blob:' && origin !== new URL(url).origin)
        this.complaints.push(`asked for ${request.url()}`);
    });
  }

  /** Waits until the model has read the sentence. */
  async done() {
    await this.page.waitForFunction(
      () => /tokens in/.test(document.querySelector('#reading-note')?.textContent),
      null,
      { timeout: 60_000 },
    );
  }

  /** Runs an action that makes the page translate, and waits for the translation. */
  async after(action) {
    await this.page.evaluate(() => {
      document.querySelector('#reading-note').textContent = '';
    });
    await action();
    await this.done();
  }

  /** Turns the English row into a field. */
  async openField() {
    if (await this.page.locator('#source').isVisible()) return;
    const write = this.page.getByRole('button', { name: 'Write your own' });
    if (!(await write.isVisible())) await this.page.locator('.english .anchor').click();
    await write.click();
  }

  /** Goes to a view as a link does, which opens its card. */
  async goTo(view) {
    await this.page.evaluate((id) => location.assign(`#${id}`), view);
    await this.page.locator(`#${view}`).scrollIntoViewIfNeeded();
  }

  async write(text) {
    await this.openField();
    await this.after(async () => {
      await this.page.fill('#source', text);
      await this.page.press('#source', 'Enter');
    });
  }

  /** The part of the address that is the page's state. */
  hash() {
    return this.page.evaluate(() => location.hash);
  }

  text(selector) {
    return this.page.locator(selector).innerText();
  }

  /** The French tokens on the stage, the end of the sentence included. */
  french() {
    return this.page.locator('#stage .loom-frame .french .word').allTextContents();
  }

  /** The numbers under a view's "As a table", by row. */
  async table(view) {
    const button = this.page.locator(`#${view}`).getByRole('button', { name: 'As a table' });
    if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
    return this.page.locator(`#${view} .table-fold table`).evaluate((table) => {
      const texts = (cells) => [...cells].map((cell) => cell.textContent);
      return {
        columns: texts(table.tHead.querySelectorAll('th')),
        rows: texts(table.tBodies[0].querySelectorAll('th')),
        numbers: [...table.tBodies[0].rows].map((row) => texts(row.querySelectorAll('td'))),
      };
    });
  }

  /** How far the page overflows the right edge of the window. */
  overflow() {
    return this.page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
  }

  /** Closes the tab, and asserts that there were no complaints. */
  async leave() {
    const violations = await this.page.evaluate(() => globalThis.violations);
    await this.page.close();
    assert.deepEqual([...violations, ...this.complaints], []);
  }
}
