// Names and files of strangers: nothing outside of its folder is read or written, and what is damaged is not used.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Journal } from '../../build/modules/cli/journal.js';
import { parseLine } from '../../build/modules/cli/json_line.js';
import { OutputFolder } from '../../build/modules/cli/output_folder.js';
import { isInsideFolder } from '../../build/modules/files/inside_folder.js';
import { openFolder } from '../../build/modules/files/open_folder.js';
import { finderOf } from '../../build/modules/translator/translation_models.js';
import { loadModel } from '../../dist/index.js';
import { modelName, studentFiles } from '../lib/students.mjs';

let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'doors-'));
});
after(() => rmSync(folder, { recursive: true }));
const isRefused = { code: 'bad_checkpoint' };
const noLinks = process.platform === 'win32' && 'links need rights';

describe('names that lead elsewhere', () => {
  const outside = [
    '../x',
    'a/../../x',
    '..',
    '.',
    '',
    '/x',
    'a//b',
    '..\\x',
    'a\\b',
    '%2e%2E/x',
    '.%2e',
    'a\0',
    '\ud800',
  ];

  test('of files', async () => {
    for (const name of outside) {
      assert.equal(isInsideFolder(name), false, JSON.stringify(name));
      await assert.rejects((await openFolder(folder)).open(name), isRefused, JSON.stringify(name));
    }
    for (const name of ['config.json', '1_Pooling/config.json', '..a', 'a..b/c', '𝄞', 'übung'])
      assert.equal(isInsideFolder(name), true, name);
  });

  test("in a student's config.yml, metadata.json and registry.json", async () => {
    const files = studentFiles('yyzz');
    const model = modelName('yyzz');
    for (const name of ['../secret', '/etc/hostname', '..\\secret']) {
      const config = `models:\n  - ${name}\nvocabs:\n  - vocab.yyzz.spm\n`;
      await assert.rejects(loadModel(new Map([...files, ['config.yml', Buffer.from(config)]])), isRefused);
      const metadata = JSON.stringify({ sourceLanguage: name, targetLanguage: 'zz' });
      // `model.../secret` is a folder inside, which is not there.
      await assert.rejects(loadModel(new Map([['metadata.json', Buffer.from(metadata)]])), {
        code: /^(?:bad_checkpoint|missing_file)$/,
      });
      const entry = { model: { name }, vocab: { name: 'vocab.yyzz.spm' } };
      const registry = Buffer.from(JSON.stringify({ yyzz: entry }));
      await assert.rejects(
        loadModel(
          new Map([
            ['registry.json', registry],
            [`yyzz/${model}`, files.get(model)],
          ]),
          { pair: ['yy', 'zz'] },
        ),
        isRefused,
      );
    }
  });

  test('in a registry of folders: only beside it, or by its own scheme', async () => {
    const find = async (entry) => {
      writeFileSync(join(folder, 'registry.json'), JSON.stringify({ 'en-fr': entry }));
      return (await finderOf(folder)('en', 'fr')).source;
    };
    assert.equal(await find('enfr/'), `${folder}/enfr/`);
    for (const entry of ['../../secret', '/etc', 'file:///etc', 'https://example.org/enfr/', 'data:,x'])
      await assert.rejects(find(entry), isRefused, entry);
  });

  test('a registry on the network leads to no file', async () => {
    const before = globalThis.fetch;
    try {
      for (const [entry, isAllowed] of [
        ['file:///etc', false],
        ['../../x', false],
        ['https://other.example/enfr/', true],
        ['enfr/', true],
      ]) {
        globalThis.fetch = async () => new Response(JSON.stringify({ 'en-fr': entry }));
        const found = finderOf('https://models.example/all/')('en', 'fr');
        if (!isAllowed) await assert.rejects(found, isRefused, entry);
        else assert.equal(String((await found).source), new URL(entry, 'https://models.example/all/').href);
      }
    } finally {
      globalThis.fetch = before;
    }
  });

  test('a revision that no address can hold', async () => {
    await assert.rejects(loadModel('owner/name', { hub: { revision: '\ud800' } }), {
      code: 'invalid_argument',
    });
  });
});

describe('links that wait in a folder', { skip: noLinks }, () => {
  const secret = () => join(folder, 'secret');

  test("a journal's and an output's", async () => {
    writeFileSync(secret(), 'mine\n');
    const path = join(folder, 'linked.journal');
    symlinkSync(secret(), path);
    const journal = await Journal.open(path, 'key');
    symlinkSync(secret(), join(folder, 'swapped'));
    await journal.add([['text', { text: 'kept' }]]);
    const output = await OutputFolder.create(join(folder, 'out'), { source: folder, force: true });
    symlinkSync(secret(), join(folder, 'out', `.config.json.${process.pid}.part`));
    await (await output.file('config.json')).write('{}');
    await output.complete();
    assert.equal(readFileSync(secret(), 'utf8'), 'mine\n');
    assert.equal(readFileSync(join(folder, 'out', 'config.json'), 'utf8'), '{}');
    // One that takes the journal's place while it is written.
    rmSync(path);
    symlinkSync(secret(), path);
    await assert.rejects(journal.add([['other', {}]]), { code: 'ELOOP' });
    assert.equal(readFileSync(secret(), 'utf8'), 'mine\n');
  });

  test('a translation writes nothing through them', () => {
    const [source, out] = ['from', 'to'].map((name) => join(folder, name));
    mkdirSync(source);
    mkdirSync(out);
    writeFileSync(join(source, 'README.md'), 'I am hungry.\n');
    writeFileSync(secret(), 'mine\n');
    for (const name of ['.README.md.journal', '.README.md.part', 'README.md'])
      symlinkSync(secret(), join(out, name));
    const cli = new URL('../../dist/cli.js', import.meta.url).pathname;
    execFileSync(process.execPath, [cli, 'translate', join(source, 'README.md'), '--to-dir', out, '--force']);
    assert.equal(readFileSync(secret(), 'utf8'), 'mine\n');
    assert.deepEqual(readdirSync(out).sort(), ['.translations.jsonl', 'README.md']);
    assert.match(readFileSync(join(out, 'README.md'), 'utf8'), /faim/);
  });
});

describe('damaged journals', () => {
  test('every byte that is changed, and every end, costs the line it is in and no other', async () => {
    const path = join(folder, 'whole.journal');
    const journal = await Journal.open(path, 'key');
    const entries = ['one', 'two', 'three'].map((text) => [text, { text: `«${text}»`, sentences: [] }]);
    await journal.add(entries);
    const whole = readFileSync(path);
    for (let at = 0; at < whole.length; at++) {
      for (const damaged of [whole.subarray(0, at), Buffer.from(whole)]) {
        if (damaged.length === whole.length) damaged[at] ^= 1 << (at % 8);
        writeFileSync(path, damaged);
        const read = await Journal.open(path, 'key');
        let found = 0;
        for (const [text, entry] of entries) {
          const kept = read.get(text);
          if (kept === undefined) continue;
          found++;
          assert.deepEqual(kept, entry);
        }
        if (damaged.length === whole.length && at > whole.indexOf('\n')) assert.ok(found >= 1, `byte ${at}`);
      }
    }
    writeFileSync(path, `${whole}["a", {}]\n{}\nnull\n`);
    assert.deepEqual((await Journal.open(path, 'key')).get('three'), entries[2][1]);
    assert.ok(existsSync(path));
  });
});

describe('JSON Lines that could not be given back', () => {
  for (const text of [
    '{"a":1e-400}',
    '[-0]',
    '[-0.0]',
    '[-0e5]',
    '[1e400]',
    '[0.1234567890123456789012345678901]',
    '[9007199254740993]',
    '[1.00000000000000001]',
    '{"a":1,"a":1}',
    '{"b":{"a":1,"\\u0061":2}}',
  ])
    test(text, () => assert.throws(() => parseLine(text), { code: 'invalid_argument' }));

  for (const text of [
    '[0, -1, 1.50, 0.1, 1e2, 1E+2, 100e-2, 0e0, 0.0000001, 123456789012345]',
    '[9007199254740992, 1e21, 0.30000000000000004, 100000000000000000000000, 5e-324]',
    '{"a":"-0 and 1e-400 and 0.1234567890123456789","b":[{"a":1},{"a":1}]}',
  ])
    test(text, () => assert.deepEqual(parseLine(text), JSON.parse(text)));
});

test('a pipe in place of a file is refused', { skip: noLinks, timeout: 60_000 }, () => {
  const pipe = join(folder, 'pipe.txt');
  execFileSync('mkfifo', [pipe]);
  const cli = new URL('../../dist/cli.js', import.meta.url).pathname;
  const { status, stderr } = spawnSync(process.execPath, [cli, 'translate', pipe], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /pipe\.txt.*is not a file; a pipe is read from standard input/);
});
