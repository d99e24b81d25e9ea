// A visitor's own model: from files, from a folder that is dropped, from a hub.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { loadModel } from 'transformer-wasm';
import { startHub } from '../lib/hub_server.mjs';
import { assertNear, built, cat, openSite, root, wide } from './site.mjs';

const site = openSite();

describe('your model', () => {
  for (const [family, kind] of [
    ['gpt2', 'Decoder'],
    ['bert', 'Encoder'],
  ]) {
    test(`${family}, with one stack alone, shows its own attention`, async () => {
      const folder = join(root, 'tests/fixtures/reference', family);
      const visitor = await site.arrive({ s: '5 17 3 9', v: 'your-model' });
      const files = ['config.json', 'model.safetensors'].map((name) => join(folder, name));
      await visitor.page.setInputFiles('#model-files', files);
      await visitor.page.getByText(`now show your model: ${family}`).waitFor();
      const own = await loadModel(folder);
      const sequences =
        family === 'gpt2' ? (await own.generate([5, 17, 3, 9], { maxNewTokens: 12 })).sequences : [];
      const inputIds = [sequences[0]?.ids.slice(0, -1) ?? [5, 17, 3, 9]];
      const { attentions } = await own.forward({ inputIds }, { outputAttentions: true });
      const {
        data,
        shape: [, heads, queries, keys],
      } = attentions.at(-1);
      await visitor.goTo('heads');
      await visitor.page.getByText(`${kind} ${attentions.length}, head ${heads}:`).first().waitFor();
      const { numbers } = await visitor.table('heads');
      assert.deepEqual([numbers.length, numbers[0].length], [queries, keys]);
      const head = data.subarray((heads - 1) * queries * keys);
      for (const [i, row] of numbers.entries()) {
        for (const [j, cell] of row.entries()) assertNear(cell, head[i * keys + j]);
      }
      own.dispose();
      await showsTheStory(visitor, { kind, heads });
      await visitor.leave();
    });
  }

  /** The figures of the story are of this model too, and the map says what it lacks. */
  async function showsTheStory({ page }, { kind, heads }) {
    for (const view of ['self-attention', 'split', 'whole', 'halves', 'flash']) {
      await page.evaluate((id) => location.assign(`#${id}`), view);
      await page.locator(`#${view} figcaption .spoken:not(:empty)`).waitFor();
      assert.equal(await page.locator(`#${view} .message`).innerText(), '', view);
    }
    assert.equal(await page.locator('#split .look-bars').count(), heads);
    const titles = await page.locator('#whole .whole-times').allInnerTexts();
    assert.ok(titles.length === 1 && titles[0].startsWith(kind), `${titles}`);
    const absent = await page
      .locator('.map-box.absent')
      .evaluateAll((all) => all.map(({ dataset }) => dataset.part));
    const other = kind === 'Encoder' ? 'decoder' : 'encoder';
    assert.ok(absent.includes('cross-attention'));
    assert.ok(absent.every((part) => part === 'cross-attention' || part.startsWith(other)));
  }

  test('a model of another kind clears the stage, and shows one row of its own', async () => {
    const visitor = await site.arrive({ s: wide, v: 'your-model' });
    const { page } = visitor;
    const choose = async (family) => {
      const folder = join(root, 'tests/fixtures/reference', family);
      const names = (await readdir(folder)).filter((name) =>
        /^(config|preprocessor_config)\.json$|^model\.safetensors$/.test(name),
      );
      await page.setInputFiles(
        '#model-files',
        names.map((name) => join(folder, name)),
      );
    };
    const title = page.locator('#stage-title');
    // Without a tokenizer: ids, which stand in one row with arcs.
    await choose('gpt2');
    await page.locator('.loom.single').waitFor();
    assert.equal(await title.innerText(), 'Which words does your model look at?');
    assert.equal(await page.locator('#stage .french .word').count(), 0);
    const tokens = await page.locator('.loom .english .word').allInnerTexts();
    assert.deepEqual(tokens.slice(0, 4), ['5', '17', '3', '9']);
    assert.match(await visitor.text('#stage .claim'), /To write \d+, it looked at \d+/);
    assert.ok((await page.locator('.ribbons path.arc').count()) > 0);
    assert.equal(await page.locator('.ribbons path:not(.arc)').count(), 0);
    // On a phone too: the way back in the bar, the arcs below the title.
    const usual = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator('.loom.narrow').waitFor();
    const back = page.locator('.bar').getByRole('button', { name: 'Back to our model' });
    await back.waitFor();
    const box = async (locator) => {
      const { x, y, width, height } = await locator.boundingBox();
      return { right: x + width, top: y, bottom: y + height };
    };
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
    // The arcs are drawn anew once the words have their places.
    await page.waitForFunction(() => {
      const [heading, arc] = ['#stage-title', '.ribbons path.arc'].map((one) => document.querySelector(one));
      return arc.getBoundingClientRect().top >= heading.getBoundingClientRect().bottom - 1;
    });
    assert.ok((await box(back)).right <= 390 && (await box(back)).bottom <= (await box(title)).top + 1);
    assert.equal(await visitor.overflow(), 0);
    await page.setViewportSize(usual);
    // Pictures: nothing of a sentence is left.
    await choose('vit');
    await page.getByText('This model reads pictures, not words.').waitFor();
    for (const left of [
      '.loom .word',
      '.ribbons path',
      '.discs text',
      '.claim > *',
      '.shares > *',
      '.slot.needed',
    ])
      assert.equal(await page.locator(`#stage ${left}`).count(), 0, left);
    await visitor.after(() =>
      page.locator('.bar').getByRole('button', { name: 'Back to our model' }).click(),
    );
    assert.match(await title.innerText(), /Change one word/);
    await page.locator('#stage .french .word').first().waitFor();
    await visitor.leave();
  });

  test('a folder’s files are read in the tab, and one comes back to ours', async () => {
    const visitor = await site.arrive({ s: 'The cat', v: 'your-model' });
    const folder = join(built, 'models/en-fr');
    const names = (await readdir(folder)).filter((name) => name !== 'index.html');
    await visitor.after(() =>
      visitor.page.setInputFiles(
        '#model-files',
        names.map((name) => join(folder, name)),
      ),
    );
    await visitor.page.getByText('now show your model').waitFor();
    await visitor.after(() => visitor.page.getByRole('button', { name: 'Back to our model' }).click());
    await visitor.page.getByText('now show our model').waitFor();
    await visitor.leave();
  });

  test('a folder that is dropped is read in the tab', async () => {
    const visitor = await site.arrive({ s: '5 17 3 9', v: 'your-model' });
    const { page } = visitor;
    const zone = page.locator('#your-model .drop');
    await zone.scrollIntoViewIfNeeded();
    const { x, y, width, height } = await zone.boundingBox();
    const [at, devtools] = [
      { x: x + width / 2, y: y + height - 6 },
      await page.context().newCDPSession(page),
    ];
    // As the browser itself gives a folder from the desktop: scripts cannot make such an event.
    const data = { items: [], files: [join(root, 'tests/fixtures/reference/gpt2')], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'])
      await devtools.send('Input.dispatchDragEvent', { type, ...at, data });
    await page.getByText('now show your model: gpt2').waitFor();
    await visitor.leave();
  });

  test('the id of a model on a hub: only its files are asked for, and a name that is wrong is said', async () => {
    const folder = join(root, 'tests/fixtures/reference/gpt2');
    const files = new Map(
      await Promise.all(
        ['config.json', 'model.safetensors'].map(async (name) => [name, await readFile(join(folder, name))]),
      ),
    );
    const hub = await startHub(new Map([['somebody/tiny-gpt2', { files }]]));
    const visitor = await site.arrive(
      { s: '5 17 3 9', v: 'your-model' },
      {
        before: (page) =>
          page.route('https://huggingface.co/**', async (route) => {
            const { pathname } = new URL(route.request().url());
            const response = await route.fetch({ url: `${hub.host}${pathname}` });
            await route.fulfill({ response });
          }),
      },
    );
    const { page } = visitor;
    const field = page.getByRole('textbox', { name: 'or a model from huggingface.co' });
    await field.fill('somebody/no-such-model');
    await field.press('Enter');
    await page.locator('#your-model [role=status]', { hasText: 'somebody/no-such-model' }).waitFor();
    assert.deepEqual(
      hub.log.filter(({ url }) => !url.startsWith('/somebody/no-such-model/')),
      [],
    );
    await field.fill('somebody/tiny-gpt2');
    await field.press('Enter');
    await page.getByText('now show your model: gpt2').waitFor();
    assert.ok(hub.log.some(({ url }) => url === '/somebody/tiny-gpt2/resolve/main/model.safetensors'));
    hub.close();
    // The hub is another server, which the visitor has named; the browser logs its refusals by itself.
    visitor.complaints = visitor.complaints.filter((text) => !/huggingface\.co|status of 40[14]/.test(text));
    await visitor.leave();
  });

  test('a recurrent model has one attention: it is shown, and what it lacks is said', async () => {
    const folder = join(built, 'models/en-fr-bahdanau');
    const visitor = await site.arrive({ s: cat, v: 'your-model' });
    const { page } = visitor;
    const names = (await readdir(folder)).filter((name) => /json$|safetensors$/.test(name));
    await page.setInputFiles(
      '#model-files',
      names.map((name) => join(folder, name)),
    );
    await page.getByText('now show your model: recurrent, 1 head.').waitFor();
    await visitor.goTo('heads');
    await page.getByText('Cross 1, head 1:').first().waitFor();
    for (const view of ['attention', 'masks', 'layers']) {
      await page.locator(`#${view}`).scrollIntoViewIfNeeded();
      await page.locator(`#${view} .message`, { hasText: 'A recurrent model' }).waitFor();
    }
    await visitor.leave();
  });
});
