// The first screen: the numbers beside the words are those of the API.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertNear, cat, openSite, shown, tired, unknown, wide } from './site.mjs';
import { hashOf, Visitor } from './visitor.mjs';

const site = openSite();

describe('the stage', () => {
  test('shows the five likeliest words, and a click on another writes the rest anew', async () => {
    const visitor = await site.arrive({ s: wide, v: 'beams' });
    const { inputIds, sequences } = await site.model.generate(wide);
    const [{ ids, tokens }] = sequences;
    const place = tokens.indexOf('elle');
    const { logits } = await site.model.forward({
      inputIds: [inputIds],
      decoderInputIds: [ids.slice(0, -1)],
    });
    const size = logits.shape[2];
    const scores = logits.data.subarray(place * size, (place + 1) * size);
    const sum = scores.reduce((all, score) => all + Math.exp(score), 0);
    const best = [...scores.keys()].sort((a, b) => scores[b] - scores[a]).slice(0, 2);
    const rows = visitor.page.locator('.candidates li');
    for (const [i, id] of best.entries()) {
      assert.equal(await rows.nth(i).locator('.token').innerText(), site.model.tokenizer.tokenOf(id));
      assertNear(await rows.nth(i).locator('.number').innerText(), Math.exp(scores[id]) / sum);
    }
    await visitor.after(() => rows.nth(1).locator('button').click());
    const prefix = [...ids.slice(1, place + 1), best[1]];
    const other = await site.model.generate(wide, { prefix });
    assert.deepEqual(
      await visitor.french(),
      shown(other.sequences[0].ids.slice(1).map((id) => site.model.tokenizer.tokenOf(id))),
    );
    await visitor.after(() => visitor.page.getByRole('button', { name: 'own words again' }).click());
    assert.deepEqual(await visitor.french(), shown(tokens));
    await visitor.leave();
  });

  /** The mean over these heads, [layer, head], of one row of weights. */
  const meanRow = (tensors, heads, query) => {
    const [, , queries, keys] = tensors[0].shape;
    return Array.from({ length: keys }, (_, key) => {
      const of = ([layer, head]) => tensors[layer].data[(head * queries + query) * keys + key];
      return heads.reduce((sum, head) => sum + of(head), 0) / heads.length;
    });
  };
  const allHeads = (layers, heads) =>
    Array.from({ length: layers * heads }, (_, i) => [Math.floor(i / heads), i % heads]);
  const strongest = (weights) => weights.indexOf(Math.max(...weights));

  test('says where a word looked: in the taught head, the others, or all that are on', async () => {
    const off = 'cross.1.1';
    const heads = { 'decoder.layers.1.cross.1': 0 };
    const { crossAttentions, axes } = await site.model.generate(cat, { outputAttentions: true, heads });
    const all = allHeads(2, 4).filter((head) => head.join('.') !== '1.1');
    const { layer, head } = site.model.config.taught_heads.alignment;
    const others = all.filter((one) => one.join() !== [layer, head].join());
    for (const [look, chosen] of [
      ['mean', all],
      ['found', others],
      ['taught', [[layer, head]]],
    ]) {
      const visitor = await site.arrive({ s: cat, off, l: look });
      for (const word of [0, 4]) {
        await visitor.page.locator('.french .word').nth(word).click();
        const row = meanRow(crossAttentions, chosen, word);
        const said = await visitor.text('.claim');
        const [, at, share] =
          /^1To write .+?, it looked at (.+?) \(([\d.]+)\s%\)\./.exec(said) ?? assert.fail(said);
        assert.equal(at.toLowerCase(), shown(axes.source)[strongest(row)], look);
        assertNear(share, Math.max(...row));
        const number = visitor.page.locator('.english .word-number').nth(strongest(row));
        assertNear(await number.textContent(), Math.max(...row));
      }
      await visitor.leave();
    }
  });

  test('pointing at a word draws its ribbons and those of the chosen word anew, and no others', async () => {
    const visitor = await site.arrive({ s: cat });
    const { page } = visitor;
    const changed = await page.evaluate(async () => {
      const records = [];
      const observer = new MutationObserver((all) => records.push(...all));
      observer.observe(document.querySelector('.ribbons'), { subtree: true, attributes: true });
      const words = document.querySelectorAll('.french .word');
      for (const word of [words[2], words[3]])
        word.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
      records.push(...observer.takeRecords());
      const paths = new Set(records.map(({ target }) => target).filter(({ tagName }) => tagName === 'path'));
      return { changed: paths.size, all: document.querySelectorAll('.ribbons path').length };
    });
    assert.ok(changed.changed > 0 && changed.changed < changed.all, JSON.stringify(changed));
    // Every element with an opacity of its own is a layer for the browser, whose work grows with their number at each frame.
    const layers = () =>
      [...document.querySelectorAll('main *')].filter((element) => getComputedStyle(element).opacity < 1)
        .length;
    await page.locator('#workbench').scrollIntoViewIfNeeded();
    await page.locator('#workbench .thumbnail svg').first().waitFor();
    assert.ok((await page.evaluate(layers)) < 60, `${await page.evaluate(layers)} elements`);
    await visitor.leave();
  });

  test('the head that was taught, switched off, draws no ribbon, and is said to be off', async () => {
    const { alignment } = site.model.config.taught_heads;
    const off = `cross.${alignment.layer}.${alignment.head}`;
    const visitor = await site.arrive({ s: wide, off, l: 'taught' });
    assert.equal(await visitor.page.locator('.ribbons path').count(), 0);
    assert.match(await visitor.text('.claim'), /switched off/);
    await visitor.page.getByRole('button', { name: 'all heads together' }).click();
    assert.ok((await visitor.page.locator('.ribbons path.chosen').count()) > 0);
    await visitor.leave();
  });

  test('uses the heads that the config says were taught: one aligns, one finds the antecedent', async () => {
    const taught_heads = { alignment: { layer: 0, head: 1 }, antecedent: { layer: 1, head: 0 } };
    const config = JSON.stringify({ ...site.model.config, taught_heads });
    const visitor = await site.arrive(
      { s: wide, l: 'taught' },
      { before: (page) => page.route('**/en-fr/config.json', (route) => route.fulfill({ body: config })) },
    );
    const result = await site.model.generate(wide, { outputAttentions: true });
    const place = result.axes.written.indexOf('elle');
    const row = meanRow(result.crossAttentions, [[0, 1]], place);
    const arcs = meanRow(result.encoderAttentions, [[1, 0]], strongest(row));
    const numbers = await visitor.page
      .locator('.english .word-number')
      .evaluateAll((all) => all.map(({ textContent }) => textContent));
    for (const [i, weight] of row.entries()) assertNear(numbers[i], weight);
    const sure = (weight, i) => i !== strongest(row) && weight > 0.11;
    const possible = (weight, i) => i !== strongest(row) && weight > 0.07;
    const drawn = await visitor.page.locator('.ribbons .arc').count();
    assert.ok(drawn >= arcs.filter(sure).length && drawn <= arcs.filter(possible).length, `${drawn} arcs`);
    await visitor.leave();
  });

  test('says the two steps to the pronoun, with a number at the ribbon and one at the arc', async () => {
    for (const [text, said] of [
      [
        wide,
        /^1To write elle, it looked at it \(\d+\s%\)\.2To understand it, it had looked at street \(.*La rue is feminine, so: elle\.$/,
      ],
      [
        tired,
        /^1To write il, it looked at it \(\d+\s%\)\.2To understand it, it had looked at .*L'animal is masculine, so: il\.$/,
      ],
    ]) {
      const visitor = await site.arrive({ s: text });
      await visitor.page.waitForFunction(() => /so:/.test(document.querySelector('.claim').textContent));
      assert.match(await visitor.page.locator('.claim').textContent(), said);
      assert.deepEqual(await visitor.page.locator('.discs text').allTextContents(), ['1', '2']);
      await visitor.page.locator('.french .word').first().click();
      assert.deepEqual(await visitor.page.locator('.discs text').allTextContents(), ['1']);
      await visitor.leave();
    }
  });

  test('underlines what the word needed, and says how far it falls without it', async () => {
    const visitor = await site.arrive({ s: wide });
    const said = visitor.page.locator('.row .needs-said');
    await visitor.page.waitForFunction(() => document.querySelector('.slot.needed'));
    assert.deepEqual((await visitor.page.locator('.slot.needed .word').allInnerTexts()).sort(), [
      'it',
      'street',
    ]);
    const text = await said.textContent();
    const numbers =
      /elle falls from (.+?)\s% to (\d+)\s% without street, (\d+)\s% without it\. Without wide/.exec(text);
    assert.ok(numbers, text);
    // Each is one more pass, with that word masked.
    const { sequences, inputIds, axes } = await site.model.generate(wide, { outputAttentions: true });
    const ids = sequences[0].ids;
    const place = axes.written.indexOf('elle');
    for (const [label, given] of [
      ['street', numbers[2]],
      ['it', numbers[3]],
    ]) {
      const masked = axes.source.findIndex((token) => token.replace('▁', '') === label);
      const { logits } = await site.model.forward({
        inputIds: [inputIds],
        decoderInputIds: [ids.slice(0, -1)],
        attentionMask: [inputIds.map((_, i) => Number(i !== masked))],
      });
      const size = logits.shape[2];
      const scores = logits.data.subarray(place * size, (place + 1) * size);
      const sum = scores.reduce((all, score) => all + Math.exp(score), 0);
      assertNear(given, Math.exp(scores[ids[place + 1]]) / sum, 6);
    }
    await visitor.leave();
  });

  test('says in a word how far attention agrees with causes; the word explains itself, Escape and a click elsewhere close it', async () => {
    const visitor = await site.arrive({ s: wide });
    const { page } = visitor;
    const number = page.locator('.stage-below').getByRole('button', { name: 'Looked at = needed?' });
    const explanation = page.locator('.stage-below .explanation');
    await page.waitForFunction(() =>
      /0\.\d\)/.test(document.querySelector('.stage-below .agreement').textContent),
    );
    const live = await number.innerText();
    await number.click();
    assert.match(await explanation.innerText(), /Kendall/);
    await page.keyboard.press('Escape');
    await explanation.waitFor({ state: 'hidden' });
    await number.click();
    await page.mouse.click(5, 300);
    await explanation.waitFor({ state: 'hidden' });
    await visitor.leave();
    // The reading that the page was built with says the same as the one that is computed here.
    const built = await Visitor.arrive(site.browser, site.plain.url + hashOf({ s: wide }), {
      before: (early) => early.route(/\.(wasm|safetensors)$/, () => {}),
    });
    await built.page.waitForFunction(() =>
      /0\.\d\)/.test(document.querySelector('.stage-below .agreement').textContent),
    );
    assert.equal(await built.page.locator('.stage-below .agreement-button').innerText(), live);
    await built.leave();
  });

  test('the sentence can be changed where one reads: the French in the bar opens its words', async () => {
    const visitor = await site.arrive({ s: tired, v: 'masks' });
    const { page } = visitor;
    const now = page.locator('.bar .now');
    await now.waitFor();
    await now.click();
    await visitor.after(() => page.locator('.bar .chip', { hasText: 'wide' }).click());
    await page.waitForFunction(() => /elle/.test(document.querySelector('.bar .now').textContent));
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.bar .popover').count(), 0);
    await now.click();
    await page.locator('.bar').getByRole('button', { name: 'Write your own' }).click();
    await visitor.after(() => page.fill('.bar #source', 'The cat sleeps.'));
    await page.keyboard.press('Escape');
    assert.match(await now.innerText(), /chat/);
    assert.equal(await page.locator('.bar .field').count(), 0);
    await visitor.leave();
  });

  test('shows the best of several beams as a tree', async () => {
    // The three are far from equally likely: in 8 bits, the variants of the engine could change the order of others.
    const ball = 'He gave the dog a ball.';
    const visitor = await site.arrive({ s: ball, v: 'beams', 'beams.width': 3 });
    const { sequences } = await site.model.generate(ball, { numBeams: 3, numReturnSequences: 3 });
    await visitor.page.locator('.beam-tree .branch').first().waitFor();
    const { numbers } = await visitor.table('beams');
    assert.deepEqual(
      numbers.map(([, sentence]) => sentence),
      sequences.map(({ ids }) => shown(ids.slice(1).map((id) => site.model.tokenizer.tokenOf(id))).join(' ')),
    );
    assert.equal(await visitor.page.locator('.beam-tree .branch .number').count(), 3);
    await visitor.leave();
  });

  test('switches heads off, and outlines those that decide', async () => {
    const visitor = await site.arrive({ s: wide, v: 'heads' });
    const { text } = await site.model.translate(wide);
    const decisive = [];
    const { num_heads: heads, num_encoder_layers, num_decoder_layers } = site.model.config;
    const layers = (count, name) => Array.from({ length: count }, (_, layer) => name(layer));
    const paths = [
      ...layers(num_encoder_layers, (layer) => `encoder.layers.${layer}.self`),
      ...layers(num_decoder_layers, (layer) => `decoder.layers.${layer}.self`),
      ...layers(num_decoder_layers, (layer) => `decoder.layers.${layer}.cross`),
    ];
    for (const [row, path] of paths.entries()) {
      for (let head = 0; head < heads; head++) {
        const without = await site.model.translate(wide, { heads: { [`${path}.${head}`]: 0 } });
        if (without.text !== text) decisive.push(row * heads + head);
      }
    }
    const buttons = visitor.page.locator('#heads .wall button');
    await visitor.page.locator('#heads .wall .decisive').first().waitFor();
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
    await buttons.nth(off).click();
    await visitor.after(() => visitor.page.getByRole('button', { name: 'Switch this head off' }).click());
    const { sequences } = await site.model.generate(wide, {
      heads: { [`${paths[Math.floor(off / heads)]}.${off % heads}`]: 0 },
    });
    assert.deepEqual(await visitor.french(), shown(sequences[0].tokens));
    assert.ok(await buttons.nth(off).evaluate(({ classList }) => classList.contains('off')));
    await visitor.leave();
  });

  test('offers words to swap, each with its pronoun: that of the same heads and forced words', async () => {
    for (const [off, heads] of [
      ['', {}],
      ['encoder.1.0', { 'encoder.layers.1.self.0': 0 }],
    ]) {
      const visitor = await site.arrive({ s: tired, off });
      await visitor.page.locator('.chip:has(small)').nth(8).waitFor();
      const chips = await visitor.page.locator('.chip').allTextContents();
      assert.equal(chips.length, 9);
      const texts = chips.map((chip) => tired.replace('tired', chip.split(' ')[0]));
      const translations = await site.model.translate(texts, { heads });
      for (const [i, chip] of chips.entries()) {
        const [, pronoun] = chip.split(' ');
        assert.match(translations[i].text, new RegExp(`['\\s]${pronoun}s? `), chip);
      }
      await visitor.after(() => visitor.page.locator('.chip', { hasText: 'wide' }).click());
      assert.equal(new URLSearchParams((await visitor.hash()).slice(1)).get('s'), wide);
      await visitor.leave();
    }
    const { sequences } = await site.model.generate(tired);
    const [{ ids, tokens }] = sequences;
    const place = tokens.indexOf('il');
    const { ids: forced } = site.model.tokenizer.encode('elle', { isTarget: true, addSpecialTokens: false });
    const prefix = [...ids.slice(1, place + 1), ...forced];
    const visitor = await site.arrive({ s: tired, p: prefix.join(','), w: place });
    await visitor.page.locator('.chip.elle').nth(8).waitFor();
    const { text } = await site.model.translate(wide, { prefix });
    await visitor.after(() => visitor.page.locator('.chip', { hasText: 'wide' }).click());
    assert.equal(
      (await visitor.french()).slice(0, -1).join('').replaceAll(/\W/g, ''),
      text.replaceAll(/\W/g, ''),
    );
    await visitor.leave();
  });

  test('translates several sentences one by one', async () => {
    const visitor = await site.arrive({ s: `${cat} I am hungry.`, n: 1 });
    const french = await site.model.translate([cat, 'I am hungry.']);
    await visitor.page.locator('.sentences li').nth(1).waitFor();
    assert.deepEqual(
      await visitor.page.locator('.sentences [lang=fr]').allTextContents(),
      french.map(({ text }) => text),
    );
    const { sequences } = await site.model.generate('I am hungry.');
    assert.deepEqual(await visitor.french(), shown(sequences[0].tokens));
    await visitor.leave();
  });

  test('names unknown words, and says so in place of a stale picture if there is nothing to show', async () => {
    const visitor = await site.arrive({ s: unknown });
    assert.match(await visitor.text('.unknown-note'), /zyzzyva/);
    const [unk] = await visitor.page.locator('.french .word.unknown').allTextContents();
    if (unk !== undefined) assert.equal(unk, 'zyzzyva');
    assert.ok(!(await visitor.page.locator('body').innerText()).includes('<unk>'));
    const long = `The cat ${'and the cat '.repeat(60)}sat.`;
    await visitor.openField();
    await visitor.page.fill('#source', long);
    await visitor.page.press('#source', 'Enter');
    await visitor.page.getByText('too long for the model').waitFor();
    assert.deepEqual(await visitor.french(), []);
    await visitor.page.fill('#source', '');
    await visitor.page.press('#source', 'Enter');
    await visitor.page.getByText('Type a sentence').waitFor();
    await visitor.write(cat);
    await visitor.goTo('heads');
    await visitor.page.locator('#heads .heat-map canvas').waitFor();
    await visitor.page.fill('#source', '');
    await visitor.page.getByText('Type a sentence').waitFor();
    await visitor.page.locator('#heads').scrollIntoViewIfNeeded();
    await visitor.page.locator('#heads .message', { hasText: 'no sentence' }).waitFor();
    assert.equal(await visitor.page.locator('#heads .picture').isVisible(), false);
    await visitor.leave();
  });

  test('drops requests that a newer one supersedes', async () => {
    const visitor = await site.arrive();
    await visitor.openField();
    for (const text of ['I am', 'I am hungry.', 'The dog', wide]) await visitor.page.fill('#source', text);
    const { sequences } = await site.model.generate(wide);
    await visitor.page.waitForFunction(
      (count) => document.querySelectorAll('#stage .french .word').length === count,
      sequences[0].tokens.length,
    );
    assert.deepEqual(await visitor.french(), shown(sequences[0].tokens));
    await visitor.leave();
  });
});
