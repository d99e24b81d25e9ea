// The page as ONE file: node scripts/build_single.mjs (after npm run build); also npm run build:single
// Engine, models, styles and font are inside of build/transformer.html, which translates from disk, without any network.

import { readdirSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, loadConfigFromFile, mergeConfig } from 'vite';
import { thirdPartyPlugin } from './build/third_party.mjs';
import { firstReadingsPlugin } from './first_readings.mjs';
import { ExpectedError, runMain, say, step } from './lib/console.mjs';
import { isOnlyForThePage } from './lib/page_models.mjs';
import { earlyScript, pageWordsPlugin } from './page_words.mjs';
import { quantizedModel } from './quantized_model.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'build/single');
const models = join(root, 'web/public/models');
export const singleFile = join(root, 'build/transformer.html');

/** Nothing may be loaded: everything is inside. */
const policy = [
  "default-src 'none'",
  "script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:",
  'worker-src blob:',
  'connect-src data: blob:',
  "style-src 'unsafe-inline'",
  'img-src data: blob:',
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Each recurrent model would add a third to the file, which shows an article's numbers instead. */
const carried = readdirSync(models).filter((name) => !isOnlyForThePage(name));

/** By path, each file of the models as a compressed data: URL; cards are left out. */
async function packModels() {
  const places = { 'en-fr': await quantizedModel(join(models, 'en-fr')) };
  const packed = {};
  for (const name of carried) {
    const place = places[name] ?? join(models, name);
    for (const file of (await readdir(place)).filter((each) => !each.endsWith('.md'))) {
      const bytes = gzipSync(await readFile(join(place, file)), { level: 9 });
      packed[`models/${name}/${file}`] = `data:application/gzip;base64,${bytes.toString('base64')}`;
    }
  }
  return packed;
}

/** The models, and the module that reads them in place of the one that asks a server. */
const packedModels = {
  name: 'packed-models',
  enforce: 'pre',
  resolveId(id, importer) {
    if (id === 'virtual:packed-models') return id;
    if (/\/reading\/training\.js$/.test(id)) return join(root, 'web/src/reading/no_training.ts');
    return /\/files\.js$/.test(id) && importer ? join(root, 'web/src/reading/inline_files.ts') : null;
  },
  load: async (id) =>
    id === 'virtual:packed-models' ? `export default ${JSON.stringify(await packModels())}` : null,
};

/** A function, because a replacement text would expand `$&`. */
const put = (html, pattern, text) => html.replace(pattern, () => text);

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Puts the script, the styles and the licences into the page. */
function inlined(html, { script, early, styles, licences }) {
  const folded = (title) =>
    `</p><details><summary>${title}</summary><pre>${escaped(licences)}</pre></details><p>`;
  const bare = html
    .replace(/<a class="documentation"[^>]*>[^<]*<\/a>/, '')
    .replace(/<a href="\.\/THIRD_PARTY\.txt"[^>]*>([^<]*)<\/a>/, (_link, title) => folded(title))
    .replace(/\s*<link rel="(icon|stylesheet|preload|modulepreload)"[^>]*>/g, '')
    .replace(/<a href="\.\/[^"]*"[^>]*>([^<]*)<\/a>/g, '$1'); // there is nothing beside the file
  const styled = put(bare, '</head>', `<style>${styles}</style>\n    <script>${early}</script>\n  </head>`);
  const safe = script.replaceAll('</script', String.raw`<\/script`).replaceAll('<!--', String.raw`<\!--`);
  const whole = put(
    styled,
    /<script type="module"[^>]*><\/script>/,
    `<script type="module">${safe}</script>`,
  );
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}" />`;
  return put(whole, /<meta charset[^>]*>/, `<meta charset="utf-8" />\n    ${meta}`);
}

export async function buildSingle() {
  const { config } = await loadConfigFromFile(
    { command: 'build', mode: 'production' },
    join(root, 'web/vite.config.mjs'),
  );
  await build(
    mergeConfig(
      { ...config, plugins: [], resolve: {}, build: {} },
      {
        configFile: false,
        logLevel: 'warn',
        publicDir: false,
        plugins: [pageWordsPlugin(), firstReadingsPlugin(carried), packedModels, thirdPartyPlugin()],
        resolve: { alias: { 'transformer-wasm': join(root, 'dist/inline.js') } },
        build: {
          outDir: folder,
          emptyOutDir: true,
          target: 'es2022',
          assetsInlineLimit: Number.MAX_SAFE_INTEGER,
          cssCodeSplit: false,
          modulePreload: false,
          chunkSizeWarningLimit: Number.MAX_SAFE_INTEGER,
          rollupOptions: { input: join(root, 'web/index.html'), output: { codeSplitting: false } },
        },
      },
    ),
  );
  const assets = await readdir(join(folder, 'assets'));
  const [script, ...more] = assets.filter((name) => name.endsWith('.js'));
  if (!script || more.length > 0) throw new ExpectedError(`the page has ${assets.length} assets: ${assets}`);
  const read = (name) => readFile(join(folder, 'assets', name), 'utf8');
  const styles = await Promise.all(assets.filter((name) => name.endsWith('.css')).map(read));
  const html = await readFile(join(folder, 'index.html'), 'utf8');
  const licences = await readFile(join(folder, 'THIRD_PARTY.txt'), 'utf8');
  const page = inlined(html, {
    script: await read(script),
    early: await earlyScript(),
    styles: styles.join('\n'),
    licences,
  });
  await writeFile(singleFile, page);
  await rm(folder, { recursive: true });
  return page.length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runMain(async () => {
    const bytes = await step('Building the page as a single file', buildSingle);
    say(`build/transformer.html: ${(bytes / 1e6).toFixed(1)} MB. Open it in a browser, from disk.`);
  });
}
