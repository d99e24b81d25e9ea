// A translation memory of the command line: JSON lines and TMX, read, edited where they stand, shared by folders.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Memory } from '../../build/modules/cli/memory.js';
import { randomNumbers } from '../lib/random.mjs';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const english = { source: 'en', target: 'fr' };

let folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
});
after(() => rm(folder, { recursive: true }));

const store = (name, text) => writeFile(join(folder, name), text);
const content = (name) => readFile(join(folder, name), 'utf8');
const open = (name, languages = {}) => Memory.open(join(folder, name), languages);
const refuses = (name, message, languages) =>
  assert.rejects(
    open(name, languages),
    (error) => error.constructor.name === 'UsageError' && message.test(error.message),
  );

const translate = (...args) =>
  new Promise((resolve) => {
    execFile(process.execPath, [cli, 'translate', ...args], { cwd: folder }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });

/** As another program writes it: UTF-8 with a mark, codes inside, three languages, notes, lines that end in CR LF. */
const foreign = `\uFEFF<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4">
<header creationtool="Other" srclang="en-US" adminlang="en" datatype="xml" segtype="sentence" o-tmf="x"></header>
<body>
<!-- kept -->
<tu tuid="1"><note>from the film</note>
  <tuv xml:lang="de"><seg>Die Katze &amp; der Hund.</seg></tuv>
  <tuv xml:lang="EN-US"><prop type="x">1</prop><seg>The cat &amp; the dog.</seg></tuv>
  <tuv xml:lang="fr-CA"><seg>Le chat &amp; le chien &lt;3.</seg></tuv>
</tu>
<tu><tuv xml:lang="en-US"><seg>A <bpt i="1">&lt;b></bpt>bold<ept i="1">&lt;/b></ept> cat.</seg></tuv><tuv xml:lang="fr"><seg>Un chat gras.</seg></tuv></tu>
<tu><tuv xml:lang="en-US"><seg>Alone.</seg></tuv></tu>
</body>
</tmx>
`.replaceAll('\n', '\r\n');

describe('a translation memory', () => {
  test('serves every folder, what was corrected in it too; texts with elements inside are translated', async () => {
    await store('a.md', 'I am hungry.\n\n- I am **happy**.\n');
    await store('b.html', '<p>I am hungry.</p>\n<p>The dog is tired.</p>\n');
    const args = ['--memory', 'memory.jsonl'];
    const first = await translate('a.md', '--to-dir', 'one', ...args);
    assert.equal(first.code, 0, first.stderr);
    const line = '{"source":"I am hungry.","target":"J\'ai faim."}\n';
    assert.equal(await content('memory.jsonl'), line);
    await store('memory.jsonl', line.replace('faim.', 'faim & <soif>.'));
    const second = await translate('b.html', '--to-dir', 'two', ...args);
    assert.equal(second.code, 0, second.stderr);
    assert.equal(
      await content('two/b.html'),
      "<p>J'ai faim &amp; &lt;soif&gt;.</p>\n<p>Le chien est fatigué.</p>\n",
    );
    assert.deepEqual(
      (await content('memory.jsonl'))
        .trim()
        .split('\n')
        .map(JSON.parse)
        .map(({ target }) => target),
      ["J'ai faim & <soif>.", 'Le chien est fatigué.'],
    );
  });

  test('is TMX by its name, and needs the languages to be made', async () => {
    await store('c.txt', 'I am hungry.\n');
    const refused = await translate('c.txt', '--memory', 'new.tmx', '--to-dir', 'three');
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /a new TMX file needs --source-language and --lang/);
    const languages = ['--source-language', 'en', '--lang', 'fr'];
    const made = await translate('c.txt', '--memory', 'new.tmx', '--to-dir', 'three', ...languages);
    assert.equal(made.code, 0, made.stderr);
    assert.match(
      await content('new.tmx'),
      /srclang="en"[\s\S]*<tu><tuv xml:lang="en"><seg>I am hungry\.<\/seg><\/tuv><tuv xml:lang="fr"><seg>J'ai faim\.<\/seg>/,
    );
    assert.equal((await open('new.tmx')).get('I am hungry.'), "J'ai faim.");
  });

  test('of another program keeps every byte of it', async () => {
    await store('foreign.tmx', foreign);
    const memory = await open('foreign.tmx', { target: 'fr' });
    assert.equal(memory.get('The cat & the dog.'), 'Le chat & le chien <3.');
    assert.equal(memory.get('A <b>bold</b> cat.'), 'Un chat gras.');
    assert.equal(memory.get('Alone.'), undefined);
    assert.equal((await open('foreign.tmx')).get('The cat & the dog.'), 'Die Katze & der Hund.');
    memory.learn('The cat & the dog.', 'not this');
    memory.learn('1 < 2', 'un < deux & "trois"');
    memory.learn('a whole\nfile', 'un fichier');
    memory.learn('nothing', ' ');
    memory.learn('a bell\x07', 'un bip');
    await memory.save();
    const unit =
      '    <tu><tuv xml:lang="en-US"><seg>1 &lt; 2</seg></tuv><tuv xml:lang="fr"><seg>un &lt; deux &amp; "trois"</seg></tuv></tu>\n';
    assert.equal(await content('foreign.tmx'), foreign.replace('</body>', `${unit}</body>`));
    assert.equal((await open('foreign.tmx', { target: 'fr' })).get(' 1 < 2\n'), ' un < deux & "trois"\n');
  });

  test('that is damaged is refused by its place, and stays as it is', async () => {
    await store('bad.jsonl', '{"source":"a","target":"b"}\n\n{"source":"a"}\n');
    await refuses('bad.jsonl', /bad\.jsonl:3 is not a line such as/);
    await store('latin.jsonl', Buffer.from('{"source":"a","target":"\xe9"}\n', 'latin1'));
    await refuses('latin.jsonl', /is not in UTF-8/);
    await store('page.tmx', '<html><body></body></html>');
    await refuses('page.tmx', /is no TMX file/, english);
    await refuses('', /cannot be read/);
    const refused = await translate('c.txt', '--memory', 'bad.jsonl');
    assert.equal(refused.code, 2);
    assert.equal(refused.stdout, '');
  });

  for (const name of ['random.jsonl', 'random.tmx'])
    test(`gives back any text that it was given: ${name}`, async () => {
      const { below } = randomNumbers(7);
      const pieces = [
        '<',
        '>',
        '&',
        '&amp;',
        ']]>',
        '"',
        "'",
        '\r',
        '\\',
        '{"',
        'é',
        '猫',
        '😀',
        ' ',
        'a',
        '</seg>',
      ];
      const text = () => Array.from({ length: 1 + below(9) }, () => pieces[below(pieces.length)]).join('');
      const pairs = new Map();
      for (let turn = 0; turn < 30; turn++) {
        const memory = await open(name, english);
        for (const [source, target] of pairs) assert.equal(memory.get(source), target);
        for (let i = 0; i < 5; i++) {
          const pair = [`${turn} ${i} ${text()}`, `x${text()}`].map((one) => one.trim());
          pairs.set(...pair);
          memory.learn(...pair);
        }
        await memory.save();
      }
    });
});
