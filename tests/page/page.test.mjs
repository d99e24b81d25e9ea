// The built page as visitors see it: node --test tests/page/page.test.mjs (after node scripts/build.mjs all)

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadModel } from 'transformer-wasm';
import { buildPage, servePage } from '../../scripts/serve.mjs';
import { serveFolder } from './static_server.mjs';
import { hashOf, openBrowser, Visitor } from './visitor.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const built = join(root, 'build/web');
const tired = "The animal didn't cross the street because it was too tired.";
const wide = tired.replace('tired', 'wide');
const cat = 'The cat sat on the mat.';
const unknown = 'The zyzzyva sat on the mat.';

let browser;
let model;
let servers;

before(async () => {
  await buildPage();
  model = await loadModel(join(built, 'models/en-fr'));
  browser = await openBrowser();
  servers = {
    isolated: await servePage(),
    plain: await serveFolder(built, '/in/some/folder/'),
  };
});

after(async () => {
  await browser?.close();
  await model?.dispose();
  for (const server of Object.values(servers ?? {})) await server.close();
});

/** Opens the page with a selection, by default with one that plays no opening. */
async function arrive(fields = { s: cat }, options = {}) {
  const visitor = await Visitor.arrive(browser, servers.plain.url + hashOf(fields), options);
  await visitor.done();
  return visitor;
}

/** The tokens that the page shows for a result of the API. */
const shown = (tokens) => tokens.map((token) => (token === '</s>' ? 'end' : token));

/** Of the page's percentages: in 8 bits, the variants of the engine round activations differently. */
function assertNear(actual, share) {
  const number = actual.startsWith('<') ? 0 : Number.parseFloat(actual);
  assert.ok(Math.abs(number - share * 100) <= 1.5, `${actual} against ${share * 100}`);
}

describe('the page', () => {
  for (const name of ['isolated', 'plain']) {
    test(`translates like the package in Node.js ${name === 'isolated' ? 'with threads' : 'from any server, in any folder'}`, async () => {
      const visitor = await Visitor.arrive(browser, servers[name].url + hashOf({ s: tired }));
      await visitor.done();
      assert.equal(await visitor.page.evaluate(() => crossOriginIsolated), name === 'isolated');
      const facts = await visitor.page.locator('.bar .facts').textContent();
      assert.match(facts, name === 'isolated' ? /[2-9] threads/ : /1 thread\b/);
      for (const text of [wide, cat, tired]) {
        await visitor.write(text);
        const { sequences } = await model.generate(text);
        assert.deepEqual(await visitor.french(), shown(sequences[0].tokens));
      }
      await visitor.leave();
    });
  }

  test('is complete before the model has arrived', async () => {
    const visitor = await Visitor.arrive(browser, servers.plain.url + hashOf({ s: tired }), {
      before: (page) => page.route(/\.(wasm|safetensors)$/, () => {}),
    });
    const { sequences } = await model.generate(tired);
    await visitor.page.locator('.french .word').first().waitFor();
    assert.deepEqual(await visitor.french(), shown(sequences[0].tokens));
    assert.ok((await visitor.page.locator('.ribbons path').count()) >= sequences[0].tokens.length);
    assert.equal(await visitor.page.locator('.candidates li').count(), 5);
    const { num_heads, num_encoder_layers, num_decoder_layers } = model.config;
    const heads = num_heads * (num_encoder_layers + 2 * num_decoder_layers);
    assert.equal(await visitor.page.locator('.switches .wall button').count(), heads);
    assert.ok((await visitor.page.locator('.chip.elle').count()) > 0);
    await visitor.leave();
  });

  test('turns one word into another, once, if nobody touches anything', async () => {
    const touched = await Visitor.arrive(browser, servers.plain.url);
    await touched.page.mouse.click(5, 300);
    const left = await Visitor.arrive(browser, servers.plain.url);
    await left.page.waitForFunction((text) => document.querySelector('#source').value === text, wide, {
      timeout: 30_000,
    });
    await left.done();
    assert.match(await left.text('.french'), /elle/);
    await touched.page.waitForTimeout(1000);
    assert.equal(await touched.page.inputValue('#source'), tired);
    await left.leave();
    await touched.leave();
  });

  test('shows the same again at the same address', async () => {
    const visitor = await arrive({ s: wide, w: 3, h: 'cross.1.0', off: 'encoder.0.1', 'heads.bare': 1 });
    const look = ({ page }) =>
      page.evaluate(() => ({
        hash: location.hash,
        text: document.querySelector('.loom').innerText,
        // Of the stage only: the views below it load when they come into sight.
        pressed: [...document.querySelectorAll('#stage [aria-pressed=true]')].map(
          (element) => element.textContent,
        ),
        off: document.querySelectorAll('.switches [aria-pressed=false]').length,
        said: document.querySelector('.weaving .spoken').textContent,
      }));
    await visitor.after(() => visitor.page.locator('.switches .wall button').nth(5).click());
    await visitor.page.locator('.french .word').nth(2).click();
    const before = await look(visitor);
    assert.equal(before.off, 2);
    const again = await Visitor.arrive(browser, servers.plain.url + before.hash);
    await again.done();
    await again.page.locator('.chip small').first().waitFor();
    assert.deepEqual(await look(again), await look(visitor));
    await visitor.leave();
    await again.leave();
  });

  test('lands on the view that the address names, and stays there', async () => {
    const visitor = await arrive({ s: cat, v: 'layers' });
    await visitor.page.locator('#layers .step').first().waitFor();
    await visitor.page.waitForTimeout(500);
    const top = await visitor.page.$eval('#layers', (element) => element.getBoundingClientRect().top);
    assert.ok(top >= 0 && top < 200, `${top} px from the top`);
    await visitor.leave();
  });

  test('shows one view alone for a frame in an article', async () => {
    const visitor = await Visitor.arrive(browser, `${servers.plain.url}?embed=heads${hashOf({ s: cat })}`);
    await visitor.page.locator('#heads .spoken b').first().waitFor();
    assert.equal(await visitor.page.locator('main section:visible').count(), 1);
    assert.equal(await visitor.page.locator('.bar:visible').count(), 0);
    await visitor.leave();
  });
});

describe('the stage', () => {
  test('shows the five likeliest words, and a click on another writes the rest anew', async () => {
    const visitor = await arrive({ s: wide });
    const { inputIds, sequences } = await model.generate(wide);
    const [{ ids, tokens }] = sequences;
    const place = tokens.indexOf('elle');
    const { logits } = await model.forward({ inputIds: [inputIds], decoderInputIds: [ids.slice(0, -1)] });
    const size = logits.shape[2];
    const scores = logits.data.subarray(place * size, (place + 1) * size);
    const sum = scores.reduce((all, score) => all + Math.exp(score), 0);
    const best = [...scores.keys()].sort((a, b) => scores[b] - scores[a]).slice(0, 2);
    const rows = visitor.page.locator('.candidates li');
    for (const [i, id] of best.entries()) {
      assert.equal(await rows.nth(i).locator('.token').innerText(), model.tokenizer.tokenOf(id));
      assertNear(await rows.nth(i).locator('.number').innerText(), Math.exp(scores[id]) / sum);
    }
    await visitor.after(() => rows.nth(1).locator('button').click());
    const prefix = [...ids.slice(1, place + 1), best[1]];
    const other = await model.generate(wide, { prefix });
    assert.deepEqual(
      await visitor.french(),
      shown(other.sequences[0].ids.slice(1).map((id) => model.tokenizer.tokenOf(id))),
    );
    await visitor.after(() => visitor.page.getByRole('button', { name: 'own words again' }).click());
    assert.deepEqual(await visitor.french(), shown(tokens));
    await visitor.leave();
  });

  test('says where a word looked', async () => {
    const visitor = await arrive({ s: cat, h: 'cross.1.2' });
    const { crossAttentions, axes } = await model.generate(cat, { outputAttentions: true });
    const {
      data,
      shape: [, , queries, keys],
    } = crossAttentions[1];
    for (const row of [0, 4]) {
      await visitor.page.locator('.french .word').nth(row).click();
      const weights = [...data.subarray((2 * queries + row) * keys, (2 * queries + row + 1) * keys)];
      const most = Math.max(...weights);
      const said = await visitor.text('.weaving .spoken');
      const [, word, share] =
        /it looked at (\S+): ([^.]*(?:\.\d)? %)\. Cross 2, head 3/.exec(said) ?? assert.fail(said);
      assert.equal(word, shown(axes.source)[weights.indexOf(most)]);
      assertNear(share, most);
    }
    await visitor.leave();
  });

  test('uses the heads that the config says were taught: one aligns, one finds the antecedent', async () => {
    const taught_heads = { alignment: { layer: 0, head: 1 }, antecedent: { layer: 1, head: 0 } };
    const config = JSON.stringify({ ...model.config, taught_heads });
    const visitor = await arrive(
      { s: wide },
      { before: (page) => page.route('**/en-fr/config.json', (route) => route.fulfill({ body: config })) },
    );
    const result = await model.generate(wide, { outputAttentions: true });
    const rowOf = ({ data, shape: [, , queries, keys] }, head, query) => [
      ...data.subarray((head * queries + query) * keys, (head * queries + query + 1) * keys),
    ];
    const strongest = (weights) => weights.indexOf(Math.max(...weights));
    const place = result.axes.written.indexOf('elle');
    const word = strongest(rowOf(result.crossAttentions[0], 1, place));
    const looked = rowOf(result.encoderAttentions[1], 0, word);
    const source = shown(result.axes.source);
    const said = await visitor.text('.weaving .spoken');
    assert.match(said, /Cross 1, head 2\.$/);
    const [, first, ...second] = /looked at (\S+): [^;]*(?:; (\S+) looked at (\S+): (.*?))?\. Cross/.exec(
      said,
    );
    assert.equal(first, source[word]);
    const isItself = strongest(looked) === word;
    assert.equal(await visitor.page.locator('.ribbons .arc').count(), isItself ? 0 : 1);
    if (!isItself) {
      assert.deepEqual(second.slice(0, 2), [source[word], source[strongest(looked)]]);
      assertNear(second[2], Math.max(...looked));
    }
    await visitor.leave();
  });

  test('shows the best of several beams beside each other', async () => {
    const visitor = await arrive({ s: cat, b: 3 });
    const { sequences } = await model.generate(cat, { numBeams: 3, numReturnSequences: 3 });
    const lines = await visitor.page.locator('.n-best li span').allTextContents();
    assert.deepEqual(
      lines,
      sequences.map(({ text }) => text),
    );
    await visitor.leave();
  });

  test('switches heads off, and outlines those that decide', async () => {
    const visitor = await arrive({ s: wide });
    const { text } = await model.translate(wide);
    const decisive = [];
    const { num_heads: heads, num_encoder_layers, num_decoder_layers } = model.config;
    const layers = (count, name) => Array.from({ length: count }, (_, layer) => name(layer));
    const paths = [
      ...layers(num_encoder_layers, (layer) => `encoder.layers.${layer}.self`),
      ...layers(num_decoder_layers, (layer) => `decoder.layers.${layer}.self`),
      ...layers(num_decoder_layers, (layer) => `decoder.layers.${layer}.cross`),
    ];
    for (const [row, path] of paths.entries()) {
      for (let head = 0; head < heads; head++) {
        const without = await model.translate(wide, { heads: { [`${path}.${head}`]: 0 } });
        if (without.text !== text) decisive.push(row * heads + head);
      }
    }
    const buttons = visitor.page.locator('.switches .wall button');
    await visitor.page.locator('.wall .decisive').first().waitFor();
    const outlined = await buttons.evaluateAll((all) =>
      all.flatMap((button, i) => (button.classList.contains('decisive') ? [i] : [])),
    );
    // In 8 bits, the variants of the engine round differently, and a head may be on the verge of deciding.
    const both = outlined.filter((head) => decisive.includes(head));
    assert.ok(
      both.length > 0 && outlined.length + decisive.length - 2 * both.length <= 1,
      `${outlined} against ${decisive}`,
    );
    const [off] = both;
    await visitor.after(() => buttons.nth(off).click());
    const { sequences } = await model.generate(wide, {
      heads: { [`${paths[Math.floor(off / heads)]}.${off % heads}`]: 0 },
    });
    assert.deepEqual(await visitor.french(), shown(sequences[0].tokens));
    await visitor.leave();
  });

  test('offers words to swap, in the colours of their pronouns', async () => {
    const visitor = await arrive({ s: tired });
    await visitor.page.locator('.chip small').first().waitFor();
    const chips = await visitor.page.locator('.chip').allTextContents();
    const texts = chips.map((chip) => tired.replace('tired', chip.split(' ')[0]));
    const translations = await model.translate(texts);
    for (const [i, chip] of chips.entries()) {
      const [, pronoun] = chip.split(' ');
      assert.match(translations[i].text, new RegExp(`['\\s]${pronoun}s? `), chip);
    }
    await visitor.after(() => visitor.page.locator('.chip', { hasText: 'wide' }).click());
    assert.equal(await visitor.page.inputValue('#source'), wide);
    await visitor.leave();
  });

  test('translates several sentences one by one', async () => {
    const visitor = await arrive({ s: `${cat} I am hungry.`, n: 1 });
    const french = await model.translate([cat, 'I am hungry.']);
    await visitor.page.locator('.sentences li').nth(1).waitFor();
    assert.deepEqual(
      await visitor.page.locator('.sentences [lang=fr]').allTextContents(),
      french.map(({ text }) => text),
    );
    const { sequences } = await model.generate('I am hungry.');
    assert.deepEqual(await visitor.french(), shown(sequences[0].tokens));
    await visitor.leave();
  });

  test('names unknown words, and says so in place of a stale picture if there is nothing to show', async () => {
    const visitor = await arrive({ s: unknown });
    assert.match(await visitor.text('.unknown-note'), /zyzzyva/);
    const [unk] = await visitor.page.locator('.french .word.unknown').allTextContents();
    if (unk !== undefined) assert.equal(unk, 'zyzzyva');
    assert.ok(!(await visitor.page.locator('body').innerText()).includes('<unk>'));
    const long = `The cat ${'and the cat '.repeat(60)}sat.`;
    await visitor.page.fill('#source', long);
    await visitor.page.press('#source', 'Enter');
    await visitor.page.getByText('too long for the model').waitFor();
    assert.deepEqual(await visitor.french(), []);
    await visitor.page.fill('#source', '');
    await visitor.page.press('#source', 'Enter');
    await visitor.page.getByText('Type a sentence').waitFor();
    await visitor.write(cat);
    await visitor.page.locator('#heads').scrollIntoViewIfNeeded();
    await visitor.page.locator('#heads .heat-map canvas').waitFor();
    await visitor.page.fill('#source', '');
    await visitor.page.getByText('Type a sentence').waitFor();
    await visitor.page.locator('#heads').scrollIntoViewIfNeeded();
    await visitor.page.locator('#heads .message', { hasText: 'no sentence' }).waitFor();
    assert.equal(await visitor.page.locator('#heads .picture').isVisible(), false);
    await visitor.leave();
  });

  test('drops requests that a newer one supersedes', async () => {
    const visitor = await arrive();
    for (const text of ['I am', 'I am hungry.', 'The dog', wide]) await visitor.page.fill('#source', text);
    const { sequences } = await model.generate(wide);
    await visitor.page.waitForFunction(
      (count) => document.querySelectorAll('.french .word').length === count,
      sequences[0].tokens.length,
    );
    assert.deepEqual(await visitor.french(), shown(sequences[0].tokens));
    await visitor.leave();
  });
});

describe('the views', () => {
  test('heads: the table has the weights of the chosen head, or the mean of its layer', async () => {
    const { encoderAttentions, crossAttentions } = await model.generate(cat, { outputAttentions: true });
    for (const [
      h,
      mean,
      {
        data,
        shape: [, heads, queries, keys],
      },
    ] of [
      ['encoder.1.2', false, encoderAttentions[1]],
      ['cross.0.1', true, crossAttentions[0]],
    ]) {
      const visitor = await arrive({ s: cat, h, v: 'heads', ...(mean && { 'heads.mean': 1 }) });
      await visitor.page.locator('#heads .spoken b').first().waitFor();
      const { numbers } = await visitor.table('heads');
      assert.deepEqual([numbers.length, numbers[0].length], [queries, keys]);
      const head = Number(h.at(-1));
      const of = (i, q, k) => data[(i * queries + q) * keys + k];
      for (const [q, row] of numbers.entries()) {
        for (const [k, cell] of row.entries()) {
          const all = Array.from({ length: heads }, (_, i) => of(i, q, k));
          assertNear(cell, mean ? all.reduce((a, b) => a + b) / heads : of(head, q, k));
        }
      }
      await visitor.leave();
    }
  });

  test('heads: a map is one stop of the tabulator key, with arrow keys inside, and quick under the pointer', async () => {
    const words = Array.from(
      { length: 13 },
      (_, i) => ['the cat and', 'the dog and', 'the mouse and'][i % 3],
    );
    const visitor = await arrive({ s: `I see ${words.join(' ')} the street.`, h: 'encoder.0.0', v: 'heads' });
    const map = visitor.page.locator('#heads .heat-map');
    await map.focus();
    await visitor.page.keyboard.press('ArrowDown');
    const said = await visitor.page.locator('#heads .heat-map [aria-live]').textContent();
    assert.match(said, /^Encoder 1, head 1: see looks at/);
    const slowest = await map.evaluate((element) => {
      const { left, top, width, height } = element.querySelector('canvas').getBoundingClientRect();
      const times = Array.from({ length: 60 }, (_, i) => {
        const at = { clientX: left + (width * (i % 10)) / 10, clientY: top + (height * i) / 60 };
        const begin = performance.now();
        element.dispatchEvent(new PointerEvent('pointermove', { ...at, bubbles: true }));
        return performance.now() - begin;
      });
      return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
    });
    assert.ok(slowest < 8, `${slowest} ms`);
    await visitor.leave();
  });

  test('layers: the lengths on the way, and what the decoder would say', async () => {
    const visitor = await arrive({ s: cat, w: 1, v: 'layers' });
    await visitor.page.locator('#layers .says').first().waitFor();
    const { inputIds, sequences } = await model.generate(cat);
    const [{ ids }] = sequences;
    const { trace } = await model.forward(
      { inputIds: [inputIds], decoderInputIds: [ids.slice(0, -1)] },
      { trace: ['decoder.embeddings', 'decoder.layers.1.feed_forward.residual', 'decoder.layers.0.logits'] },
    );
    const rowOf = ({ data, shape }) => [...data.subarray(shape[2], 2 * shape[2])];
    const lengthOf = (name) => Math.hypot(...rowOf(trace[name]));
    const { numbers } = await visitor.table('layers');
    const close = (text, length) => assert.ok(Math.abs(Number(text) - length) < 0.2, `${text}, ${length}`);
    close(numbers[0][0], lengthOf('decoder.embeddings'));
    close(numbers.at(-1)[0], lengthOf('decoder.layers.1.feed_forward.residual'));
    const logits = rowOf(trace['decoder.layers.0.logits']);
    const best = model.tokenizer.tokenOf(logits.indexOf(Math.max(...logits)));
    assert.equal(await visitor.page.locator('#layers .says b').first().innerText(), best);
    await visitor.leave();
  });

  test('ten years: the article’s weights are NumPy’s', async () => {
    const file = join(root, 'tests/fixtures/reference/worked-examples/examples.json');
    const examples = JSON.parse(await readFile(file, 'utf8'));
    const visitor = await arrive({ s: cat, v: 'ten-years', 'ten-years.on': 'article' });
    await visitor.page.locator('#ten-years .spoken:not(:empty)').waitFor();
    const { numbers } = await visitor.table('ten-years');
    const names = [
      'additive_bahdanau',
      'luong_dot',
      'luong_general',
      'luong_concat',
      'luong_local_predictive',
    ];
    for (const [column, name] of names.entries()) {
      for (const [row, weights] of examples[name].weights.entries()) {
        const most = Math.max(...weights);
        const [key, ...share] = numbers[row][column].split(' ');
        assert.equal(key, `h${String.fromCharCode(0x2081 + weights.indexOf(most))}`);
        assertNear(share.join(' '), most);
      }
    }
    await visitor.leave();
  });

  for (const [family, kind] of [
    ['gpt2', 'Decoder'],
    ['bert', 'Encoder'],
  ]) {
    test(`your model: ${family}, with one stack alone, shows its own attention`, async () => {
      const folder = join(root, 'tests/fixtures/reference', family);
      const visitor = await arrive({ s: '5 17 3 9', v: 'your-model' });
      const files = ['config.json', 'model.safetensors'].map((name) => join(folder, name));
      await visitor.page.setInputFiles('#model-files', files);
      await visitor.page.getByText(`your model: ${family}`).waitFor();
      const own = await loadModel(folder);
      const sequences =
        family === 'gpt2' ? (await own.generate([5, 17, 3, 9], { maxNewTokens: 12 })).sequences : [];
      const inputIds = [sequences[0]?.ids.slice(0, -1) ?? [5, 17, 3, 9]];
      const { attentions } = await own.forward({ inputIds }, { outputAttentions: true });
      const {
        data,
        shape: [, heads, queries, keys],
      } = attentions.at(-1);
      await visitor.page.locator('#heads').scrollIntoViewIfNeeded();
      await visitor.page.getByText(`${kind} ${attentions.length}, head ${heads}:`).first().waitFor();
      const { numbers } = await visitor.table('heads');
      assert.deepEqual([numbers.length, numbers[0].length], [queries, keys]);
      const head = data.subarray((heads - 1) * queries * keys);
      for (const [i, row] of numbers.entries()) {
        for (const [j, cell] of row.entries()) assertNear(cell, head[i * keys + j]);
      }
      own.dispose();
      await visitor.leave();
    });
  }

  test('your model: a folder’s files are read in the tab, and one comes back to ours', async () => {
    const visitor = await arrive({ s: 'The cat', v: 'your-model' });
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
});

describe('files that are missing', () => {
  for (const [what, pattern] of [
    ['model', '**/model.safetensors'],
    ['engine', '**/*.wasm'],
  ]) {
    test(`a missing ${what} is reported, and loading can be retried`, async () => {
      const visitor = await Visitor.arrive(browser, servers.plain.url + hashOf({ s: tired }), {
        before: (page) => page.route(pattern, (route) => route.fulfill({ status: 404 })),
      });
      await visitor.page.getByText(`The ${what} could not be loaded`).waitFor();
      await visitor.page.unroute(pattern);
      await visitor.after(() => visitor.page.getByRole('button', { name: 'Try again' }).click());
      const { sequences } = await model.generate(tired);
      assert.deepEqual(await visitor.french(), shown(sequences[0].tokens));
      // The browser itself logs a missing file to the console.
      visitor.complaints = visitor.complaints.filter((text) => !/status of 404/.test(text));
      await visitor.leave();
    });
  }
});

describe('on every screen', () => {
  /** Scrolls through the page, so that every view is drawn. */
  async function scrollThrough({ page }) {
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    for (let y = 0; y < height + 3000; y += 600) {
      await page.evaluate((top) => scrollTo({ top, behavior: 'instant' }), y);
      await page.waitForTimeout(120);
    }
  }

  test('nothing is wider than a screen of 320 pixels, a word of 200 letters included', async () => {
    const visitor = await arrive(
      { s: `The ${'long'.repeat(50)} cat sat.` },
      { viewport: { width: 320, height: 640 } },
    );
    assert.equal(await visitor.overflow(), 0);
    await visitor.write(tired);
    await scrollThrough(visitor);
    assert.equal(await visitor.overflow(), 0);
    await visitor.leave();
  });

  test('the layout does not shift while the page loads and translates', async () => {
    const visitor = await arrive({ s: tired });
    await visitor.write('I am hungry.');
    await visitor.page.waitForTimeout(300);
    const shift = await visitor.page.evaluate(() => globalThis.shift);
    assert.ok(shift < 0.05, `layout shift ${shift}`);
    await visitor.leave();
  });

  test('axe finds nothing, in light and dark, with an unknown word and with an error', async () => {
    const axe = await readFile(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
    for (const colorScheme of ['light', 'dark']) {
      const visitor = await arrive({ s: unknown }, { colorScheme });
      await scrollThrough(visitor);
      const problems = async () => {
        await visitor.page.waitForTimeout(400);
        const { violations } = await visitor.page.evaluate(`${axe}; axe.run()`);
        return violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 150)).join(' | ')}`,
        );
      };
      assert.deepEqual(await problems(), []);
      await visitor.page.fill('#source', `The cat ${'and the cat '.repeat(60)}sat.`);
      await visitor.page.press('#source', 'Enter');
      await visitor.page.getByText('too long for the model').waitFor();
      assert.deepEqual(await problems(), []);
      await visitor.leave();
    }
  });

  test('reduced motion is respected', async () => {
    const visitor = await arrive({ s: tired }, { reducedMotion: 'reduce' });
    const animations = await visitor.page.evaluate(
      () => document.getAnimations().filter(({ playState }) => playState === 'running').length,
    );
    assert.equal(animations, 0);
    await visitor.leave();
  });
});
