import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { firstReadings } from '../scripts/first_readings.mjs';
import { quantizedModel } from '../scripts/quantized_model.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/** Headers that allow the page to share memory between threads. */
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** The built page may load from its own server and run WebAssembly: nothing else, and nothing inline. */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  // The second: models that a visitor asks for by their names, and only then.
  "connect-src 'self' https://huggingface.co https://*.huggingface.co https://*.hf.co",
  "style-src 'self'",
  "img-src 'self' blob:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** For the build only: Vite's development server needs inline styles and a socket. */
const strictPolicy = {
  name: 'strict-policy',
  apply: 'build',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: policy },
      injectTo: 'head-prepend',
    },
  ],
};

/** Copies the API documentation, which `npm run docs` writes, beside the page. */
const apiDocumentation = {
  name: 'api-documentation',
  apply: 'build',
  async closeBundle() {
    const [from, to] = [path('../build/api'), path('../build/web/api')];
    if (existsSync(from)) await cp(from, to, { recursive: true });
    else this.warn('The page is built without /api/. Run `npm run docs` first.');
  },
};

/** `virtual:first-readings`: what the page shows before the model has arrived. */
const readings = {
  name: 'first-readings',
  resolveId: (id) => (id === 'virtual:first-readings' ? id : null),
  load: async (id) => (id === 'virtual:first-readings' ? `export default ${await firstReadings()}` : null),
};

/** The page ships the 8-bit model, a quarter of the size: visitors on a phone wait for it. */
const smallModel = {
  name: 'small-model',
  apply: 'build',
  async closeBundle() {
    const folder = path('../build/web/models/en-fr');
    const quantized = await quantizedModel(path('public/models/en-fr'));
    await rm(folder, { recursive: true });
    await cp(quantized, folder, { recursive: true });
  },
};

export default defineConfig({
  root: path('.'),
  // Relative, so that the page works in any folder of any server.
  base: './',
  // A missing file is a 404, not the page.
  appType: 'mpa',
  resolve: { alias: { 'transformer-wasm': path('../dist/index.js') } },
  worker: { format: 'es' },
  plugins: [strictPolicy, readings, smallModel, apiDocumentation],
  server: { headers: isolation, fs: { allow: [path('..')] } },
  preview: { headers: isolation },
  build: {
    outDir: path('../build/web'),
    emptyOutDir: true,
    target: 'es2022',
    // Small files stay files: the policy forbids data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
