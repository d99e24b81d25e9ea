// Heads, layers, and ten years: their numbers are those of the API.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { loadModel } from 'transformer-wasm';
import { isRecurrent } from '../../scripts/lib/page_models.mjs';
import { assertNear, built, cat, openSite, root, shown } from './site.mjs';

const site = openSite();

describe('the views', () => {
  test('heads: the table has the weights of the chosen head, or the mean of its layer', async () => {
    const { encoderAttentions, crossAttentions } = await site.model.generate(cat, { outputAttentions: true });
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
      const visitor = await site.arrive({ s: cat, h, v: 'heads', ...(mean && { 'heads.mean': 1 }) });
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
    const visitor = await site.arrive({
      s: `I see ${words.join(' ')} the street.`,
      h: 'encoder.0.0',
      v: 'heads',
    });
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
    const visitor = await site.arrive({ s: cat, w: 1, v: 'layers' });
    await visitor.page.locator('#layers .says').first().waitFor();
    const { inputIds, sequences } = await site.model.generate(cat);
    const [{ ids }] = sequences;
    const { trace } = await site.model.forward(
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
    const best = site.model.tokenizer.tokenOf(logits.indexOf(Math.max(...logits)));
    assert.equal(await visitor.page.locator('#layers .says b').first().innerText(), best);
    await visitor.leave();
  });

  test('ten years: the article’s weights are NumPy’s', async () => {
    const file = join(root, 'tests/fixtures/reference/worked-examples/examples.json');
    const examples = JSON.parse(await readFile(file, 'utf8'));
    const visitor = await site.arrive({ s: cat, v: 'ten-years', 'ten-years.on': 'article' });
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

  test('ten years: each trained model’s alignment of this sentence is the API’s', async () => {
    const visitor = await site.arrive({ s: cat, v: 'ten-years' });
    const { page } = visitor;
    await page.locator('#ten-years figcaption .spoken:not(:empty)').waitFor();
    const trained = readdirSync(join(built, 'models')).filter(isRecurrent);
    assert.equal(trained.length, 5);
    const { columns, numbers } = await visitor.table('ten-years');
    assert.equal(columns.length, trained.length + 1);
    for (const folder of trained) {
      const model = await loadModel(join(built, 'models', folder));
      const { crossAttentions, axes, text } = await model.translate(cat, { outputAttentions: true });
      await model.dispose();
      const card = page.locator(`#ten-years [data-design=${folder.replace('en-fr-', '')}]`);
      assert.equal(await card.locator('p.note').innerText(), text);
      const column = columns.indexOf(await card.locator('h3').innerText());
      const keys = axes.source.length;
      for (const [row, word] of shown(axes.written).entries()) {
        const weights = [...crossAttentions[0].data.subarray(row * keys, (row + 1) * keys)];
        const most = Math.max(...weights);
        const [, written, key, share] = /^(.+) → (.+?) ([\d.<]+\s.*%)$/.exec(numbers[row][column]);
        assert.deepEqual([written, key], [word, shown(axes.source)[weights.indexOf(most)]]);
        assertNear(share, most, 5); // what a step rounds otherwise, all later ones read
      }
    }
    await visitor.leave();
  });
});
