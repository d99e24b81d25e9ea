// The address is the state: links, the history, pictures, frames and lectures.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { built, cat, openSite, tired, wide } from './site.mjs';
import { hashOf, Visitor } from './visitor.mjs';

const site = openSite();
const sentenceIn = async (visitor) => new URLSearchParams((await visitor.hash()).slice(1)).get('s');

describe('what is shared opens as it was', () => {
  test('a link to a view keeps the sentence', async () => {
    const visitor = await site.arrive({ s: wide, l: 'found', w: 3 });
    await visitor.page.evaluate(() => document.querySelector('#masks h2 a').click());
    await visitor.page.waitForFunction(() => location.hash.includes('v=masks'));
    assert.equal(await sentenceIn(visitor), wide);
    assert.match(await visitor.hash(), /w=3/);
    await visitor.leave();
  });

  test('Back goes one swap back', async () => {
    // With the motion of a swap.
    const visitor = await site.arrive({ s: tired }, { reducedMotion: 'no-preference' });
    await visitor.after(() => visitor.page.locator('.chip', { hasText: 'wide' }).click());
    await visitor.after(() => visitor.page.locator('.chip', { hasText: 'hungry' }).click());
    await visitor.page.locator('.french .word').nth(2).click();
    await visitor.after(() => visitor.page.goBack());
    assert.equal(await sentenceIn(visitor), wide);
    await visitor.page.locator('.french .word.elle').waitFor();
    await visitor.after(() => visitor.page.goBack());
    assert.equal(await sentenceIn(visitor), tired);
    await visitor.leave();
  });

  test('what is written in one go is one entry', async () => {
    const visitor = await site.arrive({ s: tired });
    await visitor.openField();
    const before = await visitor.page.evaluate(() => history.length);
    for (const text of ['The cat', 'The cat sat', cat]) {
      await visitor.page.fill('#source', text);
      await visitor.page.waitForFunction(
        (s) => new URLSearchParams(location.hash.slice(1)).get('s') === s,
        text,
      );
    }
    assert.equal(await visitor.page.evaluate(() => history.length), before + 1);
    await visitor.leave();
  });

  test('the picture is three times as large, with paper behind it', async () => {
    const visitor = await site.arrive({ s: wide });
    // What explains is not painted, open or folded.
    await visitor.page.locator('.stage-below .agreement-button').click();
    const [download] = await Promise.all([
      visitor.page.waitForEvent('download'),
      visitor.page.locator('.popover').getByRole('button', { name: 'Save picture' }).click(),
    ]);
    const png = await readFile(await download.path());
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [3600, 1890]);
    const [corner, inks] = await visitor.page.evaluate(
      async (bytes) => {
        const image = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
        const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, image.width, image.height);
        const colours = new Set();
        for (let i = 0; i < data.length; i += 4 * 97) colours.add(`${data.slice(i, i + 4)}`);
        return [[...data.slice(0, 4)], colours.size];
      },
      [...png],
    );
    assert.deepEqual(corner, [0xfc, 0xfa, 0xf6, 255]);
    assert.ok(inks > 50, `${inks} colours`);
    await visitor.leave();
  });

  test('each view has such a picture too: what stands there, its claim, and where it is from', async () => {
    const visitor = await site.arrive({ s: wide, v: 'split' });
    const { page } = visitor;
    await page.locator('#split .spoken', { hasText: 'It writes' }).waitFor();
    const { width } = await page.locator('#split .picture').boundingBox();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('#split').getByRole('button', { name: 'Save picture' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'split.png');
    const png = await readFile(await download.path());
    assert.equal(png.readUInt32BE(16), Math.ceil((width + 64) * 3));
    // How much of it is not paper: of its margin, of the claim, of the figure, and of what is said below.
    const shares = await page.evaluate(
      async (bytes) => {
        const image = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
        const context = new OffscreenCanvas(image.width, image.height).getContext('2d', {
          willReadFrequently: true,
        });
        context.drawImage(image, 0, 0);
        const inkIn = (from, to) => {
          const [top, height] = [Math.floor(from * image.height), Math.floor((to - from) * image.height)];
          const { data } = context.getImageData(0, top, image.width, height);
          let inked = 0;
          for (let i = 0; i < data.length; i += 4)
            if (data[i] !== 0xfc || data[i + 1] !== 0xfa || data[i + 2] !== 0xf6) inked++;
          return inked / (data.length / 4);
        };
        return [inkIn(0, 0.02), inkIn(0.02, 0.1), inkIn(0.1, 0.9), inkIn(0.9, 0.98)];
      },
      [...png],
    );
    const [margin, ...written] = shares;
    assert.equal(margin, 0);
    for (const share of written) assert.ok(share > 0.002, `${shares}`);
    await visitor.leave();
  });

  test('other sites have a picture of the page to show', async () => {
    const html = await readFile(join(built, 'index.html'), 'utf8');
    const of = (property) => new RegExp(`property="og:${property}" content="([^"]+)"`).exec(html)?.[1];
    assert.match(of('title'), /Change one word/);
    assert.match(of('description'), /translates English into French/);
    // Crawlers take absolute addresses only: the site is named when the page is built for it.
    if (process.env.SITE_URL) assert.equal(of('image'), new URL('share.png', process.env.SITE_URL).href);
    else assert.equal(of('image'), undefined);
    const png = await readFile(join(built, 'share.png'));
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)].map(String), [
      of('image:width'),
      of('image:height'),
    ]);
  });

  test('a frame tells how high it is, and leads back to the page', async () => {
    const visitor = await Visitor.arrive(site.browser, `${site.plain.url}?embed=heads${hashOf({ s: cat })}`);
    await visitor.page.locator('#heads .spoken b').first().waitFor();
    const address = await visitor.page.locator('.embed-link').getAttribute('href');
    assert.ok(!address.includes('embed') && address.includes('s=The+cat'), address);
    await visitor.leave();
  });

  test('a lecture shows one figure a screen, and arrow keys lead on', async () => {
    const visitor = await Visitor.arrive(site.browser, `${site.plain.url}?present${hashOf({ s: cat })}`);
    await visitor.done();
    const top = () =>
      visitor.page.evaluate(() =>
        [...document.querySelectorAll('main section')].findIndex(
          (section) => Math.abs(section.getBoundingClientRect().top) < innerHeight / 3,
        ),
      );
    await visitor.page.evaluate(() => document.activeElement?.blur());
    assert.equal(await top(), 0);
    await visitor.page.keyboard.press('ArrowRight');
    assert.equal(await top(), 1);
    await visitor.page.keyboard.press('ArrowLeft');
    assert.equal(await top(), 0);
    await visitor.leave();
  });
});
