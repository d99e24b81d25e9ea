// Firefox and WebKitGTK as the system has them, driven by the protocols that they speak themselves: WebDriver BiDi and
// WebDriver. Each opens one page, in which expressions can be evaluated. On Debian: firefox-esr, webkit2gtk-driver, xvfb.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';
import { findProgram } from '../setup/debian.mjs';
import { ExpectedError } from './console.mjs';

function programOf(...names) {
  const found = findProgram(...names);
  if (!found) throw new ExpectedError(`${names[0]} is not installed`);
  return found;
}

/** Resolves with what `pattern` finds in what the program prints, and ends its whole process group with `close`. */
function startProgram(command, args, pattern) {
  const child = spawn(command, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const close = () =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve();
      child.once('close', resolve);
      process.kill(-child.pid, 'SIGKILL');
    });
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk) => {
      output += chunk;
      const found = pattern?.exec(output);
      if (found) resolve({ found, close });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('error', reject);
    child.on('close', () => reject(new ExpectedError(`${command} has ended: ${output}`)));
    if (!pattern) setTimeout(() => resolve({ close }), 1000);
  });
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** @returns {Promise<{ evaluate(expression: string): Promise<unknown>, close(): Promise<void> }>} */
export async function openFirefox(url) {
  const profile = await mkdtemp(join(tmpdir(), 'firefox-'));
  const args = [
    '--headless',
    '--no-remote',
    '--profile',
    profile,
    '--remote-debugging-port=0',
    'about:blank',
  ];
  const firefox = await startProgram(programOf('firefox-esr', 'firefox'), args, /BiDi listening on (ws:\S+)/);
  const socket = new WebSocket(`${firefox.found[1]}/session`);
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
  const waiting = new Map();
  socket.on('message', (data) => {
    const { id, ...reply } = JSON.parse(`${data}`);
    waiting.get(id)?.(reply);
    waiting.delete(id);
  });
  let lastId = 0;
  const send = async (method, params = {}) => {
    const id = ++lastId;
    const replied = new Promise((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { error, message, result } = await replied;
    if (error) throw new ExpectedError(`${method}: ${error}: ${message}`);
    return result;
  };
  await send('session.new', { capabilities: {} });
  const { contexts } = await send('browsingContext.getTree');
  const [{ context }] = contexts;
  await send('browsingContext.navigate', { context, url, wait: 'complete' });
  return {
    async evaluate(expression) {
      const reply = await send('script.evaluate', {
        expression: `JSON.stringify((${expression}) ?? null)`,
        target: { context },
        awaitPromise: true,
      });
      if (reply.type === 'exception') throw new ExpectedError(reply.exceptionDetails.text);
      return JSON.parse(reply.result.value);
    },
    async close() {
      socket.close();
      await firefox.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

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
        JSON.parse(
          await send('POST', `/session/${sessionId}/execute/sync`, {
            script: `return JSON.stringify((${expression}) ?? null);`,
            args: [],
          }),
        ),
      close: () => driver.close(),
    };
  } catch (error) {
    await driver.close();
    throw error;
  }
}

export const otherBrowsers = { firefox: openFirefox, webkit: openWebKit };
