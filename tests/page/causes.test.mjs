// The card "what causes it": the shares on the map are those of the package, and a copied state turns the French.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sweep } from 'transformer-wasm';
import { assertNear, openSite, tired, wide } from './site.mjs';

const site = openSite();

describe('what causes it', () => {
  test('the map is of the sweep, its strongest state turns the word, and the parts sum to the score', async () => {
    const visitor = await site.arrive({ s: tired, v: 'causes', 'causes.with': 'wide' });
    const { page } = visitor;
    const card = page.locator('#causes');
    await card.locator('.cause-parts li').first().waitFor();
    const { model } = site;
    const [ids, other] = [tired, wide].map((text) => [...model.tokenizer.encode(text).ids]);
    const [one, two] = (await model.generate([ids, other])).map(({ sequences }) => sequences[0].ids);
    const place = one.findIndex((id, i) => id !== two[i]);
    const decoderInputIds = [one.slice(0, place)];
    const {
      effects,
      base,
      other: whole,
    } = await sweep(
      model,
      { inputIds: [ids], decoderInputIds },
      {
        from: { inputIds: [other], decoderInputIds },
        at: 'encoder.layers.*.residual',
        measure: { position: place - 1, token: two[place], against: one[place] },
      },
    );
    const { numbers } = await visitor.table('causes');
    const shares = effects.tolist().map((row) => row.map((effect) => effect / (whole - base)));
    assert.equal(numbers.length, shares.length);
    for (const [i, row] of shares.entries())
      for (const [j, share] of row.entries())
        assert.ok(
          Math.abs(Number(numbers[i][j].replace('−', '-')) - share) < 0.03,
          `${i}, ${j}: ${numbers[i][j]}, ${share}`,
        );
    const said = await card.locator('.spoken i').innerText();
    assert.match(said, /qu'elle était/);
    const [own, its] = (await card.locator('.spoken', { hasText: 'chances' }).innerText()).match(
      /[<>]?\s?[\d.]+\s%/gu,
    );
    assertNear(own.replace(/^[<>]\s/u, ''), 0, 3);
    assertNear(its.replace(/^[<>]\s/u, ''), 1, 3);
    const parts = await card.locator('.cause-parts .number').allInnerTexts();
    const sum = parts.reduce((all, text) => all + Number(text.replace('−', '-')), 0);
    const score = Number(
      (await card.locator('.note').first().innerText()).match(/score is ([−-]?[\d.]+)/)[1].replace('−', '-'),
    );
    assert.ok(Math.abs(sum - score) < 0.05, `${sum}, ${score}`);
    await visitor.leave();
  });

  test('one weight of a head, of its queries and keys, is copied by itself', async () => {
    const fields = { 'causes.with': 'wide', 'causes.what': 'cells' };
    const visitor = await site.arrive({ s: tired, v: 'causes', ...fields });
    const { page } = visitor;
    const said = page.locator('#causes .spoken', { hasText: 'chances' });
    await said.filter({ hasText: '→' }).waitFor();
    const { rows, columns, numbers } = await visitor.table('causes');
    assert.deepEqual(rows, columns.slice(-rows.length));
    const shares = numbers.flat().map((text) => Number(text.replace('−', '-')));
    const best = shares.indexOf(Math.max(...shares));
    const [query, key] = [Math.floor(best / rows.length), best % rows.length].map((at) => rows[at]);
    assert.ok((await said.innerText()).startsWith(`Only ${query} → ${key} (layer `), await said.innerText());
    assert.equal(query, 'it');
    // Another head is of less weight.
    const head = page.locator('#causes select').nth(1);
    assert.equal(await head.locator('option').count(), 8);
    await head.selectOption('1.1');
    await said.filter({ hasText: 'layer 1, head 1' }).waitFor();
    assert.match(await visitor.hash(), /causes\.head=1\.1/);
    const others = (await visitor.table('causes')).numbers
      .flat()
      .map((text) => Number(text.replace('−', '-')));
    assert.ok(Math.max(...others) < Math.max(...shares));
    await visitor.leave();
  });

  test('a cell is reached by keys; a sentence that no word turns says so', async () => {
    const visitor = await site.arrive({ s: tired, v: 'causes' }, { viewport: { width: 390, height: 844 } });
    const { page } = visitor;
    const said = page.locator('#causes .spoken i');
    await said.filter({ hasText: 'elle' }).waitFor();
    await page.locator('#causes .heat-map').focus();
    await page.keyboard.press('ArrowRight');
    await said.filter({ hasText: "qu'il était" }).waitFor();
    await visitor.leave();
    const other = await site.arrive({ s: 'I am here.', v: 'causes' });
    await other.page.locator('#causes .spoken', { hasText: 'No word of this sentence' }).waitFor();
    assert.equal(await other.page.locator('#causes .heat-map').isVisible(), false);
    await other.leave();
  });
});
