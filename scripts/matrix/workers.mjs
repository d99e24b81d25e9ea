// Workers of other kinds than the engine's own: those that a page shares, and those that answer for a server.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withOwnCopy } from './pages.mjs';
import { html, isolation, pageScript } from './project.mjs';
import { visitFolder } from './visit.mjs';

const inline = '/node_modules/transformer-wasm/dist/inline.js';

/** The code in the worker: answers each message of a page with the result, once there is one. */
const workerScript = (options, from) => `
const waiting = [];
let answer = (port) => waiting.push(port);
addEventListener('install', () => skipWaiting());
addEventListener('message', (event) => answer(event.ports[0] ?? event.source));
addEventListener('connect', (event) => answer(event.ports[0]));
${pageScript(options, from)}
const ended = setInterval(() => {
  if (globalThis.result === undefined) return;
  clearInterval(ended);
  answer = (port) => port.postMessage(globalThis.result);
  waiting.forEach(answer);
}, 20);`;

/** The page that starts a worker, and takes its answer for its own result. */
const servicePage = `
const { port1, port2 } = new MessageChannel();
port1.onmessage = ({ data }) => { globalThis.result = data; };
const { installing, active } = await navigator.serviceWorker.register('worker.js', { type: 'module' });
(installing ?? active).postMessage('', [port2]);`;
const sharedPage = `
const { port } = new SharedWorker('worker.js', { type: 'module' });
port.onmessage = ({ data }) => { globalThis.result = data; };`;

/** @param script what the page does; `build`: a command that makes worker.js of source.js, else it is used as it is */
const row = ({ title, how, script, options = '{}', from, build, packages, expected }) => ({
  title,
  how,
  quick: !packages,
  packages,
  expected,
  run: async (project) => {
    const site = await withOwnCopy(project, {});
    await writeFile(join(site, 'index.html'), html('start.js'));
    await writeFile(join(site, 'start.js'), script);
    await writeFile(join(site, build ? 'source.js' : 'worker.js'), workerScript(options, from));
    if (build) await project.sh(build);
    return visitFolder(site, isolation);
  },
});

const bundle = 'esbuild site/source.js --bundle --format=esm --outfile=site/worker.js --log-level=error';
const wasmUrl = "{ wasmUrl: '/node_modules/transformer-wasm/dist/wasm/' }";

export const workers = {
  'service-worker': row({
    title: 'Service worker',
    how: "import 'transformer-wasm/inline' (one thread)",
    script: servicePage,
    from: inline,
    expected: { threads: 1, worker: false },
  }),
  'service-worker-normal': row({
    title: 'Service worker, import transformer-wasm',
    how: "refused, with a sentence that names 'transformer-wasm/inline'",
    script: servicePage,
    ...{ options: wasmUrl, from: 'transformer-wasm', build: bundle, packages: ['esbuild'] },
    expected: { error: /unsupported: .*transformer-wasm\/inline/, complains: true },
  }),
  'shared-worker': row({
    title: 'SharedWorker',
    how: "import 'transformer-wasm/inline' (one thread)",
    script: sharedPage,
    from: inline,
    expected: { threads: 1, worker: false },
  }),
  'shared-worker-normal': row({
    title: 'SharedWorker, import transformer-wasm',
    how: 'one copy of dist/wasm, and wasmUrl',
    script: sharedPage,
    ...{ options: wasmUrl, from: 'transformer-wasm', build: bundle, packages: ['esbuild'] },
    expected: { worker: false },
  }),
};
