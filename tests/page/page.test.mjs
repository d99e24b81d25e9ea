// The built page as visitors see it: node --test tests/page/page.test.mjs (after node scripts/build.mjs all)

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadModel } from 'transformer-wasm';
import { buildPage, servePage } from '../../scripts/serve.mjs';
import { serveFolder } from './static_server.mjs';
import { openBrowser, Visitor } from './visitor.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tired = "The animal didn't cross the street because it was too tired.";
const cat = 'The cat sat on the mat.';

let browser;
let model;
let servers;

before(async () => {
  await buildPage();
  model = await loadModel(join(root, 'web/public/models/en-fr'));
  browser = await openBrowser();
  servers = {
    isolated: await servePage(),
    plain: await serveFolder(join(root, 'build/web'), '/in/some/folder/'),
  };
});

after(async () => {
  await browser?.close();
  await model?.dispose();
  for (const server of Object.values(servers ?? {})) await server.close();
});

/** Percentages as the page formats them; the decoder's maps are empty for tokens that did not exist yet. */
function numbers({ data, shape: [, heads, queries, keys] }, head, isCausal = false) {
  const of = (h, q, k) => data[(h * queries + q) * keys + k];
  const mean = (q, k) => Array.from({ length: heads }, (_, h) => of(h, q, k)).reduce((a, b) => a + b) / heads;
  const weight = (q, k) => (head === 'mean' ? mean(q, k) : of(head, q, k));
  const shown = (q, k) => (isCausal && k > q ? '' : `${Math.round(weight(q, k) * 100)}`);
  return Array.from({ length: queries }, (_, q) => Array.from({ length: keys }, (_, k) => shown(q, k)));
}

/** Another variant of the engine may round differently. */
function assertNear(actual, expected) {
  assert.equal(actual.length, expected.length);
  for (const [i, row] of expected.entries()) {
    assert.equal(actual[i].length, row.length);
    for (const [j, number] of row.entries()) {
      assert.equal(actual[i][j] === '', number === '');
      assert.ok(Math.abs(Number(actual[i][j]) - Number(number)) <= 1, `${actual[i][j]} against ${number}`);
    }
  }
}

for (const name of ['isolated', 'plain']) {
  describe(name === 'isolated' ? 'with cross-origin isolation' : 'from any server, in any folder', () => {
    test('translates like the package in Node.js', async () => {
      const visitor = await Visitor.arrive(browser, servers[name].url);
      await visitor.done();
      assert.equal(await visitor.page.evaluate(() => crossOriginIsolated), name === 'isolated');
      assert.match(
        await visitor.text('#engine dl'),
        name === 'isolated' ? /Threads\s+[2-9]/ : /Threads\s+1\b/,
      );
      assert.equal(await visitor.page.inputValue('#source'), tired);
      for (const text of [tired, cat]) {
        await visitor.choose(text);
        assert.equal(await visitor.text('.output'), (await model.translate(text)).text);
      }
      await visitor.leave();
    });

    test('links to the API documentation', async () => {
      const visitor = await Visitor.arrive(browser, servers[name].url);
      await visitor.page.click('#engine a[href="./api/"]');
      await visitor.page.click('.tsd-typography a:text("loadModel")');
      assert.match(await visitor.page.textContent('h1'), /loadModel/);
      await visitor.leave();
    });
  });
}

describe('the heat maps', () => {
  let visitor;
  let expected;

  before(async () => {
    expected = await model.generate(cat, { outputAttentions: true });
    visitor = await Visitor.arrive(browser, servers.plain.url);
    await visitor.done();
    await visitor.choose(cat);
  });
  after(() => visitor.leave());

  test('have a row for each query and a column for each key', async () => {
    const { source, written, decoder } = expected.axes;
    const encoder = await visitor.heatMap('encoder');
    assert.deepEqual(encoder.columns, [...source.slice(0, -1), 'end']);
    assert.deepEqual(encoder.rows, encoder.columns);
    const cross = await visitor.heatMap('cross');
    assert.deepEqual(cross.columns, encoder.columns);
    assert.deepEqual(cross.rows, [...written.slice(0, -1), 'end']);
    const past = await visitor.heatMap('decoder');
    assert.deepEqual(past.columns, ['start', ...decoder.slice(1)]);
    assert.deepEqual(past.rows, cross.rows);
  });

  test('show the selected layer and head', async () => {
    const choose = (group, value) => visitor.page.check(`input[name="${group}"][value="${value}"]`);
    const tensors = {
      encoder: expected.encoderAttentions,
      cross: expected.crossAttentions,
      decoder: expected.decoderAttentions,
    };
    for (const [id, layers] of Object.entries(tensors)) {
      const seen = new Set();
      for (const layer of layers.keys()) {
        await choose(`${id}-layer`, layer);
        for (const head of ['mean', 0, layers[0].shape[1] - 1]) {
          await choose(`${id}-head`, head);
          const shown = (await visitor.heatMap(id)).numbers;
          assertNear(shown, numbers(layers[layer], head, id === 'decoder'));
          seen.add(JSON.stringify(shown));
        }
      }
      assert.equal(seen.size, layers.length * 3);
    }
  });

  test('show the value under the pointer, and that of the selected cell when it leaves', async () => {
    const reading = () => visitor.text('#cross .reading');
    const cell = (row, column) =>
      visitor.page.locator(`#cross tbody tr:nth-child(${row}) td:nth-child(${column + 1})`);
    await cell(2, 3).click();
    const selected = await reading();
    await cell(4, 1).hover();
    assert.notEqual(await reading(), selected);
    assert.match(await reading(), /looks at the: (< )?[\d.]+ %$/);
    await visitor.page.locator('h1').hover();
    assert.equal(await reading(), selected);
  });
});

describe('the two sentences that differ in one word', () => {
  test('are shown side by side, and link to the heads that tell them apart', async () => {
    const visitor = await Visitor.arrive(browser, servers.plain.url);
    const { page } = visitor;
    await visitor.done();
    await visitor.choose(tired.replace('tired', 'wide'));
    const cards = await page.locator('#pronoun .card').all();
    assert.ok(cards.length > 0);
    for (const card of cards) {
      const sentences = await card.locator('.looks-at').allInnerTexts();
      assert.equal(sentences.length, 2);
      assert.equal(sentences[0].replace('tired', 'wide'), sentences[1]);
      const [kind, layer, head] = (await card.locator('h3').innerText()).split(/, layer |, head /);
      const [, reading] = await card.locator('.reading').allInnerTexts();
      await card.getByRole('button').click();
      const id = kind === 'Encoder' ? 'encoder' : 'cross';
      assert.equal(await page.inputValue(`input[name="${id}-layer"]:checked`), `${layer - 1}`);
      assert.equal(await page.inputValue(`input[name="${id}-head"]:checked`), `${head - 1}`);
      assert.equal(await visitor.text(`#${id} .reading`), reading);
    }
    await visitor.choose(cat);
    assert.equal(await page.locator('#pronoun').isVisible(), false);
    await visitor.leave();
  });
});

describe('by keyboard', () => {
  test('everything can be reached, and a heat map is one tab stop with arrow keys inside', async () => {
    const visitor = await Visitor.arrive(browser, servers.plain.url);
    const { page } = visitor;
    await visitor.done();
    const stops = [];
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate(() => {
        const { activeElement: element } = document;
        const isVisible =
          getComputedStyle(element).outlineStyle !== 'none' || element.closest('label, .pane') !== null;
        const place = element.closest('[id]:not(textarea)')?.id;
        return element === document.body
          ? 'out'
          : `${place} ${element.localName}${isVisible ? '' : ' unseen'}`;
      });
      if (stop === 'out') break;
      stops.push(stop);
    }
    const count = (stop) => stops.filter((one) => one === stop).length;
    assert.equal(count('sentence textarea'), 1);
    assert.equal(count('sentence button'), 1);
    assert.equal(count('examples button'), 7);
    for (const id of ['encoder', 'cross', 'decoder']) {
      assert.equal(count(`${id} input`), 2);
      assert.equal(count(`${id} td`), 1);
    }
    assert.equal(count('engine a'), 2); // the model's card and the documentation
    assert.deepEqual(
      stops.filter((stop) => stop.endsWith('unseen')),
      [],
    );

    await page.locator('#encoder td[tabindex="0"]').focus();
    await page.keyboard.press('Control+Home');
    assert.match(await visitor.text('#encoder .reading'), /^the looks at the:/);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.match(await visitor.text('#encoder .reading'), /^did looks at animal:/);
    await page.keyboard.press('End');
    assert.match(await visitor.text('#encoder .reading'), /^did looks at end:/);
    assert.equal(await page.evaluate(() => document.activeElement.localName), 'td');

    await page.locator('input[name="encoder-head"]:checked').focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.inputValue('input[name="encoder-head"]:checked'), '0');
    await visitor.leave();
  });
});

describe('the input', () => {
  let visitor;

  before(async () => {
    visitor = await Visitor.arrive(browser, servers.plain.url);
    await visitor.done();
  });
  after(() => visitor.leave());

  test('is translated after a pause, and the last sentence wins', async () => {
    await visitor.after(async () => {
      await visitor.page.fill('#source', 'I am hungry.');
      await visitor.page.press('#source', 'Enter');
      await visitor.page.fill('#source', cat);
    });
    const { text } = await model.translate(cat);
    await visitor.page.waitForFunction(
      (wanted) => document.querySelector('#translation [role=status]').textContent === `French: ${wanted}`,
      text,
    );
    assert.equal(await visitor.text('.output'), text);
  });

  test('lists its unknown words', async () => {
    await visitor.write('The zyzzyva sat on the mat.');
    assert.match(await visitor.text('#source-note'), /^Not in the vocabulary: zyzzyva$/);
    assert.match(await visitor.text('#tokens ol'), /zyzzyva\s+unknown/);
    await visitor.write(cat);
    assert.equal(await visitor.text('#source-note'), '');
  });

  test('is kept if it is too long or empty, with a message', async () => {
    const long = `The cat ${'and the cat '.repeat(60)}sat.`;
    await visitor.page.fill('#source', long);
    await visitor.page.press('#source', 'Enter');
    await visitor.page.getByText('too long for the model').waitFor();
    assert.equal(await visitor.page.inputValue('#source'), long);
    await visitor.page.fill('#source', '');
    await visitor.page.click('#sentence button');
    await visitor.page.getByText('Type a sentence').waitFor();
    assert.equal(await visitor.text('#translation .alert'), '');
    await visitor.write(cat);
  });
});

describe('files that are missing', () => {
  for (const [what, pattern] of [
    ['model', '**/model.safetensors'],
    ['engine', '**/*.wasm'],
  ]) {
    test(`a missing ${what} is reported, and loading can be retried`, async () => {
      const visitor = await Visitor.arrive(browser, servers.plain.url, {
        before: (page) => page.route(pattern, (route) => route.fulfill({ status: 404 })),
      });
      await visitor.page.getByText(`The ${what} could not be loaded`).waitFor();
      assert.equal(await visitor.page.inputValue('#source'), tired);
      await visitor.page.unroute(pattern);
      await visitor.after(() => visitor.page.getByRole('button', { name: 'Try again' }).click());
      assert.equal(await visitor.text('.output'), (await model.translate(tired)).text);
      // The browser itself logs a missing file to the console.
      visitor.complaints = visitor.complaints.filter((text) => !/status of 404/.test(text));
      await visitor.leave();
    });
  }
});

describe('on every screen', () => {
  test('a phone shows everything without horizontal scrolling', async () => {
    const visitor = await Visitor.arrive(browser, servers.plain.url, {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
    });
    await visitor.done();
    assert.equal(await visitor.overflow(), 0);
    await visitor.page.locator('#cross tbody tr:nth-child(3) td:nth-child(2)').tap();
    assert.match(await visitor.text('#cross .reading'), /looks at the:/);
    await visitor.write(`The cat ${'that chased the mouse '.repeat(6)}was very tired.`);
    assert.equal(await visitor.overflow(), 0);
    await visitor.leave();
  });

  test('the layout does not shift during loading and translation', async () => {
    const visitor = await Visitor.arrive(browser, servers.plain.url);
    await visitor.done();
    await visitor.write('I am hungry.');
    await visitor.page.waitForTimeout(300);
    const shift = await visitor.page.evaluate(() => globalThis.shift);
    assert.ok(shift < 0.01, `layout shift ${shift}`);
    await visitor.leave();
  });

  test('dark mode and reduced motion are respected', async () => {
    const visitor = await Visitor.arrive(browser, servers.plain.url, { colorScheme: 'light' });
    await visitor.done();
    const look = () =>
      visitor.page.evaluate(() => ({
        page: getComputedStyle(document.documentElement).backgroundColor,
        animation: getComputedStyle(document.querySelector('.piece')).animationName,
      }));
    const light = await look();
    assert.notEqual(light.animation, 'none');
    await visitor.page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    const dark = await look();
    assert.notEqual(dark.page, light.page);
    assert.equal(dark.animation, 'none');
    await visitor.leave();
  });
});
