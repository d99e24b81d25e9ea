/** Runs Vitest's browser tests in Firefox or WebKitGTK: npm test browser, with BROWSER_ENGINE=firefox or webkit. */

import { defineBrowserProvider } from '@vitest/browser';
import { otherBrowsers } from '../../scripts/lib/other_browsers.mjs';

export const otherBrowser = (name: 'firefox' | 'webkit') =>
  defineBrowserProvider({
    name: 'other-browser',
    options: {},
    providerFactory: () => {
      const pages = new Map<string, Promise<{ close(): Promise<void> }>>();
      return {
        name: 'other-browser',
        supportsParallelism: false,
        getCommandsContext: () => ({}),
        async openPage(sessionId, url) {
          await (await pages.get(sessionId))?.close();
          const page = otherBrowsers[name](url);
          pages.set(sessionId, page);
          await page;
        },
        async close() {
          for (const page of pages.values()) await (await page).close();
        },
      };
    },
  });
