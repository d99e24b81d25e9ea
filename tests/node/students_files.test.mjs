// The files of Firefox's translation models: where they are, what a damaged one is told.

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parseSimpleYaml } from '../../build/modules/files/simple_yaml.js';
import { LexicalShortlist } from '../../build/modules/weights/lexical_shortlist.js';
import { createEngine, loadModel } from '../../dist/index.js';
import { refusesToLoad } from '../lib/refuses.mjs';
import {
  expectedOf,
  inFloats,
  modelName,
  packedFiles,
  readItems,
  studentFiles,
  writeItems,
} from '../lib/students.mjs';

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

const [sample] = expectedOf('yyzz').firefox;

async function translates(source, options = {}) {
  const model = await loadModel(source, { engine, ...options });
  try {
    assert.equal((await model.translate(sample.source)).text, sample.target);
  } finally {
    model.dispose();
  }
}

describe('where the files are', () => {
  let folder;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'students-'));
    await mkdir(join(folder, 'yyzz'));
    for (const [name, bytes] of packedFiles('yyzz')) await writeFile(join(folder, 'yyzz', name), bytes);
    const named = (name) => ({ name, size: 1 });
    const entry = {
      model: named(modelName('yyzz')),
      lex: named('lex.50.50.yyzz.s2t.bin'),
      vocab: named('vocab.yyzz.spm'),
    };
    await writeFile(
      join(folder, 'registry.json'),
      JSON.stringify({ yyzz: entry, 'xx-yy': { model: entry.model } }),
    );
  });
  after(() => rm(folder, { recursive: true }));

  test('a map, unpacked or not', async () => {
    await translates(studentFiles('yyzz'));
    await translates(packedFiles('yyzz'));
  });

  test('files that were chosen', () =>
    translates([...packedFiles('yyzz')].map(([name, bytes]) => new File([bytes], name))));

  test('a folder on disk', () => translates(join(folder, 'yyzz')));

  test('config.yml, which names another model file than a list would find', async () => {
    const files = studentFiles('yyzz');
    files.set('other.bin', files.get(modelName('yyzz')));
    files.set(modelName('yyzz'), new Uint8Array(5));
    const config =
      'models:\n  - other.bin\nvocabs: [vocab.yyzz.spm, vocab.yyzz.spm]\nmax-length-factor: 0.5 # short\n';
    files.set('config.yml', new TextEncoder().encode(config));
    const model = await loadModel(files, { engine });
    const { sequences } = await model.generate(sample.source);
    const { inputIds } = await model.generate(sample.source);
    assert.equal(sequences[0].tokenScores.length, Math.ceil(0.5 * inputIds.length));
    model.dispose();
  });

  test('a registry of pairs', async () => {
    await translates(folder, { pair: ['yy', 'zz'] });
    await assert.rejects(loadModel(folder, { engine }), {
      code: 'invalid_argument',
      message: /pairs yyzz, xx-yy/,
    });
    await assert.rejects(loadModel(folder, { engine, pair: ['zz', 'yy'] }), {
      code: 'missing_file',
      message: /no model for zz to yy; it lists yyzz, xx-yy/,
    });
    await assert.rejects(loadModel(folder, { engine, pair: ['xx', 'yy'] }), {
      code: 'bad_checkpoint',
      message: /needs a model/,
    });
    await assert.rejects(loadModel(folder, { engine, pair: 'yyzz' }), {
      code: 'invalid_argument',
      message: /^pair must be/,
    });
    await assert.rejects(loadModel(join(folder, 'yyzz'), { engine, pair: ['yy', 'zz'] }), {
      code: 'missing_file',
      message: /needs a registry\.json/,
    });
  });

  test('a registry that knows the hashes of its files', async () => {
    const hashed = await mkdtemp(join(tmpdir(), 'hashes-'));
    await mkdir(join(hashed, 'yyzz'));
    const entry = {};
    const kinds = { model: modelName('yyzz'), lex: 'lex.50.50.yyzz.s2t.bin', vocab: 'vocab.yyzz.spm' };
    for (const [kind, name] of Object.entries(kinds)) {
      const bytes = studentFiles('yyzz').get(name);
      const digest = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
      entry[kind] = { name, expectedSha256Hash: digest };
    }
    for (const [name, bytes] of packedFiles('yyzz')) await writeFile(join(hashed, 'yyzz', name), bytes);
    const write = () => writeFile(join(hashed, 'registry.json'), JSON.stringify({ yyzz: entry }));
    await write();
    await translates(hashed, { pair: ['yy', 'zz'] });
    for (const kind of Object.keys(kinds)) {
      const { expectedSha256Hash } = entry[kind];
      entry[kind].expectedSha256Hash = 'ab'.repeat(32);
      await write();
      await assert.rejects(loadModel(hashed, { engine, pair: ['yy', 'zz'] }), {
        code: 'bad_checkpoint',
        message: /its SHA-256 is/,
      });
      entry[kind].expectedSha256Hash = expectedSha256Hash;
    }
    entry.model.expectedSha256Hash = 'no';
    await write();
    await assert.rejects(loadModel(hashed, { engine, pair: ['yy', 'zz'] }), { code: 'bad_checkpoint' });
    await rm(hashed, { recursive: true });
  });

  test('a server, by metadata.json', async () => {
    const files = packedFiles('yyzz');
    const server = createServer(({ url }, response) => {
      const bytes = files.get(url.slice('/model/'.length));
      response.writeHead(bytes ? 200 : 404).end(bytes);
    });
    await new Promise((resolve) => server.listen(0, resolve));
    await translates(`http://localhost:${server.address().port}/model`).finally(() => server.close());
  });
});

describe('damaged files', () => {
  const changed = (change) => {
    const files = studentFiles('yyzz');
    const model = files.get(modelName('yyzz')).slice();
    files.set(modelName('yyzz'), change(model, new DataView(model.buffer), files) ?? model);
    return files;
  };
  const refused = (what, change, message, code = 'bad_checkpoint') =>
    test(what, () => refusesToLoad(engine, changed(change), { code, message }));

  refused('a version', (_, view) => view.setBigUint64(0, 2n, true), /byte 0: expected the version 1, got 2$/);
  refused(
    'a number of items',
    (_, view) => view.setBigUint64(8, 2n ** 60n, true),
    /byte 8: expected the number of items/,
  );
  refused(
    'the length of a name',
    (_, view) => view.setBigUint64(16, 0n, true),
    /byte 16: expected the length of name 1/,
  );
  refused(
    'a length that leaves the file',
    (_, view) => view.setBigUint64(40, 2n ** 40n, true),
    /byte 40: expected the bytes of item 1/,
  );
  refused('an end', (bytes) => bytes.subarray(0, 100_000), /is cut off: it has 100000 bytes/);
  refused('nothing', (bytes) => bytes.subarray(0, 0), /is cut off: it has 0 bytes/);
  refused(
    'gzip',
    (bytes) => Uint8Array.from([0x1f, 0x8b, ...bytes.subarray(0, 100)]),
    /its gzip data is damaged/,
  );
  refused(
    'gzip of more than a model has',
    () => new Uint8Array(gzipSync(Buffer.alloc((256 << 20) + 1), { level: 1 })),
    /is larger than 256 MB/,
  );
  refused(
    'a type',
    (bytes) =>
      writeItems(readItems(bytes).map((item) => (item.type === 0x4101 ? { ...item, type: 0x4102 } : item))),
    /has the type 0x4102; supported are/,
    'unsupported',
  );
  refused(
    'no options',
    (bytes) => writeItems(readItems(bytes).filter(({ name }) => !name.startsWith('special:'))),
    /no 'special:model.yml'/,
  );
  refused(
    'a missing tensor',
    (bytes) => writeItems(readItems(bytes).filter(({ name }) => name !== 'decoder_l2_rnn_Wf')),
    /'decoder_l2_rnn_Wf'.* is missing/,
  );
  refused(
    'a multiplier',
    (bytes) =>
      writeItems(
        readItems(bytes).map((item) => {
          if (item.name !== 'encoder_l1_ffn_W1') return item;
          const data = item.data.slice();
          new DataView(data.buffer).setFloat32(item.shape[0] * item.shape[1], Number.NaN, true);
          return { ...item, data };
        }),
      ),
    /expected the multiplier of 'encoder_l1_ffn_W1', a positive number, got NaN/,
  );
  refused(
    'a setting that needs other layers',
    (bytes) =>
      writeItems(
        readItems(bytes).map((item) => {
          if (item.name !== 'special:model.yml') return item;
          const text = new TextDecoder().decode(item.data).replace(/\0+$/, '').replace('dan', 'nda');
          const data = new TextEncoder().encode(`${text}\0`);
          return { ...item, shape: [data.length], data };
        }),
      ),
    /transformer-postprocess "nda" is not supported/,
    'unsupported',
  );

  const other = studentFiles('xxcc');
  test('the vocabulary of another model', async () => {
    const files = studentFiles('yyzz').set('vocab.yyzz.spm', other.get('srcvocab.xxcc.spm'));
    await refusesToLoad(engine, files, {
      code: 'bad_checkpoint',
      message: /vocab\.yyzz\.spm does not fit model\.yyzz/,
    });
  });

  test('the shortlist of another model', async () => {
    const files = studentFiles('yyzz').set('lex.50.50.yyzz.s2t.bin', other.get('lex.50.50.xxcc.s2t.bin'));
    await refusesToLoad(engine, files, {
      code: 'bad_checkpoint',
      message: /byte 32: .*belongs to another model/,
    });
  });

  test('no vocabulary', async () => {
    const files = studentFiles('yyzz');
    files.delete('vocab.yyzz.spm');
    await refusesToLoad(engine, files, { code: 'missing_file', message: /no vocab\.\*\.spm/ });
  });
});

describe('shortlists', () => {
  for (const pair of ['yyzz', 'xxcc']) {
    test(`the candidates of ${pair}`, () => {
      const bytes = studentFiles(pair).get(`lex.50.50.${pair}.s2t.bin`);
      const [sourceVocab, targetVocab] = pair === 'yyzz' ? [400, 400] : [296, 400];
      const list = new LexicalShortlist(bytes, 'lex', {
        sourceVocab,
        targetVocab,
        sharesVocabulary: pair === 'yyzz',
      });
      for (const { ids, shortlist } of expectedOf(pair).shortlists)
        assert.deepEqual([...list.candidates(ids)], shortlist);
    });
  }

  const words = (...numbers) => new Uint8Array(BigUint64Array.from(numbers).buffer);
  const magic = 0xf11a48d5013417f5n;
  const model = { sourceVocab: 1, targetVocab: 9, sharesVocabulary: false };
  const refuses = (bytes, message) =>
    assert.throws(() => new LexicalShortlist(bytes, 'lex', model), { code: 'bad_checkpoint', message });
  test('damaged ones', () => {
    refuses(words(magic), /at least 48 bytes/);
    refuses(words(1n, 0n, 0n, 0n, 2n, 0n, 0n, 0n), /byte 0: expected 0xf11a48d5013417f5/);
    refuses(words(magic, 0n, 0n, 0n, 3n, 0n, 0n, 0n), /byte 32: expected 2 offsets/);
    refuses(words(magic, 0n, 0n, 0n, 2n, 4n, 0n, 2n, 1n), /byte 40: expected as many target ids/);
    refuses(words(magic, 0n, 0n, 0n, 2n, 2n, 0n, 3n, 1n), /byte 56: expected an offset from 0 to 2, got 3/);
    refuses(words(magic, 0n, 0n, 0n, 2n, 2n, 0n, 2n, 9n), /byte 64: expected a target id below 9/);
  });
  test('the first words of a file are enough for few candidates', () => {
    const list = new LexicalShortlist(words(magic, 0n, 99n, 0n, 2n, 2n, 0n, 2n, 8n), 'lex', model);
    assert.deepEqual([...list.candidates([0])], [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

describe('simple YAML', () => {
  test('scalars and lists', () => {
    const text =
      'a: 1\nb-c: "x # y"\n# note\nd:\n  - e\n  - 2.5\nf: [1, true]\ng:\nh: []\nj:\n  []\ni: no.bin # note\n';
    const expected = {
      a: 1,
      'b-c': 'x # y',
      d: ['e', 2.5],
      f: [1, true],
      g: null,
      h: [],
      j: [],
      i: 'no.bin',
    };
    assert.deepEqual(parseSimpleYaml(text, 'f.yml'), expected);
  });
  test('anything else', () => {
    for (const text of ['a: 1\n- b', 'a', 'a: 1\n  ? b']) {
      assert.throws(() => parseSimpleYaml(text, 'f.yml'), {
        code: 'bad_checkpoint',
        message: /f\.yml: line/,
      });
    }
    assert.throws(() => parseSimpleYaml('a: [1', 'f.yml'), {
      code: 'bad_checkpoint',
      message: /must end with \]/,
    });
  });
});

test('a model in float32 has the bits of its integers in float32', async () => {
  const files = studentFiles('yyzz');
  const asFloats = new Map(files).set(modelName('yyzz'), inFloats(files.get(modelName('yyzz'))));
  const results = [];
  for (const [source, dtype] of [
    [files, 'f32'],
    [asFloats, 'auto'],
  ]) {
    const model = await loadModel(source, { engine, dtype });
    assert.equal(model.info.dtype, 'f32');
    results.push((await model.generate(sample.source)).sequences);
    model.dispose();
  }
  assert.deepEqual(results[0], results[1]);
});
