// Next.js: a page and a route handler, by both of its bundlers, and as a standalone server.

import { cp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { chromiumLaunch } from '../lib/chromium.mjs';
import { pageScript, readmeLines, readmeResult, root, sentence } from './project.mjs';
import { visit } from './visit.mjs';

const config = (more = '') => `
const headers = [
  { key: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
  { key: 'Cross-Origin-Embedder-Policy', value: 'require-corp' },
];
export default { headers: async () => [{ source: '/:path*', headers }], ${more} };`;

const files = (more) => ({
  'next.config.mjs': config(more),
  'app/layout.jsx': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;',
  'app/page.jsx': `'use client';
import { useEffect } from 'react';
export default function Page() {
  useEffect(() => { import('./translate.js'); }, []);
  return <link rel="icon" href="data:," />;
}`,
  'app/translate.js': pageScript(),
  // Both with the engine in the server's thread and in a worker.
  'app/api/route.js': `
import { join } from 'node:path';
import { createEngine, loadModel } from 'transformer-wasm';
export const dynamic = 'force-dynamic';
export async function GET() {
  const results = [];
  for (const worker of [false, true]) {
    try {
      const engine = await createEngine({ threads: 2, worker });
      const model = await loadModel(join(process.cwd(), 'public/model'), { engine });
      const { text } = await model.translate(${JSON.stringify(sentence)});
      results.push({ text, threads: engine.info.threads, worker: engine.info.worker });
      await model.dispose();
      await engine.dispose();
    } catch (error) {
      results.push({ error: error.code + ': ' + error.message });
    }
  }
  return Response.json(results);
}`,
});

/** A free port: Next.js does not choose one. */
const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** The results of the page, and of the route in the server's thread and in a worker. */
async function results(project, command) {
  const server = await project.start(command, /Ready in|started server|Listening/i);
  const url = `http://localhost:${/PORT=(\d+)/.exec(command)[1]}/`;
  try {
    const page = await visit(url);
    const [here, inWorker] = await (await fetch(`${url}api`)).json();
    if (inWorker.worker !== true) throw new Error(`the route's worker: ${JSON.stringify(inWorker)}`);
    if (page.worker !== true) throw new Error(`the page's worker: ${JSON.stringify(page)}`);
    return [page, here, inWorker];
  } finally {
    await server.close();
  }
}

const next = (title, { build, more = '', how = 'nothing' }) => ({
  title,
  how,
  packages: ['next@16', 'react@19', 'react-dom@19'],
  files: files(more),
  run: async (project) => {
    await project.sh(`NEXT_TELEMETRY_DISABLED=1 ${build}`);
    return results(project, `env PORT=${await freePort()} node_modules/.bin/next start`);
  },
  expected: { threads: 2 },
});

/** README's own lines in a client component, a server component and a route handler. */
const inFunction = (before, after) => {
  const [imports, body] = readmeLines.split('\n\n');
  return `${imports}\n${before}\n${body}\n${after}`;
};

const readmeFiles = {
  'next.config.mjs': config(),
  'app/layout.jsx': files()['app/layout.jsx'],
  'app/page.jsx': `'use client';
import { useEffect } from 'react';
${inFunction('async function run() {', 'return { text, line };\n}')}
export default function Page() {
  useEffect(() => {
    run().catch((error) => ({ error: String(error) })).then((result) => { globalThis.result = result; });
  }, []);
  return <link rel="icon" href="data:," />;
}`,
  'app/server/page.jsx': `export const dynamic = 'force-dynamic';
${inFunction('export default async function Page() {', 'return <p>{JSON.stringify({ text, line })}</p>;\n}')}`,
  'app/api/route.js': `export const dynamic = 'force-dynamic';
${inFunction('export async function GET() {', 'return Response.json({ text, line });\n}')}`,
};

const firstLinesIn = (bundler) => ({
  title: `README’s first lines: Next.js (${bundler}), a client component, a server component, a route`,
  how: 'nothing',
  packages: ['next@16', 'react@19', 'react-dom@19'],
  files: readmeFiles,
  run: async (project) => {
    await project.sh(`NEXT_TELEMETRY_DISABLED=1 next build --${bundler}`);
    const port = await freePort();
    const server = await project.start(`env PORT=${port} node_modules/.bin/next start`, /Ready in/i);
    const url = `http://localhost:${port}/`;
    try {
      const html = await (await fetch(`${url}server`)).text();
      const shown = /<p>(.*?)<\/p>/.exec(html)?.[1].replaceAll('&quot;', '"').replaceAll('&#x27;', "'");
      return [await visit(url), JSON.parse(shown), await (await fetch(`${url}api`)).json()];
    } finally {
      await server.close();
    }
  },
  expected: readmeResult,
});

const external = "serverExternalPackages: ['transformer-wasm']";

/** The example, as it stands: the page's answer, and what its route answers to a bad request. */
async function example(project) {
  await cp(join(root, 'web/examples/next'), project.folder, { recursive: true });
  await project.sh('NEXT_TELEMETRY_DISABLED=1 next build');
  const port = await freePort();
  const server = await project.start(`env PORT=${port} node_modules/.bin/next start`, /Ready in/i);
  const url = `http://localhost:${port}/`;
  try {
    const empty = await fetch(`${url}api/translate`, { method: 'POST', body: '{"text":""}' });
    if (empty.status !== 400) throw new Error(`an empty text: ${empty.status} ${await empty.text()}`);
    return await translateInPage(url);
  } finally {
    await server.close();
  }
}

/** Presses the page's button, and waits until its text has stopped to grow. */
async function translateInPage(url) {
  const browser = await chromium.launch(chromiumLaunch);
  try {
    const page = await browser.newPage();
    const complaints = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(url, { waitUntil: 'networkidle' });
    const finished = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/translate'));
    await page.fill('input', 'I am hungry.');
    await page.click('button');
    await finished;
    await page.waitForTimeout(300);
    return { example: await page.textContent('p[lang=fr]'), complaints };
  } finally {
    await browser.close();
  }
}

export const servers = {
  'next-example': {
    title: 'Next.js, the example',
    how: 'web/examples/next',
    packages: ['next@16', 'react@19', 'react-dom@19'],
    run: async (project, { text }) => ({ ...(await example(project)), text }),
    expected: { example: "J'ai faim." },
  },
  'next-turbopack': next('Next.js (Turbopack)', { build: 'next build --turbopack' }),
  'next-webpack': next('Next.js (webpack)', { build: 'next build --webpack' }),
  'first-next-turbopack': firstLinesIn('turbopack'),
  'first-next-webpack': firstLinesIn('webpack'),
  'next-standalone': {
    ...next('Next.js, standalone server', {}),
    how: external,
    files: files(
      `output: 'standalone', ${external}, outputFileTracingIncludes: { '/api': ['./node_modules/transformer-wasm/dist/wasm/**'] }`,
    ),
    run: async (project) => {
      await project.sh('NEXT_TELEMETRY_DISABLED=1 next build --turbopack');
      const { folder } = project;
      await cp(join(folder, 'public'), join(folder, '.next/standalone/public'), { recursive: true });
      await cp(join(folder, '.next/static'), join(folder, '.next/standalone/.next/static'), {
        recursive: true,
      });
      return results(project, `env PORT=${await freePort()} node .next/standalone/server.js`);
    },
  },
};
