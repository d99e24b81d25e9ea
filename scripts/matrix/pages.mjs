// Pages without a bundler: what their servers send, and where the package comes from.

import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serveFolder } from '../../tests/page/static_server.mjs';
import { html, isolation, pageScript } from './project.mjs';
import { visitExtension, visitFolder } from './visit.mjs';

const packages = {
  'transformer-wasm': 'transformer-wasm/dist/index.js',
  'wasm-feature-detect': 'wasm-feature-detect/dist/esm/index.js',
};

/** @param others files of the packages, by the names that they are imported by */
export const importMap = (base, others = {}) => {
  const imports = Object.fromEntries(
    Object.entries({ ...packages, ...others }).map(([name, file]) => [name, `${base}/node_modules/${file}`]),
  );
  return `<script type="importmap">${JSON.stringify({ imports })}</script>`;
};

/** The site: a page that imports the package from `base`. */
async function makeSite({ folder }, { base = '', head = '', options, from }) {
  const site = join(folder, 'site');
  await cp(join(folder, 'public'), site, { recursive: true });
  const map = from?.startsWith('http') ? '' : importMap(base);
  await writeFile(join(site, 'index.html'), html('page.js', head + map));
  await writeFile(join(site, 'page.js'), pageScript(options, from));
  return site;
}

export const withOwnCopy = async (project, options) => {
  const site = await makeSite(project, options);
  await mkdir(site, { recursive: true });
  await cp(join(project.folder, 'node_modules'), join(site, 'node_modules'), { recursive: true });
  return site;
};

/** Serves the packages from another origin than the page, as a CDN does. */
async function fromCdn(project, headers, { from, options } = {}) {
  const cdn = await serveFolder(project.folder, '/', { 'Access-Control-Allow-Origin': '*' });
  try {
    const base = cdn.url.slice(0, -1);
    const site = await makeSite(project, { base, options, from: from && `${base}/node_modules/${from}` });
    return await visitFolder(site, headers);
  } finally {
    await cdn.close();
  }
}

const policy = (scripts, ...others) => ({
  'Content-Security-Policy': [`script-src 'self' ${scripts}`, "connect-src 'self'", ...others].join('; '),
});

const extensionPolicy = "script-src 'self' 'wasm-unsafe-eval'";

export const pages = {
  'import-map': {
    title: 'Import map, no bundler',
    how: 'an import map of three lines',
    quick: true,
    run: async (project) => visitFolder(await withOwnCopy(project, {}), isolation),
    expected: { threads: 2, worker: true },
  },
  cdn: {
    title: 'CDN (files of another origin), isolated',
    how: 'an import map with the CDN’s addresses; threads need the headers on the page',
    quick: true,
    run: (project) => fromCdn(project, isolation),
    expected: { threads: 2, worker: true },
  },
  'cdn-plain': {
    title: 'CDN, not isolated',
    how: 'an import map with the CDN’s addresses',
    quick: true,
    run: (project) => fromCdn(project, {}),
    expected: { threads: 1, worker: true, note: /not cross-origin isolated/ },
  },
  'cdn-inline': {
    title: 'CDN, one file',
    how: "import 'https://…/transformer-wasm/dist/inline.js'",
    quick: true,
    run: (project) => fromCdn(project, {}, { from: 'transformer-wasm/dist/inline.js' }),
    expected: { threads: 1, worker: true, note: /inline/ },
  },
  'cdn-csp': {
    title: 'CDN, a policy that forbids blob: workers',
    how: "runs in the page's thread; worker-src blob: allows the worker",
    quick: true,
    run: (project) => fromCdn(project, { 'Content-Security-Policy': "worker-src 'self'" }),
    expected: { threads: 1, worker: false, note: /worker could not be started/, complains: true },
  },
  csp: {
    title: 'Content Security Policy',
    how: "script-src 'self' 'wasm-unsafe-eval'",
    quick: true,
    run: async (project) => {
      const site = await withOwnCopy(project, {
        options: "{ threads: 2, wasmUrl: '/node_modules/transformer-wasm/dist/wasm/' }",
      });
      // An import map is an inline script: this page has none.
      await project.sh(
        'esbuild site/page.js --bundle --format=esm --outfile=site/bundle.js --log-level=error',
      );
      await writeFile(join(site, 'index.html'), html('bundle.js'));
      return visitFolder(site, { ...isolation, ...policy("'wasm-unsafe-eval'", "worker-src 'self'") });
    },
    packages: ['esbuild'],
    expected: { threads: 2, worker: true, complains: /favicon|data:/ },
  },
  'csp-strict': {
    title: 'Content Security Policy without wasm-unsafe-eval',
    how: 'refused, with a sentence that says what is missing',
    quick: true,
    run: async (project) => {
      const site = await withOwnCopy(project, {
        options: "{ wasmUrl: '/node_modules/transformer-wasm/dist/wasm/' }",
      });
      await project.sh(
        'esbuild site/page.js --bundle --format=esm --outfile=site/bundle.js --log-level=error',
      );
      await writeFile(join(site, 'index.html'), html('bundle.js'));
      return visitFolder(site, policy(''));
    },
    packages: ['esbuild'],
    expected: { error: /unsupported: .*'wasm-unsafe-eval' to script-src/, complains: true },
  },
  'github-pages': {
    title: 'A server whose headers cannot be set (GitHub Pages)',
    how: 'coi-serviceworker, one file beside the page, for threads',
    packages: ['coi-serviceworker'],
    run: async (project) => {
      const site = await withOwnCopy(project, { head: '<script src="coi-serviceworker.js"></script>' });
      await cp(
        join(site, 'node_modules/coi-serviceworker/coi-serviceworker.js'),
        join(site, 'coi-serviceworker.js'),
      );
      return visitFolder(site, {}, () => globalThis.crossOriginIsolated && globalThis.result !== undefined);
    },
    expected: { threads: 2, worker: true },
  },
  extension: {
    title: 'Browser extension (Manifest V3)',
    how: `${extensionPolicy}, and a copy of dist/wasm`,
    packages: ['esbuild'],
    run: async (project) => {
      const options = "{ threads: 2, wasmUrl: '/node_modules/transformer-wasm/dist/wasm/' }";
      const site = await withOwnCopy(project, { options });
      await project.sh(
        'esbuild site/page.js --bundle --format=esm --outfile=site/bundle.js --log-level=error',
      );
      await writeFile(join(site, 'page.html'), html('bundle.js'));
      const manifest = {
        ...{ manifest_version: 3, name: 'extension', version: '1' },
        content_security_policy: { extension_pages: `${extensionPolicy}; object-src 'self'` },
        cross_origin_embedder_policy: { value: 'require-corp' },
        cross_origin_opener_policy: { value: 'same-origin' },
      };
      await writeFile(join(site, 'manifest.json'), JSON.stringify(manifest));
      return visitExtension(site, 'page.html');
    },
    expected: { threads: 2, worker: true },
  },
  credentialless: {
    title: 'COEP: credentialless',
    how: 'nothing',
    quick: true,
    run: async (project) =>
      visitFolder(await withOwnCopy(project, {}), {
        ...isolation,
        'Cross-Origin-Embedder-Policy': 'credentialless',
      }),
    expected: { threads: 2, worker: true },
  },
};
