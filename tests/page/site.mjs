// What the tests of the page share: the built page on two servers, a browser, and the model that the page ships.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadModel } from 'transformer-wasm';
import { buildPage, servePage } from '../../scripts/serve.mjs';
import { serveFolder } from './static_server.mjs';
import { hashOf, openBrowser, Visitor } from './visitor.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const built = join(root, 'build/web');
export const tired = "The animal didn't cross the street because it was too tired.";
export const wide = tired.replace('tired', 'wide');
export const cat = 'The cat sat on the mat.';
export const unknown = 'The zyzzyva sat on the mat.';

/** Builds and serves the page for the tests of a file, whose hooks close all of it again. */
export function openSite() {
  const site = {
    browser: null,
    model: null,
    /** With the headers that threads need, and in a folder of a server that sends none. */
    isolated: null,
    plain: null,
    /** Opens the page with a selection, by default with one that plays no opening, and without motion to wait for. */
    async arrive(fields = { s: cat }, options = {}) {
      const still = { reducedMotion: 'reduce', ...options };
      const visitor = await Visitor.arrive(site.browser, site.plain.url + hashOf(fields), still);
      await visitor.done();
      return visitor;
    },
  };
  before(async () => {
    await buildPage();
    site.model = await loadModel(join(built, 'models/en-fr'));
    site.browser = await openBrowser();
    site.isolated = await servePage();
    site.plain = await serveFolder(built, '/in/some/folder/');
  });
  after(async () => {
    await site.browser?.close();
    await site.model?.dispose();
    await site.isolated?.close();
    await site.plain?.close();
  });
  return site;
}

/** The tokens that the page shows for a result of the API. */
export const shown = (tokens) => tokens.map((token) => (token === '</s>' ? 'end' : token));

/**
 * Of the page's percentages: in 8 bits, the variants of the engine round activations differently, which near 50 % changes a
 * weight by up to two points.
 */
export function assertNear(actual, share, tolerance = 2.5) {
  const number = actual.startsWith('<') ? 0 : Number.parseFloat(actual.replace(/^> /, ''));
  assert.ok(Math.abs(number - share * 100) <= tolerance, `${actual} against ${share * 100}`);
}
