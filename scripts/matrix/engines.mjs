// The page of the import map in the other two browser engines, with and without isolation.

import { serveFolder } from '../../tests/page/static_server.mjs';
import { ExpectedError } from '../lib/console.mjs';
import { openFirefox, openWebKit } from '../lib/other_browsers.mjs';
import { withOwnCopy } from './pages.mjs';
import { isolation } from './project.mjs';

/** Opens the page and waits for its result. */
async function visitWith(open, folder, headers) {
  const server = await serveFolder(folder, '/', headers);
  try {
    const browser = await open(server.url);
    try {
      const end = Date.now() + 60_000;
      while (Date.now() < end) {
        const result = await browser.evaluate('globalThis.result');
        if (result !== null) return result;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      throw new ExpectedError('the page has no result after a minute');
    } finally {
      await browser.close();
    }
  } finally {
    await server.close();
  }
}

const row = (title, open, { headers, expected, how = 'nothing' }) => ({
  title,
  how,
  run: async (project) => visitWith(open, await withOwnCopy(project, {}), headers),
  expected: { worker: true, ...expected },
});

const isolated = 'Cross-Origin-Opener-Policy and -Embedder-Policy';

export const engines = {
  firefox: row('Firefox ESR, isolated', openFirefox, {
    headers: isolation,
    how: isolated,
    expected: { threads: 2 },
  }),
  'firefox-plain': row('Firefox ESR', openFirefox, {
    expected: { threads: 1, note: /not cross-origin isolated/ },
  }),
  webkit: row('WebKitGTK, isolated', openWebKit, {
    headers: isolation,
    how: isolated,
    // Its builds for Linux have no SharedArrayBuffer.
    expected: { note: /2 threads|does not share memory between threads/ },
  }),
  'webkit-plain': row('WebKitGTK', openWebKit, {
    expected: { threads: 1, note: /not cross-origin isolated/ },
  }),
};
