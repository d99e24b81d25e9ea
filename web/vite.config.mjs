import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { marked } from 'marked';
import { defineConfig } from 'vite';
import { firstReadingsPlugin } from '../scripts/first_readings.mjs';
import { pageWordsPlugin } from '../scripts/page_words.mjs';
import { quantizedModel } from '../scripts/quantized_model.mjs';
import { thirdPartyPlugin } from '../scripts/build/third_party.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/** Headers that allow the page to share memory between threads. */
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** Runs before anything is drawn. In the page itself: whatever is asked for after a script waits for that script. */
const early = readFileSync(path('early.js'), 'utf8');
const earlyHash = createHash('sha256').update(early).digest('base64');

/** The built page may load from its own server and run WebAssembly: nothing else, and nothing inline but this one script. */
const policy = [
  // Not 'none': Firefox asks it about <link rel="prefetch">, which has no directive of its own.
  "default-src 'self'",
  "object-src 'none'",
  "media-src 'none'",
  "manifest-src 'none'",
  `script-src 'self' 'wasm-unsafe-eval' 'sha256-${earlyHash}'`,
  "worker-src 'self'",
  // The second: models that a visitor asks for by their names, and only then.
  "connect-src 'self' https://huggingface.co https://*.huggingface.co https://*.hf.co",
  "style-src 'self'",
  "img-src 'self' blob:",
  "font-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

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

/** The modules that a first translation needs. Not by the names of chunks: the package has modules of the same names. */
const soon = /web\/src\/reading\/(session|reader)\.ts$|dist\/chunks\/(copying|forward|passes)\.js$/;

/**
 * The model, the code that runs it and the font are asked for with the page's code, not after it: over a slow line, each
 * further round trip is half a second.
 */
const preloads = {
  name: 'preloads',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(html, { path: page, bundle = {} }) {
      if (page !== '/index.html') return [];
      const files = Object.values(bundle);
      // A module that is imported dynamically may stand behind a chunk of its own, which has nothing but its exports.
      const chunks = files.filter(({ moduleIds = [], facadeModuleId }) =>
        [...moduleIds, facadeModuleId ?? ''].some((id) => soon.test(id)),
      );
      const modules = new Set(chunks.flatMap(({ fileName, imports = [] }) => [fileName, ...imports]));
      const fonts = files.map(({ fileName }) => fileName).filter((file) => file.endsWith('.woff2'));
      const link = (file, attrs) => ({ tag: 'link', attrs: { ...attrs, href: `./${file}` }, injectTo: 'head' });
      return [
        ...fonts.map((file) => link(file, { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '' })),
        ...[...modules]
          .filter((file) => file.endsWith('.js') && !html.includes(file))
          .map((file) => link(file, { rel: 'modulepreload', fetchpriority: 'low' })),
        // A prefetch has the lowest priority: a preload would be sent before the engine's worker, and hold it up.
        link('models/en-fr/model.safetensors', { rel: 'prefetch', as: 'fetch', crossorigin: '' }),
      ];
    },
  },
};

/**
 * What other sites show of a link to the page. They read no JavaScript and get nothing behind the #: the picture is that of
 * the page's own sentence. Some want its whole address, which SITE_URL in the environment begins.
 */
const sharedPicture = {
  name: 'shared-picture',
  transformIndexHtml: {
    order: 'pre',
    handler(html, { path: page }) {
      if (page !== '/index.html') return [];
      const site = process.env.SITE_URL;
      const text = (pattern) => pattern.exec(html)?.[1] ?? '';
      const properties = {
        'og:type': 'website',
        'og:title': text(/<title[^>]*>([^<]*)/),
        'og:description': text(/name="description"[^>]*content="([^"]*)/),
        // Crawlers take absolute addresses only.
        ...(site && { 'og:image': new URL('share.png', site).href }),
        'og:image:width': '1200',
        'og:image:height': '630',
        'og:image:alt': 'An English sentence, its French translation, and ribbons from each French word to the English ones it looked at',
        ...(site && { 'og:url': site }),
      };
      return [
        ...Object.entries(properties).map(([property, content]) => ({ tag: 'meta', attrs: { property, content } })),
        { tag: 'meta', attrs: { name: 'twitter:card', content: 'summary_large_image' } },
      ];
    },
  },
};

/**
 * First in the page: its encoding, which browsers look for in the first 1024 bytes; what it may load, without which they
 * look for nothing else ahead of time; and the language that it speaks, which is known before any of it is drawn. The
 * policy is for the build only: Vite's development server needs inline styles and a socket.
 */
const firstTags = {
  name: 'first-tags',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { path: page, bundle }) => {
      const tag = (name, attrs) => ({ tag: name, attrs, injectTo: 'head-prepend' });
      return {
        html: html.replace(/\s*<meta charset="utf-8"\s*\/?>/, ''),
        tags: [
          tag('meta', { charset: 'utf-8' }),
          ...(bundle ? [tag('meta', { 'http-equiv': 'Content-Security-Policy', content: policy })] : []),
          { ...tag('script', bundle && earlyAttributes(bundle, page)), children: early },
        ],
      };
    },
  },
};

/** The files that it may ask for: see early.js. */
const earlyAttributes = (bundle, page) =>
  page === '/index.html'
    ? { 'data-words': wordFiles(bundle, './'), 'data-from-disk': './from-disk.js' }
    : { 'data-words': wordFiles(bundle, '../') };

/** Where the words of each language are: `en ./assets/en-….js`, one after the other. */
const wordFiles = (bundle, up) =>
  Object.values(bundle)
    .flatMap(({ fileName, facadeModuleId }) => {
      const language = /\/web\/src\/words\/(\w\w)\.ts$/.exec(facadeModuleId ?? '')?.[1];
      return language ? [`${language} ${up}${fileName}`] : [];
    })
    .join(' ');

/** From disk, browsers refuse style sheets that are asked for with CORS. */
const fromDisk = {
  name: 'from-disk',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => html.replace(/(<link rel="stylesheet") crossorigin/g, '$1'),
  },
};

/** Nothing is drawn without the style sheets: over HTTP/1.1, where six files come at a time, they are among the first. */
const stylesFirst = {
  name: 'styles-first',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(html) {
      const sheet = /\s*<link rel="stylesheet"[^>]*>/g;
      const sheets = html.match(sheet) ?? [];
      const module = /\s*<script type="module"/;
      if (!module.test(html)) throw new Error('a page has no module to put its style sheets before');
      return html.replace(sheet, '').replace(module, (script) => sheets.join('') + script);
    },
  },
};

/** The models' cards as pages: browsers show Markdown as raw text. */
const modelCards = {
  name: 'model-cards',
  apply: 'build',
  async closeBundle() {
    const [from, to] = [path('public/models'), path('../build/web/models')];
    for (const name of await readdir(from)) {
      if (!existsSync(`${from}/${name}/README.md`)) continue;
      const card = await marked(await readFile(`${from}/${name}/README.md`, 'utf8'));
      const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'" />
    <title>The model ${name}</title>
    <link rel="stylesheet" href="../../card.css" />
  </head>
  <body>
    <main>
${card}    </main>
    <p><a href="../../">To the page</a></p>
  </body>
</html>
`;
      await writeFile(`${to}/${name}/index.html`, page);
    }
  },
};

export default defineConfig({
  root: path('.'),
  // Relative, so that the page works in any folder of any server.
  base: './',
  // A missing file is a 404, not the page.
  appType: 'mpa',
  resolve: {
    alias: {
      'transformer-wasm/train': path('../dist/train.js'),
      'transformer-wasm': path('../dist/index.js'),
    },
  },
  worker: { format: 'es' },
  plugins: [
    pageWordsPlugin(),
    firstTags,
    preloads,
    sharedPicture,
    fromDisk,
    stylesFirst,
    firstReadingsPlugin(readdirSync(path('public/models'))),
    smallModel,
    modelCards,
    thirdPartyPlugin(),
    apiDocumentation,
  ],
  server: { headers: isolation, fs: { allow: [path('..')] } },
  preview: { headers: isolation },
  build: {
    outDir: path('../build/web'),
    emptyOutDir: true,
    target: 'es2022',
    // Small files stay files: the policy forbids data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ['.', 'gallery', 'speed', 'proof'].map((folder) => path(`${folder}/index.html`)),
      // What is needed at once comes at once: as 40 files, over a slow network, it came 3 s later.
      output: {
        codeSplitting: {
          groups: [
            // Not main.ts itself, which would run in the gallery too.
            {
              name: 'page',
              test: /web[\\/]src[\\/](page[\\/](chapters|sight)|reading[\\/](loaded_models|readings|scrolled)|stage[\\/]stage|tour[\\/]follow|views[\\/]index)\.ts$/,
            },
            // The gallery and the page of speed have these too, and nothing else of the page.
            { name: 'words', test: /web[\\/]src[\\/]words[\\/](words|numbers)\.ts$/, priority: 1 },
            { name: 'engine', test: /dist[\\/]chunks[\\/](common|base)\.js$/, priority: 1 },
            {
              name: 'session',
              test: /web[\\/]src[\\/]reading[\\/](session|reader)\.ts$|dist[\\/]chunks[\\/](copying|cross_weights|forward|passes)\.js$/,
            },
          ],
        },
      },
    },
  },
});
