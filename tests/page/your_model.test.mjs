// A visitor's own model: from files, from a folder that is dropped, from a hub.

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { loadModel } from 'transformer-wasm';
import { assertNear, built, openSite, root } from './site.mjs';

const site = openSite();

describe('your model', () => {
  for (const [family, kind] of [
    ['gpt2', 'Decoder'],
    ['bert', 'Encoder'],
  ]) {
    test(`${family}, with one stack alone, shows its own attention`, async () => {
      const folder = join(root, 'tests/fixtures/reference', family);
      const visitor = await site.arrive({ s: '5 17 3 9', v: 'your-model' });
      const files = ['config.json', 'site.model.safetensors'].map((name) => join(folder, name));
      await visitor.page.setInputFiles('#model-files', files);
      await visitor.page.getByText(`${family}`).waitFor();
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
});
