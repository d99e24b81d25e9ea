// The README's pictures: node scripts/pictures.mjs (after npm run build)
// Opens the built page and writes web/pictures/: views as PNG, and the opening of the first screen as a GIF.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import gifenc from 'gifenc';
import { chromium } from 'playwright';
import { PNG } from 'pngjs';
import { chromiumLaunch } from './lib/chromium.mjs';
import { ExpectedError, runMain, say, step } from './lib/console.mjs';
import { buildPage, servePage } from './serve.mjs';

const { GIFEncoder, quantize, applyPalette } = gifenc;
const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'web/pictures');
const maxGifBytes = 600_000;

/** The content of each picture: a view, with its settings in the address. */
const pictures = {
  attention: '?embed=attention',
  positions: '?embed=positions',
  masks: '?embed=masks#masks.preset=causal&h=encoder.1.3',
  pictures: '?embed=pictures',
};

/** The opening: the French is written, then one English word changes. In milliseconds. */
const opening = { length: 9000, every: 120, hold: 2500 };
const stage = { x: 0, y: 60, width: 1280, height: 640 };

async function takePicture(browser, url, name) {
  const page = await browser.newPage({ viewport: { width: 1100, height: 700 } });
  const [search, hash = ''] = pictures[name].split('#');
  const fields = new URLSearchParams(hash);
  fields.set('s', "The animal didn't cross the street because it was too wide.");
  await page.goto(`${url}${search}#${fields}`);
  await page
    .locator(`#${search.split('=')[1]} .spoken:not(:empty)`)
    .first()
    .waitFor({ timeout: 30_000 });
  await page.waitForTimeout(1500);
  await page
    .locator('figure')
    .first()
    .screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}

/** What other sites show of a link to the page, in the size that they ask for. */
async function takeShared(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 630 }, bypassCSP: true });
  const s = "The animal didn't cross the street because it was too wide.";
  await page.goto(`${url}#${new URLSearchParams({ s })}`);
  await page.waitForFunction(() => /so:/.test(document.querySelector('.claim')?.textContent));
  await page.addStyleTag({ content: '.bar, .popover { visibility: hidden } body { margin-top: -56px }' });
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(folder, '../public/share.png') });
  await page.close();
}

/** Screenshots of the first screen as it opens, from the moment the model is there. */
async function filmOpening(browser, url) {
  const page = await browser.newPage({ viewport: { width: stage.width, height: 760 } });
  await page.goto(url);
  await page.waitForTimeout(300);
  const frames = [];
  const begin = performance.now();
  while (performance.now() - begin < opening.length) {
    const { data } = PNG.sync.read(await page.screenshot({ clip: stage }));
    frames.push({ data: new Uint8Array(data), at: performance.now() - begin });
    await page.waitForTimeout(opening.every);
  }
  await page.close();
  return frames;
}

/** A GIF in which each frame holds only the pixels that changed. */
function encode(frames) {
  const last = frames.at(-1);
  if (!last) throw new ExpectedError('nothing was filmed');
  // The colours of the middle and the last frame: both words' colours are in them.
  const sample = new Uint8Array([...(frames[Math.floor(frames.length / 2)]?.data ?? []), ...last.data]);
  const palette = quantize(sample, 127);
  const transparent = palette.length;
  const colours = [...palette, [0, 0, 0]];
  const gif = GIFEncoder();
  let before = null;
  for (const [i, { data, at }] of frames.entries()) {
    const indices = applyPalette(data, palette);
    const isSame = before?.every((index, place) => index === indices[place]);
    const next = frames
      .slice(i + 1)
      .find(({ data: other }) => !other.every((byte, place) => byte === data[place]));
    if (isSame) continue;
    const changed = before
      ? indices.map((index, place) => (index === before[place] ? transparent : index))
      : indices;
    gif.writeFrame(changed, stage.width, stage.height, {
      palette: before ? undefined : colours,
      transparent: before !== null,
      transparentIndex: transparent,
      dispose: 1,
      delay: Math.round(next ? next.at - at : opening.hold),
    });
    before = indices;
  }
  gif.finish();
  return gif.bytes();
}

await runMain(async () => {
  await mkdir(folder, { recursive: true });
  await step('Building the page', buildPage);
  const server = await servePage({ port: 4399 });
  const browser = await chromium.launch(chromiumLaunch);
  try {
    for (const name of Object.keys(pictures))
      await step(`Taking ${name}.png`, () => takePicture(browser, server.url, name));
    await step('Taking share.png', () => takeShared(browser, server.url));
    const gif = await step('Filming opening.gif', async () => encode(await filmOpening(browser, server.url)));
    if (gif.length > maxGifBytes)
      throw new ExpectedError(`opening.gif has ${gif.length} bytes, more than ${maxGifBytes}`);
    await writeFile(join(folder, 'opening.gif'), gif);
    say(
      `web/pictures: ${Object.keys(pictures).length} pictures, and opening.gif of ${Math.round(gif.length / 1000)} kB`,
    );
  } finally {
    await browser.close();
    await server.close();
  }
});
