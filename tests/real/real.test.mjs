// Models with trained weights: our own against their receipts, and whatever a folder holds that the environment names as REAL.

import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createEngine } from '../../dist/index.js';
import { differencesOf, makeReceipt, receiptOf } from '../../scripts/receipts/make.mjs';
import { ours } from '../../scripts/receipts/rows.mjs';
import { document, documentWithTable } from '../../scripts/receipts/table.mjs';
import { kinds, spells } from './kinds.mjs';

describe('our own models', () => {
  for (const row of ours)
    test(row.model, async () => {
      const receipt = receiptOf(row.model);
      assert.ok(receipt, `${row.model} has no receipt: npm run receipts`);
      assert.deepEqual(await differencesOf(receipt, await makeReceipt(row)), []);
    });

  test('the table says what the receipts say', async () => {
    assert.equal(await readFile(document, 'utf8'), await documentWithTable());
  });
});

const real = process.env.REAL;

describe(`what others trained: ${real ?? 'REAL names no folder, so that none of it was run'}`, {
  skip: !real,
}, () => {
  let engine;
  before(async () => {
    engine = await createEngine({ simd: 'simd128' });
  });
  after(() => engine.dispose());

  const isFolder = (path) => statSync(path).isDirectory();
  for (const name of real ? readdirSync(resolve(real)).sort() : []) {
    const folder = join(resolve(real), name);
    if (!isFolder(folder)) continue;
    const vocabularies = readdirSync(folder).filter((file) => file.endsWith('.gguf.inp'));
    for (const file of vocabularies)
      test(`${name}/${file.replace(/\.inp$/, '')}`, () => spells(join(folder, file.replace(/\.inp$/, ''))));
    if (vocabularies.length > 0) continue;
    test(name, async (context) => {
      const kind = kinds.find(({ fits }) => fits(folder));
      assert.ok(kind, `nothing in ${name} says what must come out: see web/docs/real.md`);
      context.diagnostic(await kind.run(folder, engine));
    });
  }
});
