/**
 * The tests that need a browser: once in a page that is cross-origin isolated, where threads run, and once in one that is
 * not. They run in Chromium, or in the engine that BROWSER_ENGINE names: firefox or webkit.
 */

import { playwright } from '@vitest/browser-playwright';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { chromiumLaunch } from './scripts/lib/chromium.mjs';
import { otherBrowser } from './tests/lib/other_browser.ts';

const engine = process.env.BROWSER_ENGINE;
const other = engine === 'firefox' || engine === 'webkit' ? engine : undefined;

/** Sends the headers that let a page share memory between threads. */
const crossOriginIsolation: Plugin = {
  name: 'cross-origin-isolation',
  enforce: 'pre', // before the test runner serves its own page
  configureServer(server) {
    server.middlewares.use((_request, response, next) => {
      response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
      response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
      next();
    });
  },
};

const project = (name: string, plugins: Plugin[]) => ({
  plugins,
  // Found while tests run, it would make Vite start over.
  optimizeDeps: {
    include: [
      'wasm-feature-detect',
      'react',
      'react-dom',
      'react-dom/client',
      'react-dom/server.browser',
      'vue',
      'mediabunny',
      '@mediabunny/aac-encoder',
      '@mediabunny/mp3-encoder',
    ],
  },
  test: {
    name,
    include: ['tests/browser/*.test.ts', `tests/browser/${name}/*.test.ts`],
    globalSetup: 'tests/lib/hashes_of_node.ts',
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: other ? otherBrowser(other) : playwright({ launchOptions: chromiumLaunch }),
      instances: [{ browser: other ?? ('chromium' as const) }],
    },
  },
});

export default defineConfig({
  test: {
    browser: { connectTimeout: 240_000 }, // Firefox takes its time to start on a busy machine
    projects: [
      project('isolated', [crossOriginIsolation]),
      project('plain', []),
      // Pages that are served in ways of their own: these tests drive the browser from Node.
      { test: { name: 'bundled', include: ['tests/browser/bundled/*.test.ts'], testTimeout: 60_000 } },
      { test: { name: 'downloads', include: ['tests/browser/downloads/*.test.ts'], testTimeout: 60_000 } },
      {
        test: {
          name: 'lifetimes',
          include: ['tests/browser/lifetimes/*.test.ts'],
          // What is sent to the page as text must be the source: Vitest writes its imports in another way.
          server: { deps: { external: [/\/tests\/lib\/.*\.mjs$/] } },
        },
      },
    ],
  },
});
