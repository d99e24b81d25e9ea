// The command line with documents: files in, files out, interrupted and gone on with.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { wordLine } from '../../build/modules/cli/word_progress.js';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

let home;
let folder;
let out;
before(async () => {
  home = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
});
beforeEach(async () => {
  folder = await mkdtemp(join(home, 'case-'));
  out = join(folder, 'out');
});
after(() => rm(home, { recursive: true }));

const start = (args) => spawn(process.execPath, [cli, 'translate', ...args], { cwd: folder });

function ended(child) {
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    child[name].on('data', (data) => {
      output[name] += data;
    });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...output })));
}

function run(...args) {
  const child = start(args);
  child.stdin.end();
  return ended(child);
}

const store = (name, text) => writeFile(join(folder, name), text);
const made = (name) => readFile(join(out, name), 'utf8');

/** Without what the next run goes on from. */
const outputs = async () => (await readdir(out)).filter((name) => name !== '.translations.jsonl');

const markdown = '# The cat is hungry.\n\n- I am **happy**.\n\n```\nThe dog\n```\n';
const translated = '# Le chat a faim.\n\n- Je suis **heureux**.\n\n```\nThe dog\n```\n';

describe('kinds', () => {
  test('Markdown, subtitles, HTML and text by extension', async () => {
    const times = '1\n00:00:01,000 --> 00:00:02,500\n';
    await store('a.md', markdown);
    await store('b.srt', `${times}The dog is tired.\n`);
    await store('c.vtt', 'WEBVTT\n\n00:01.000 --> 00:02.000\nI am happy.\n');
    await store('d.html', '<p title="x">I am <b>happy</b>.</p><script>The cat</script>');
    await store('e.txt', '\ufeffThe cat is hungry.\r\n\r\nI am happy.\r\n');
    const result = await run('a.md', 'b.srt', 'c.vtt', 'd.html', 'e.txt', '--to-dir', 'out');
    assert.deepEqual(result, { code: 0, stdout: '', stderr: '' });
    assert.equal(await made('a.md'), translated);
    assert.equal(await made('b.srt'), `${times}Le chien est fatigué.\n`);
    assert.equal(await made('c.vtt'), 'WEBVTT\n\n00:01.000 --> 00:02.000\nJe suis heureux.\n');
    assert.equal(await made('d.html'), '<p title="x">Je suis <b>heureux</b>.</p><script>The cat</script>');
    assert.equal(await made('e.txt'), '\ufeffLe chat a faim.\r\n\r\nJe suis heureux.\r\n');
    assert.deepEqual((await outputs()).length, 5);
  });

  test('to standard output, as another kind, and with ranges', async () => {
    await store('a.md', markdown);
    assert.deepEqual(await run('a.md'), { code: 0, stdout: translated, stderr: '' });
    await store('notes', 'I am *happy*.');
    const asMarkdown = await run('notes', '--format', 'markdown');
    assert.equal(asMarkdown.stdout, 'Je suis *heureux*.');
    const source = 'The cat is hungry.\n\nI am happy.\n';
    await store('e.txt', source);
    const { stdout } = await run('e.txt', '--json');
    const { file, kind, text, parts, untranslated, unknownWords } = JSON.parse(stdout);
    assert.deepEqual([file, kind, untranslated, unknownWords], ['e.txt', 'text', [], []]);
    assert.deepEqual(
      parts.map(({ source: from, target }) => [source.slice(...from), text.slice(...target)]),
      [
        ['The cat is hungry.', 'Le chat a faim.'],
        ['I am happy.', 'Je suis heureux.'],
      ],
    );
  });

  test('several arguments that are no files stay texts', async () => {
    const { stdout } = await run('I am happy.', 'The cat is hungry.');
    assert.equal(stdout, 'Je suis heureux.\nLe chat a faim.\n');
    assert.equal((await run('')).stdout, '\n');
  });
});

describe('what goes wrong is said', () => {
  test('files that are not there, not text, of no known kind; the others are translated', async () => {
    await store('a.md', markdown);
    await store('b.pdf', '%PDF');
    await writeFile(join(folder, 'c.txt'), Buffer.from([0x43, 0xe9]));
    await mkdir(join(folder, 'd.txt'));
    const { code, stderr } = await run('none.md', 'b.pdf', 'c.txt', 'd.txt', 'a.md', '--to-dir', 'out');
    assert.equal(code, 1);
    assert.deepEqual(
      stderr
        .trim()
        .split('\n')
        .map((line) => line.replace('transformer-wasm: ', '').slice(0, 40)),
      [
        'none.md: there is no such file or folder',
        'b.pdf: its extension is not one of .txt,',
        'c.txt: is not text in UTF-8',
        'd.txt: is a folder, not a file',
        '4 of 5 files were not, or not wholly, tr',
      ],
    );
    assert.equal(await made('a.md'), translated);
    assert.deepEqual(await outputs(), ['a.md']);
    const into = await run('a.md', '--to-dir', 'c.txt');
    assert.equal(into.code, 1);
    assert.equal(into.stderr, 'transformer-wasm: c.txt: is there already, and is not a folder\n');
    const inside = await run('a.md', '--to-dir', 'c.txt/out');
    assert.match(inside.stderr, /^transformer-wasm: c\.txt\/out: is not a folder, or not inside one\n$/);
  });

  test('all words that are not known are listed, or counted', async () => {
    const names = Array.from({ length: 23 }, (_, i) => `zorg${String.fromCharCode(97 + i)}lub`);
    await store('a.txt', names.map((name) => `${name} is happy.\n`).join(''));
    const { stderr } = await run('a.txt', '--to-dir', 'out');
    assert.match(stderr, new RegExp(`does not know: ${names.slice(0, 20).join(', ')} and 3 more\n`));
  });

  test('sentences that may be without an end', async () => {
    await store('a.txt', 'The cat is hungry.\n');
    const { code, stderr } = await run('a.txt', '--to-dir', 'out', '--max-new-tokens', '2');
    assert.equal(code, 1);
    assert.match(stderr, /a\.txt: a sentence is perhaps without an end: "The cat is hungry\."/);
    assert.equal(await made('a.txt'), 'Le chat\n');
    await store('b.txt', 'Zorglub is happy.\n');
    const unknown = await run('b.txt', '--json');
    assert.equal(unknown.code, 0);
    assert.match(unknown.stderr, /b\.txt: words that the model does not know: Zorglub/);
    assert.deepEqual(JSON.parse(unknown.stdout).unknownWords, ['Zorglub']);
  });

  test('command lines that cannot be meant', async () => {
    await store('a.md', markdown);
    await mkdir(join(folder, 'b'));
    await store('b/a.md', markdown);
    for (const [args, message] of [
      [['a.md', 'b/a.md', '--to-dir', 'out'], /a\.md and b\/a\.md would both be written to out\/a\.md/],
      [['a.md', '--format', 'pdf'], /--format must be one of text, markdown, .*, got 'pdf'/],
      [['a.md', '--hash'], /--hash is for texts/],
    ]) {
      const { code, stderr, stdout } = await run(...args);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, message);
    }
    const { code, stderr } = await run('a.md', '--to-dir', '.', '--force');
    assert.equal(code, 1);
    assert.match(stderr, /would take its place/);
    assert.equal(await readFile(join(folder, 'a.md'), 'utf8'), markdown);
  });
});

describe('a run that goes on', () => {
  test('what is complete is not made again, unless its source, the model or the options change', async () => {
    await store('a.md', markdown);
    await run('a.md', '--to-dir', 'out');
    const corrected = translated.replace('heureux', 'content');
    await writeFile(join(out, 'a.md'), corrected);
    await utimes(join(folder, 'a.md'), new Date(), new Date(Date.now() + 60_000));
    const again = await run('a.md', '--to-dir', 'out');
    assert.equal(again.code, 0);
    assert.match(again.stderr, /1 of 1 translations are there already; --force makes them again/);
    assert.equal(await made('a.md'), corrected);
    // Another source: what was corrected by hand stays, what is new is translated.
    await store('a.md', `${markdown}\nI am happy.\n`);
    await run('a.md', '--to-dir', 'out');
    assert.equal(await made('a.md'), `${corrected}\nJe suis heureux.\n`);
    const other = await run('a.md', '--to-dir', 'out', '--model', join(folder, 'nowhere'));
    assert.equal(other.code, 1);
    await run('a.md', '--to-dir', 'out', '--force');
    assert.equal(await made('a.md'), `${translated}\nJe suis heureux.\n`);
  });

  test('an exit code stays, a folder keeps its folders, a pipe has a kind, links are not followed', async () => {
    await mkdir(join(folder, 'docs/b'), { recursive: true });
    await store('docs/a.md', markdown);
    await store('docs/b/a.txt', 'The cat is hungry.\n');
    await store('docs/b/x.bin', 'x');
    await mkdir(out);
    await store('victim', 'mine');
    for (const name of ['.translations.jsonl', '.a.md.part', '.a.md.journal'])
      await symlink(join(folder, 'victim'), join(out, name));
    const args = ['docs', '--to-dir', 'out', '--max-new-tokens', '3'];
    const first = await run(...args);
    assert.equal(first.code, 1);
    assert.deepEqual(
      (await readdir(out, { recursive: true })).filter((name) => !name.startsWith('.')).sort(),
      ['a.md', 'b', 'b/a.txt'],
    );
    assert.equal((await run(...args)).code, 1);
    assert.equal(await readFile(join(folder, 'victim'), 'utf8'), 'mine');
    const child = start(['--format', 'markdown', '-']);
    child.stdin.end(markdown);
    assert.deepEqual(await ended(child), { code: 0, stdout: translated, stderr: '' });
  });

  test('after a kill, from where it was', async () => {
    const sentences = Array.from(
      { length: 4000 },
      (_, i) => `The ${i % 2 ? 'cat' : 'dog'} number ${i} is hungry.`,
    );
    const source = sentences.join('\n');
    await store('a.txt', source);
    const child = start(['a.txt', '--to-dir', 'out', '--threads', '1']);
    const end = ended(child);
    const path = join(out, '.a.txt.journal');
    const lines = async () => (await readFile(path, 'utf8').catch(() => '')).split('\n');
    while ((await lines()).length < 4) await sleep(20);
    child.kill('SIGKILL');
    await end;
    assert.deepEqual(await outputs(), ['.a.txt.journal']);
    // A mark in what was kept shows that it was used; the end of a line that was not written does no harm.
    const [head, first, ...rest] = await lines();
    const marked = first.slice(first.indexOf(' ') + 1).replace('Le ', 'XX ');
    const sum = createHash('sha256').update(marked).digest('base64url');
    await writeFile(path, [head, `${sum} ${marked}`, ...rest.slice(0, -1), '["half'].join('\n'));
    const { code, stderr } = await run('a.txt', '--to-dir', 'out');
    assert.ok(code === 0, stderr);
    const text = await made('a.txt');
    assert.match(text, /^XX /);
    assert.equal(text.split('\n').length, 4000);
    assert.deepEqual((await readdir(out)).sort(), ['.translations.jsonl', 'a.txt']);
    await run('a.txt', '--to-dir', 'out', '--force');
    assert.equal((await made('a.txt')).replace(/^Le /, 'XX '), text);
  });

  test('what was kept for another text or model is dropped', async () => {
    await store('a.txt', 'I am happy.');
    await mkdir(out);
    await writeFile(join(out, '.a.txt.journal'), 'other\n["x",{"text":"wrong"}]\n');
    assert.equal((await run('a.txt', '--to-dir', 'out')).code, 0);
    assert.equal(await made('a.txt'), 'Je suis heureux.');
  });
});

test('words a second', () => {
  assert.equal(wordLine({ done: 0, made: 0, total: 10, seconds: 0 }), `[${'-'.repeat(24)}]   0 %`);
  const line = wordLine({ done: 3000, made: 2468, total: 4000, seconds: 2 });
  assert.equal(line, `[${'#'.repeat(18)}${'-'.repeat(6)}]  75 %  1,230 words a second`);
});
