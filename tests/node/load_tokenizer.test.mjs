// A tokenizer without its model: from a folder, a file, a Map and a GGUF file of a vocabulary alone.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { loadTokenizer } from '../../dist/index.js';
import { writeGguf } from '../lib/gguf.mjs';
import { tokenizerJson } from '../lib/tiny_model.mjs';
import { fixture } from '../lib/tokenizer_folders.mjs';

const folder = mkdtempSync(join(tmpdir(), 'tokenizer-'));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'words.json'), JSON.stringify(tokenizerJson));
writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizerJson));
writeFileSync(join(folder, 'pieces.model'), fixture('bpe_bytes.model'));

test('a folder, and a tokenizer.json by its path and by its URL', async () => {
  const { ids } = await (await loadTokenizer(folder)).encode('the cats');
  assert.ok(ids.length > 1);
  for (const source of [join(folder, 'words.json'), pathToFileURL(join(folder, 'words.json'))])
    assert.deepEqual((await loadTokenizer(source)).encode('the cats').ids, ids);
  const files = new Map([['tokenizer.json', new TextEncoder().encode(JSON.stringify(tokenizerJson))]]);
  assert.deepEqual((await loadTokenizer(files)).encode('the cats').ids, ids);
});

test('a SentencePiece model has its own ids, and no special tokens around a text', async () => {
  const tokenizer = await loadTokenizer(join(folder, 'pieces.model'));
  const { ids } = tokenizer.encode('the cat');
  assert.ok(ids.length > 0 && !ids.includes(tokenizer.idOf('<s>')));
  assert.equal(tokenizer.decode(ids), 'the cat');
});

test('a GGUF file of a vocabulary alone: WordPiece', async () => {
  const tokens = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '▁a', '▁b', 'b', '▁1', '2', '▁½', '▁!'];
  const bert = writeGguf(
    [
      ['general.architecture', 'bert'],
      ['tokenizer.ggml.model', 'bert'],
      ['tokenizer.ggml.tokens', tokens],
      [
        'tokenizer.ggml.token_type',
        { of: 'i32', values: tokens.map((token) => (token.startsWith('[') ? 3 : 1)) },
      ],
      ['tokenizer.ggml.unknown_token_id', ['u32', 1]],
      ['tokenizer.ggml.cls_token_id', ['u32', 2]],
      ['tokenizer.ggml.seperator_token_id', ['u32', 3]],
    ],
    [],
  );
  const tokenizer = await loadTokenizer(new Blob([bert]));
  assert.deepEqual(tokenizer.encode('Ab 12 ½ z b!').ids, [2, 4, 6, 7, 8, 9, 1, 5, 10, 3]);
  assert.equal(tokenizer.decode([4, 6, 5]), 'ab b');
});

test('what is missing, and what is no option', async () => {
  await assert.rejects(loadTokenizer(join(folder, 'none.json')), { code: 'missing_file' });
  await assert.rejects(loadTokenizer(folder, { nonsense: 1 }), {
    code: 'invalid_argument',
    message: /nonsense/,
  });
  const reason = new Error('enough');
  await assert.rejects(loadTokenizer(folder, { signal: AbortSignal.abort(reason) }), reason);
});
