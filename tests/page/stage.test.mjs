// The first screen: the numbers beside the words are those of the API.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertNear, cat, openSite, shown, tired, unknown, wide } from './site.mjs';

const site = openSite();

describe('the stage', () => {
  test('shows the five likeliest words, and a click on another writes the rest anew', async () => {
    const visitor = await site.arrive({ s: wide });
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

  test('says where a word looked', async () => {
    const visitor = await site.arrive({ s: cat, h: 'cross.1.2' });
    const { crossAttentions, axes } = await site.model.generate(cat, { outputAttentions: true });
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
    const config = JSON.stringify({ ...site.model.config, taught_heads });
    const visitor = await site.arrive(
      { s: wide },
      { before: (page) => page.route('**/en-fr/config.json', (route) => route.fulfill({ body: config })) },
    );
    const result = await site.model.generate(wide, { outputAttentions: true });
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
    // The three are far from equally likely: in 8 bits, the variants of the engine could change the order of others.
    const ball = 'He gave the dog a ball.';
    const visitor = await site.arrive({ s: ball, b: 3 });
    const { sequences } = await site.model.generate(ball, { numBeams: 3, numReturnSequences: 3 });
    const lines = await visitor.page.locator('.n-best li span').allTextContents();
    assert.deepEqual(
      lines,
      sequences.map(({ text }) => text),
    );
    await visitor.leave();
  });

  test('switches heads off, and outlines those that decide', async () => {
    const visitor = await site.arrive({ s: wide });
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
    const { sequences } = await site.model.generate(wide, {
      heads: { [`${paths[Math.floor(off / heads)]}.${off % heads}`]: 0 },
    });
    assert.deepEqual(await visitor.french(), shown(sequences[0].tokens));
    await visitor.leave();
  });

  test('offers words to swap, in the colours of their pronouns', async () => {
    const visitor = await site.arrive({ s: tired });
    await visitor.page.locator('.chip small').first().waitFor();
    const chips = await visitor.page.locator('.chip').allTextContents();
    const texts = chips.map((chip) => tired.replace('tired', chip.split(' ')[0]));
    const translations = await site.model.translate(texts);
    for (const [i, chip] of chips.entries()) {
      const [, pronoun] = chip.split(' ');
      assert.match(translations[i].text, new RegExp(`['\\s]${pronoun}s? `), chip);
    }
    await visitor.after(() => visitor.page.locator('.chip', { hasText: 'wide' }).click());
    assert.equal(await visitor.page.inputValue('#source'), wide);
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
    const visitor = await site.arrive();
    for (const text of ['I am', 'I am hungry.', 'The dog', wide]) await visitor.page.fill('#source', text);
    const { sequences } = await site.model.generate(wide);
    await visitor.page.waitForFunction(
      (count) => document.querySelectorAll('.french .word').length === count,
      sequences[0].tokens.length,
    );
    assert.deepEqual(await visitor.french(), shown(sequences[0].tokens));
    await visitor.leave();
  });
});
