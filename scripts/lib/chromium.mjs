// How tests and benchmarks start Chromium: the one that is installed, without its own network traffic.

import { findProgram } from '../setup/debian.mjs';

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Playwright's launch options; `CHROMIUM` in the environment names another browser. */
export const chromiumLaunch = {
  executablePath:
    process.env.CHROMIUM ??
    findProgram('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'),
  args,
};
