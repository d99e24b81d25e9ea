// The numbers of the views are those of the API: positions, one attention, masks, pictures, cost.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PNG } from 'pngjs';
import { createEngine, loadModel, Tensor } from 'transformer-wasm';
import { buildPage } from '../../scripts/serve.mjs';
import { workedExamples } from '../lib/reference.mjs';
import { readSafetensors } from '../lib/safetensors.mjs';
import { serveFolder } from './static_server.mjs';
import { openBrowser, Visitor } from './visitor.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const built = join(root, 'build/web');
const sentence = 'The cat sat on the mat.';
/** In 8 bits, the variants of the engine round activations differently. */
const quantised = 0.03;

let browser;
let server;
let engine;
let model;
const examples = workedExamples();

before(async () => {
  await buildPage();
  engine = await createEngine();
  model = await loadModel(join(built, 'models/en-fr'), { engine });
  browser = await openBrowser();
  server = await serveFolder(built, '/');
});

after(async () => {
  await browser?.close();
  await engine?.dispose();
  await server?.close();
});

/** Opens one view with its settings. */
async function open(view, settings = {}, options = {}) {
  const hash = new URLSearchParams({
    s: sentence,
    ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [`${view}.${name}`, value])),
  });
  const visitor = await Visitor.arrive(browser, `${server.url}?embed=${view}#${hash}`, options);
  await visitor.page.locator(`#${view} .spoken:not(:empty)`).first().waitFor({ timeout: 20_000 });
  return visitor;
}

/** The view's table: names of its columns, and its numbers by row. */
async function tableOf({ page }, view) {
  const button = page.locator(`#${view}`).getByRole('button', { name: 'As a table' });
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
  const table = page.locator(`#${view} .table-fold table`);
  await table.locator('tbody tr').first().waitFor();
  return table.evaluate((shown) => {
    const texts = (cells) => [...cells].map((cell) => cell.textContent);
    return {
      columns: texts(shown.tHead.querySelectorAll('th')),
      rows: texts(shown.tBodies[0].querySelectorAll('th')),
      values: [...shown.tBodies[0].rows].map((row) => texts(row.querySelectorAll('td')).map(Number)),
    };
  });
}

function assertClose(actual, expected, tolerance, what) {
  assert.equal(actual.length, expected.length, what);
  for (const [i, value] of expected.entries())
    assert.ok(Math.abs(actual[i] - value) <= tolerance, `${what} ${i}: ${actual[i]} against ${value}`);
}

const column = (rows, at) => rows.map((row) => row[at]);

describe('one attention, by numbers', () => {
  test('of this sentence: the weights that the model computed', async () => {
    const { crossAttentions, axes } = await model.translate(sentence, { outputAttentions: true });
    for (const [head, word] of [
      [0, 1],
      [3, 2],
    ]) {
      const visitor = await Visitor.arrive(
        browser,
        `${server.url}?embed=attention#${new URLSearchParams({ s: sentence, h: `cross.1.${head}`, w: `${word}` })}`,
      );
      await visitor.page.locator('#attention .steps').waitFor({ timeout: 20_000 });
      const { rows, values } = await tableOf(visitor, 'attention');
      assert.deepEqual(rows.slice(0, -1), axes.source.slice(0, -1));
      const [, , queries, keys] = crossAttentions[1].shape;
      const begin = (head * queries + word) * keys;
      assertClose(
        column(values, 3),
        [...crossAttentions[1].data.slice(begin, begin + keys)],
        quantised,
        'weight',
      );
      await visitor.leave();
    }
  });

  test('of the articles: the results of NumPy, and scale, temperature and mask as the engine has them', async () => {
    for (const [source, { weights }] of [
      ['seed25', examples.four_inputs_seed25],
      ['seed42', examples.three_tokens_seed42],
    ]) {
      for (const query of [0, 2]) {
        const visitor = await open('attention', { source, query: `${query}` });
        const { values } = await tableOf(visitor, 'attention');
        assertClose(column(values, 3), weights[query], 1e-5, `${source} weight`);
        await visitor.leave();
      }
    }
    const visitor = await open('attention', { source: 'vectors', power: '1', temperature: '1', hide: '1' });
    const x = Tensor.from(examples.three_tokens_seed42.inputs);
    const { weights } = await engine.scaledDotProductAttention(x, x, x, {
      scale: 1 / 4 / 2,
      mask: [[1, 0, 1]],
      needWeights: true,
    });
    assertClose(
      column((await tableOf(visitor, 'attention')).values, 3),
      [...weights.data.slice(0, 3)],
      1e-5,
      'weight',
    );
    await visitor.page.locator('#attention .steps th button:not(.key-opener)').nth(1).click();
    await visitor.page.locator('#attention .hidden-key').waitFor({ state: 'detached' });
    await visitor.leave();
  });

  test('with one matrix: “not” looks at the word after it', async () => {
    const visitor = await open('attention', { source: 'smallest' });
    const { rows, values } = await tableOf(visitor, 'attention');
    const weights = column(values, 3);
    assert.equal(rows[weights.indexOf(Math.max(...weights))], 'bad');
    await visitor.leave();
  });

  test('tile by tile: the last tile gives what all keys at once give', async () => {
    const visitor = await open('attention', { mode: 'tiles', tiles: '1' });
    const first = await tableOf(visitor, 'attention');
    const read = column(first.values, 3).filter((weight) => weight > 0).length;
    assert.equal(read, rowsPerTile(first.rows.length));
    await visitor.page.getByRole('button', { name: 'Let the tiles wander' }).click();
    await visitor.page.getByText('All keys are read').waitFor();
    const last = await tableOf(visitor, 'attention');
    await visitor.page.getByRole('button', { name: 'all keys at once' }).click();
    await visitor.page.getByText('All keys are read').waitFor({ state: 'detached' });
    assert.deepEqual((await tableOf(visitor, 'attention')).values, last.values);
    await visitor.leave();
  });

  test('of a pasted matrix; what cannot be read is said', async () => {
    const visitor = await open('attention', { source: 'own' });
    const field = visitor.page.getByRole('textbox', { name: 'Your matrix' });
    await field.fill('[[1, 2], [3, 4]]');
    await visitor.page.locator('#attention .steps tbody th.key').nth(2).waitFor({ state: 'detached' });
    const x = Tensor.from([
      [1, 2],
      [3, 4],
    ]);
    const { weights } = await engine.scaledDotProductAttention(x, x, x, { needWeights: true });
    assertClose(
      column((await tableOf(visitor, 'attention')).values, 3),
      [...weights.data.slice(0, 2)],
      1e-5,
      'weight',
    );
    await field.fill('1 2\n3');
    await visitor.page.getByText('Row 2 has 1 numbers, the first row 2.').waitFor();
    await visitor.leave();
  });
});

const rowsPerTile = (keys) => (keys > 8 ? 4 : 2);

/** Positions and dimensions that the view shows. */
const length = 128;

describe('positions', () => {
  test('each scheme’s curve has the engine’s numbers', async () => {
    const sinusoidal = (await engine.positionalEncoding(length, length)).tolist();
    const pairs = Tensor.from(Array.from({ length }, () => Array.from({ length }, (_, i) => (i + 1) % 2)));
    const rotary = (await engine.rotaryEmbedding(pairs, { interleaved: true })).tolist();
    const alibi = (await engine.alibiBias(8, length, length)).tolist();
    for (const [scheme, expected] of [
      ['sinusoidal', column(sinusoidal, 3)],
      ['halves', column(sinusoidal, 6)],
      ['rotary', column(rotary, 3)],
      ['alibi', alibi[3][length - 1].toReversed()],
    ]) {
      const visitor = await open('positions', { scheme, line: '3' });
      assertClose(column((await tableOf(visitor, 'positions')).values, 0), expected, 1e-4, scheme);
      await visitor.leave();
    }
  });

  test('a cell too small for its number says it under the pointer', async () => {
    const visitor = await open('positions', { scheme: 'sinusoidal' });
    const map = visitor.page.locator('#positions .heat-map').first();
    await map.hover({ position: { x: 2, y: 2 } });
    assert.equal(await map.getAttribute('title'), 'position 0, dimension 0: 0');
    const { width } = await map.locator('canvas').boundingBox();
    await map.hover({ position: { x: (1.5 * width) / length, y: (4.5 * width) / length } });
    assert.match(await map.getAttribute('title'), /^position 4, dimension 1: −0\.65\d$/);
    await visitor.leave();
  });

  test('the buckets are those of T5', async () => {
    const visitor = await open('positions', { scheme: 'relative' });
    const shown = column((await tableOf(visitor, 'positions')).values, 0);
    const tensors = readSafetensors(
      await readFile(join(root, 'tests/fixtures/reference/t5_relative_buckets/expected.safetensors')),
    );
    const distances = [...tensors.get('relative_position').data];
    const buckets = tensors.get('relative_bucket_encoder_32_128').data;
    const expected = Array.from({ length }, (_, distance) => buckets[distances.indexOf(-distance)]);
    assert.deepEqual(shown, expected);
    await visitor.leave();
  });

  test('learned positions, and words that are shuffled', async () => {
    const visitor = await open('positions', { scheme: 'learned' });
    const values = column((await tableOf(visitor, 'positions')).values, 0);
    assert.equal(values.length, 49);
    assert.ok(Math.abs(values.reduce((sum, value) => sum + value, 0)) < 1e-3, 'the mean is left out');
    const distances = (name) => visitor.page.locator(`#positions li .${name}`).allInnerTexts();
    await visitor.page.locator('#positions li .stays').first().waitFor();
    assert.ok((await distances('stays')).every((text) => text === '0'));
    assert.ok((await distances('moved')).some((text) => Number(text) > 0.5));
    const before = await visitor.text('#positions ol');
    await visitor.page.getByRole('button', { name: 'Shuffle my words' }).click();
    await visitor.page.waitForFunction(
      (text) => document.querySelector('#positions ol').innerText !== text,
      before,
    );
    await visitor.leave();
  });
});

describe('masks', () => {
  test('presets and cells: the weights of the engine under the same mask', async () => {
    const { trace } = await model.forward(await idsOf(), {
      trace: ['queries', 'keys', 'values'].map((name) => `encoder.layers.0.self.${name}`),
    });
    const head = (name) => {
      const { data, shape } = trace[`encoder.layers.0.self.${name}`];
      const [, time, width] = shape;
      return Tensor.from(
        Array.from({ length: time }, (_, i) => [...data.slice(i * width + 32, i * width + 64)]),
      );
    };
    const n = trace['encoder.layers.0.self.keys'].shape[1];
    const near = (q, k) => Number(Math.abs(q - k) <= 1);
    for (const [settings, isSeen] of [
      [{ preset: 'causal' }, (q, k) => Number(k <= q)],
      [{ preset: 'window', size: '1' }, near],
      [{ preset: 'padding', size: '3' }, (_, k) => Number(k < n - 3)],
      [{ preset: 'none', turned: Array.from({ length: n }, (_, i) => i).join('.') }, (q) => Number(q > 0)],
    ]) {
      const mask = Array.from({ length: n }, (_, q) => Array.from({ length: n }, (_, k) => isSeen(q, k)));
      const { weights } = await engine.scaledDotProductAttention(
        head('queries'),
        head('keys'),
        head('values'),
        {
          mask,
          needWeights: true,
        },
      );
      const named = Object.fromEntries(
        Object.entries(settings).map(([name, value]) => [`masks.${name}`, value]),
      );
      const hash = new URLSearchParams({ s: sentence, h: 'encoder.0.1', ...named });
      const visitor = await Visitor.arrive(browser, `${server.url}?embed=masks#${hash}`);
      await visitor.page.locator('#masks .spoken:not(:empty)').waitFor({ timeout: 20_000 });
      const { values } = await tableOf(visitor, 'masks');
      assertClose(
        values.flat(),
        [...weights.data].map((weight) => weight * 100),
        100 * quantised,
        JSON.stringify(settings),
      );
      const empty = await visitor.page.getByText('nothing may be seen').count();
      assert.equal(empty, 'turned' in settings ? 1 : 0);
      await visitor.leave();
    }
  });

  test('a click hides a cell, and is in the address', async () => {
    const visitor = await open('masks', { preset: 'none' });
    await visitor.page.locator('#masks .heat-map').first().focus();
    await visitor.page.keyboard.press('Control+Home');
    await visitor.page.waitForFunction(() => location.hash.includes('masks.turned=0'));
    await visitor.page.getByText('1 of ').waitFor();
    await visitor.leave();
  });
});

const idsOf = async () => {
  const { inputIds, sequences } = await model.generate(sentence);
  return { inputIds: [[...inputIds]], decoderInputIds: [sequences[0].ids.slice(0, -1)] };
};

describe('pictures', () => {
  test('every sample is read as its digit, by pointer too', async () => {
    const visitor = await open('pictures');
    for (let digit = 0; digit < 10; digit++) {
      await visitor.page.getByRole('button', { name: `${digit}`, exact: true }).click();
      await visitor.page.locator('#pictures .spoken b', { hasText: `${digit}` }).waitFor({ timeout: 5000 });
    }
    const { values } = await tableOf(visitor, 'pictures');
    assert.equal(values.flat().length, 49);
    await visitor.page.getByRole('button', { name: 'Clear' }).click();
    await visitor.page.getByText('Draw a digit: the model').waitFor();
    // A one, small and in a corner: the picture that the model gets is centred.
    const box = await visitor.page.locator('.drawing').boundingBox();
    await visitor.page.mouse.move(box.x + 30, box.y + 20);
    await visitor.page.mouse.down();
    await visitor.page.mouse.move(box.x + 28, box.y + 100, { steps: 8 });
    await visitor.page.mouse.up();
    await visitor.page.locator('#pictures .spoken b', { hasText: '1' }).waitFor();
    await visitor.leave();
  });
});

describe("a visitor's own model of pictures", () => {
  const folder = join(root, 'tests/fixtures/reference/dinov2_with_registers');
  const names = ['config.json', 'model.safetensors', 'preprocessor_config.json'];
  // 6 rows and 10 columns of patches of 6 x 6.
  const [width, height] = [60, 36];
  const picture = new PNG({ width, height });
  for (let i = 0; i < picture.data.length; i++)
    picture.data[i] = i % 4 === 3 ? 255 : (i * 7 + (i >> 5) * 13) % 256;

  /** For each head of a layer, the patch that the class token looked at most, registers left out. */
  async function strongest(layer) {
    const files = new Map(
      await Promise.all(names.slice(0, 2).map(async (name) => [name, await readFile(join(folder, name))])),
    );
    const dino = await loadModel(files, { engine });
    const processor = JSON.parse(await readFile(join(folder, 'preprocessor_config.json'), 'utf8'));
    const { image_mean: mean, image_std: deviation } = processor;
    const data = Float32Array.from({ length: 3 * width * height }, (_, i) => {
      const channel = Math.floor(i / (width * height));
      const value = picture.data[4 * (i % (width * height)) + channel] / 255;
      return (value - mean[channel]) / deviation[channel];
    });
    const pixelValues = { data, shape: [1, 3, height, width] };
    const { attentions } = await dino.forward({ pixelValues }, { outputAttentions: true });
    await dino.dispose();
    const [, heads, tokens] = attentions[layer].shape;
    assert.equal(tokens, 1 + 4 + 60);
    return Array.from({ length: heads }, (_, head) => {
      const row = [...attentions[layer].data.slice(head * tokens ** 2, head * tokens ** 2 + tokens)].slice(5);
      const patch = row.indexOf(Math.max(...row));
      return `Head ${head + 1}: the class token looked most at the patch in row ${Math.floor(patch / 10) + 1}, column ${(patch % 10) + 1}.`;
    });
  }

  test('each head of its class token is drawn over the picture, layer by layer', async () => {
    const visitor = await open('pictures');
    const { page } = visitor;
    const files = page.locator('#picture-files');
    await files.setInputFiles(names.map((name) => join(folder, name)));
    await page.getByText('The model is loaded. Now give it a picture.').waitFor();
    await files.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: PNG.sync.write(picture) });
    const said = () =>
      page.locator('.head-maps canvas').evaluateAll((all) => all.map((one) => one.ariaLabel));
    await page.locator('.head-maps canvas').first().waitFor();
    assert.deepEqual(await said(), await strongest(2));
    await page.locator('.own-picture select').selectOption('0');
    assert.deepEqual(await said(), await strongest(0));
    await visitor.leave();
  });
});

describe('cost', () => {
  test('the parts are those of the profile', async () => {
    const visitor = await open('cost');
    const { rows, values } = await tableOf(visitor, 'cost');
    const [encoder] = await model.profile({ tokens: 32, rounds: 1 });
    const flops = encoder.parts.reduce((sum, part) => sum + part.flops, 0);
    assert.equal(
      column(values, 1).reduce((sum, value) => sum + value, 0),
      Math.round(flops),
    );
    assert.ok(rows.includes('attention: projections') && rows.includes('feed-forward'));
    await visitor.leave();
  });

  test('threads, precision and length are measured when asked for', async () => {
    const visitor = await open('cost');
    await visitor.page.getByRole('button', { name: 'Measure threads' }).click();
    await visitor.page.getByText('Measured in this tab').waitFor({ timeout: 60_000 });
    const shown = await visitor.text('#cost .picture');
    for (const text of [/one thread, int8/, /one thread, f32/, /16 tokens/, /128 tokens/])
      assert.match(shown, text);
    await visitor.leave();
  });
});

describe('for everyone', () => {
  const states = {
    positions: { scheme: 'rotary' },
    attention: { mode: 'tiles', source: 'own' },
    masks: { preset: 'none', turned: '0.1.2.3.4.5.6.7' },
    pictures: {},
    adder: { chosen: 'gate.1.2', w: 'gate.1.2:3' },
    cost: {},
  };

  for (const colorScheme of ['light', 'dark']) {
    test(`axe finds nothing, and a phone needs no sideways scrolling: ${colorScheme}`, async () => {
      const axe = await readFile(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
      for (const [view, settings] of Object.entries(states)) {
        const visitor = await open(view, settings, {
          viewport: { width: 390, height: 800 },
          bypassCSP: true,
          colorScheme,
        });
        const { page } = visitor;
        for (const fold of await page.locator('details:visible summary').all()) await fold.click();
        await page.evaluate(axe);
        const violations = await page.evaluate(
          async () => (await globalThis.axe.run({ rules: { 'target-size': { enabled: true } } })).violations,
        );
        assert.deepEqual(
          violations.map(({ id, nodes }) => `${view}: ${id} at ${nodes.map(({ target }) => target)}`),
          [],
        );
        assert.equal(await visitor.overflow(), 0, view);
        await visitor.leave();
      }
    });
  }
});
