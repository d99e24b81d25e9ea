// What a tokenizer.json may cost: long texts are read, and steps without end are refused in time.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tokenizerOf } from '../lib/tokenizer_folders.mjs';

const read = async (json) => tokenizerOf({ 'tokenizer.json': json });

describe('texts of more tokens than a call takes arguments', () => {
  test('the shipped tokenizer', async () => {
    const file = join(import.meta.dirname, '../../web/public/models/en-fr/tokenizer.json');
    const tokenizer = await read(JSON.parse(readFileSync(file, 'utf8')));
    assert.equal(tokenizer.encode('!'.repeat(200_000)).ids.length, 200_001);
  });

  test('one word, of a unigram model', async () => {
    const vocab = [
      ['u', -9],
      ['a', -1],
    ];
    const tokenizer = await read({ model: { type: 'Unigram', unk_id: 0, vocab } });
    assert.equal(tokenizer.encode('a'.repeat(200_000)).ids.length, 200_000);
  });
});
