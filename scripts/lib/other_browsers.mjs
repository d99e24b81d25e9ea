// Firefox and WebKitGTK as the system has them, driven by the protocols that they speak themselves: Marionette and
// WebDriver. Each opens one page, in which expressions can be evaluated. On Debian: firefox-esr, webkit2gtk-driver, xvfb.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProgram } from '../setup/debian.mjs';
import { ExpectedError } from './console.mjs';

function programOf(...names) {
  const found = findProgram(...names);
  if (!found) throw new ExpectedError(`${names[0]} is not installed`);
  return found;
}

/** `close` ends its whole process group. */
function startProgram(command, args) {
  const child = spawn(command, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const close = () =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve();
      child.once('close', resolve);
      process.kill(-child.pid, 'SIGKILL');
    });
  return new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
      });
    child.on('error', reject);
    child.on('close', () => reject(new ExpectedError(`${command} has ended: ${output}`)));
    setTimeout(() => resolve({ close }), 1000);
  });
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Messages of Marionette, Firefox's own form of WebDriver: JSON behind its length and a colon. */
function speakMarionette(socket) {
  let received = Buffer.alloc(0);
  let lastId = 0;
  const waiting = new Map();
  socket.on('data', (data) => {
    received = Buffer.concat([received, data]);
    for (;;) {
      const colon = received.indexOf(':');
      const end = colon + 1 + Number(received.subarray(0, colon));
      if (colon < 0 || received.length < end) return;
      const message = JSON.parse(received.subarray(colon + 1, end));
      received = received.subarray(end);
      if (!Array.isArray(message)) continue; // its greeting
      const [, id, error, result] = message;
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (error) reject(new ExpectedError(`Firefox: ${error.error}: ${error.message}`));
      else resolve(result);
    }
  });
  return (command, parameters) =>
    new Promise((resolve, reject) => {
      const message = JSON.stringify([0, ++lastId, `WebDriver:${command}`, parameters]);
      waiting.set(lastId, { resolve, reject });
      socket.write(`${Buffer.byteLength(message)}:${message}`);
    });
}

/**
 * Not by WebDriver BiDi: under it, about one in fifty workers of a worker never starts, and the other waits for it for ever.
 *
 * @returns {Promise<{ evaluate(expression: string): Promise<unknown>, close(): Promise<void> }>}
 */
export async function openFirefox(url) {
  const profile = await mkdtemp(join(tmpdir(), 'firefox-'));
  await writeFile(join(profile, 'user.js'), 'user_pref("marionette.port", 0);'); // a free one, which it writes to a file
  const args = ['--headless', '--no-remote', '--profile', profile, '--marionette', 'about:blank'];
  const firefox = await startProgram(programOf('firefox-esr', 'firefox'), args);
  const socket = await answers(async () => {
    const port = Number(await readFile(join(profile, 'MarionetteActivePort'), 'utf8'));
    const connecting = connect(port, '127.0.0.1');
    await once(connecting, 'connect');
    return connecting;
  });
  const send = speakMarionette(socket);
  await send('NewSession', { capabilities: {} });
  await send('Navigate', { url });
  return {
    evaluate: async (expression) => JSON.parse((await send('ExecuteScript', script(expression))).value),
    async close() {
      socket.destroy();
      await firefox.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A script in WebDriver's sense: the body of a function. */
const script = (expression) => ({ script: `return JSON.stringify((${expression}) ?? null);`, args: [] });

/** Waits until a program that was started answers, which takes seconds on a busy machine. */
async function answers(ask, milliseconds = 30_000) {
  for (const end = performance.now() + milliseconds; ; await sleep(100)) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}

const miniBrowser = () => {
  const known = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/libexec'].flatMap(
    (folder) => ['4.1', '4.0'].map((version) => `${folder}/webkit2gtk-${version}/MiniBrowser`),
  );
  const found = known.find((path) => existsSync(path));
  if (!found) throw new ExpectedError('MiniBrowser, a part of WebKitGTK, is not installed');
  return found;
};

/** @returns {Promise<{ evaluate(expression: string): Promise<unknown>, close(): Promise<void> }>} */
export async function openWebKit(url) {
  const port = await freePort();
  const driver = await startProgram(programOf('xvfb-run'), [
    '-a',
    programOf('WebKitWebDriver'),
    `--port=${port}`,
  ]);
  const send = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = await response.json();
    if (!response.ok) throw new ExpectedError(`WebKitWebDriver: ${value.error}: ${value.message}`);
    return value;
  };
  try {
    await answers(() => send('GET', '/status'));
    const browser = { binary: miniBrowser(), args: ['--automation'] };
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': browser } };
    const { sessionId } = await send('POST', '/session', { capabilities });
    await send('POST', `/session/${sessionId}/url`, { url });
    return {
      evaluate: async (expression) =>
        JSON.parse(await send('POST', `/session/${sessionId}/execute/sync`, script(expression))),
      close: () => driver.close(),
    };
  } catch (error) {
    await driver.close();
    throw error;
  }
}

export const otherBrowsers = { firefox: openFirefox, webkit: openWebKit };
