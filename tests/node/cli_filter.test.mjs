// Commands as filters: order, batches, error records, flat memory, and GNU parallel with a kill and a resumed run.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { barOf } from '../../build/modules/cli/progress.js';
import { progressOf } from '../../build/modules/cli/tally.js';
import { createEngine, loadModel } from '../../dist/index.js';
import { wav16 } from '../lib/sound.mjs';
import { readSpeechCase, tones } from '../lib/speech.mjs';
import { folderWithWords } from '../lib/tiny_folder.mjs';
import { tinyModel } from '../lib/tiny_model.mjs';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const text = 'the cat sat on the mat';
const speech = readSpeechCase('whisper_e2e');

let home;
let engine;
/** Folders of models by name. */
const folders = {};

async function store(name, files) {
  const folder = await mkdtemp(join(home, name));
  for (const [file, bytes] of files) await writeFile(join(folder, file), bytes);
  folders[name] = folder;
}

before(async () => {
  home = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  engine = await createEngine({ threads: 1 });
  await store('tiny', tinyModel());
  await store('speech', speech.files());
  await store('sentences', folderWithWords('sentence_transformer'));
  await store(
    'labels',
    folderWithWords('bert_seqcls', { id2label: { 0: 'bad', 1: 'entailment', 2: 'good' } }),
  );
  const config = JSON.parse(new TextDecoder().decode(folderWithWords('llama').get('tokenizer_config.json')));
  const template = '{% for message in messages %}{{ message.content }} . {% endfor %}';
  await store(
    'chat',
    folderWithWords('llama', {}, { 'tokenizer_config.json': { ...config, chat_template: template } }),
  );
});
after(async () => {
  await engine.dispose();
  await rm(home, { recursive: true });
});

/** Runs a command to completion. */
function run(args, input = '', script = cli) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args]);
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'])
      child[name].on('data', (data) => {
        output[name] += data;
      });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...output }));
    child.stdin.end(input);
  });
}

const command = (name, folder, ...args) => [name, '--model', folders[folder], '--threads', '1', ...args];
const jsonLines = (stdout) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('translate', () => {
  test('many lines keep their order; a bad line costs no other', async () => {
    const lines = Array.from({ length: 75 }, (_, i) =>
      i % 20 === 13 ? 'the cat '.repeat(40) : `the cat ran ${'!'.repeat(i % 7)}`,
    );
    lines[5] = '';
    const model = await loadModel(folders.tiny, { engine });
    const good = lines.filter((line) => line !== '' && line.length < 100);
    const translations = await model.translate(good, { split: false });
    const plain = await run(command('translate', 'tiny', '-', '--no-split'), `${lines.join('\n')}\n`);
    assert.equal(plain.code, 1);
    const expected = lines.map((line) => translations[good.indexOf(line)]?.text ?? '');
    assert.deepEqual(plain.stdout.split('\n'), [...expected, '']);
    assert.match(plain.stderr, /line 14: .*81 tokens long.*maximum is 24/);
    assert.match(plain.stderr, /4 of 75 lines failed\n$/);
    const json = await run(command('translate', 'tiny', '-', '--json', '--no-split'), lines.join('\n'));
    const records = jsonLines(json.stdout);
    assert.equal(records.length, 75);
    assert.deepEqual(records[5], { line: 6, empty: true });
    for (const [i, record] of records.entries()) {
      if (record.empty) continue;
      if (i % 20 === 13) assert.deepEqual([record.line, record.error.code], [i + 1, 'invalid_argument']);
      else assert.deepEqual([record.source, record.text], [lines[i], expected[i]]);
    }
  });

  test('a line that is not text is an error, and costs no other', async () => {
    const input = Buffer.from('\ufeffthe cat ran\nthe c\xe4t\n\ufffd the cat ran', 'utf8');
    const latin = Buffer.concat([input, Buffer.from('\nthe caf\xe9 ran\nthe cat ran\n', 'latin1')]);
    const { stdout, stderr, code } = await run(command('translate', 'tiny', '-', '--json'), latin);
    const records = jsonLines(stdout);
    assert.equal(code, 1);
    assert.deepEqual(
      records.map(({ error }) => error?.message),
      [undefined, undefined, undefined, 'the line is not text in UTF-8', undefined],
    );
    assert.deepEqual([records[0].text, records[4].source], [records[4].text, 'the cat ran']);
    assert.match(stderr, /1 of 5 lines failed\n$/);
    const misplaced = await run(command('translate', 'tiny', 'the cat', '--first-line', '3'));
    assert.deepEqual(
      [misplaced.code, misplaced.stderr],
      [2, 'transformer-wasm: --first-line is for standard input\n'],
    );
  });

  test('JSON Lines: other fields are kept, and what is not JSON is an error', async () => {
    const lines = [{ id: 7, text }, 'no json', '[1]', JSON.stringify(text), { id: 8 }, { id: 9, text: 3 }];
    const input = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    const { stdout, code } = await run(command('translate', 'tiny', '-', '--jsonl'), input);
    const [first, second, third, fourth, fifth, sixth] = jsonLines(stdout);
    assert.equal(code, 1);
    assert.deepEqual([first.id, first.text], [7, fourth.text]);
    assert.match(second.error.message, /not JSON/);
    assert.match(third.error.message, /object with the field 'text'/);
    assert.match(fifth.error.message, /no field 'text'/);
    assert.deepEqual([fifth.id, fifth.line], [8, 5]);
    assert.match(sixth.error.message, /must be a string/);
    assert.equal(sixth.id, 9);
  });

  test('JSON Lines: a line that fails is given back as it came, with its number and the error', async () => {
    const deep = (levels) => '['.repeat(levels) + ']'.repeat(levels);
    const lines = [
      JSON.stringify({ id: 1, text: '', error: 'old' }),
      `{ "id": 12345678901234567890, "text": "${text}" }`,
      `{ "id": 1e999, "text": "${text}" }`,
      `{ "id": 2, "x": ${deep(100_000)}, "text": "${text}" }`,
      `{ "id": 3, "x": ${deep(150)}, "text": 5 }`,
      '{ "__proto__": { "a": 1 }, "text": [] }',
      `{ "text": "the\0cat" }`,
      '{ "id": 1152921504606846976, "text": "2^60, which JavaScript writes as ...847000" }',
      `{ "id": ${'9'.repeat(400)}, "text": "the cat" }`,
    ];
    const good = [
      JSON.stringify({ line: 77, text, error: 'old' }),
      `{ "id": "12345678901234567890", "text": "the 12345678901234567890" }`,
      '{ "id": 9007199254740992, "share": 0.12345678901234568, "most": 1.5e+300, "text": "the cat" }',
      '{ "id": 64693231994302330, "text": "the cat" }',
    ];
    const input = `\ufeff${[...lines, ...good].join('\r\n')}`;
    const { stdout, stderr, code } = await run(command('generate', 'tiny', '-', '--jsonl'), input);
    const records = jsonLines(stdout);
    assert.equal(code, 1);
    assert.match(stderr, /9 of 13 lines failed/);
    for (const [i, record] of records.slice(0, 9).entries())
      assert.deepEqual([record.line, record.error.code], [i + 1, 'invalid_argument']);
    const [empty, long, infinite, nested, number, proto, control, rounded, endless] = records;
    assert.deepEqual([empty.id, empty.text], [1, '']);
    assert.match(long.error.message, /the number 12345678901234567890, which cannot be kept/);
    assert.match(infinite.error.message, /the number 1e999/);
    assert.match(nested.error.message, /nested more than 200 levels/);
    assert.deepEqual([number.id, number.text], [3, 5]);
    assert.ok(Object.hasOwn(proto, '__proto__') && Array.isArray(proto.text));
    assert.equal(control.text, lines[6]);
    assert.match(rounded.error.message, /the number 1152921504606846976/);
    assert.match(endless.error.message, /the number 9{40}, which/);
    const [own, asText, exact, written] = records.slice(9);
    assert.deepEqual([own.line, own.source, 'error' in own], [77, text, false]);
    assert.equal(asText.id, '12345678901234567890');
    assert.deepEqual([exact.id, exact.most, exact.source], [9007199254740992, 1.5e300, 'the cat']);
    assert.equal(written.id, 64693231994302330);
  });

  test('several arguments are several texts', async () => {
    const model = await loadModel(folders.tiny, { engine });
    const texts = [text, 'we ran'];
    const expected = (await model.translate(texts)).map((translation) => translation.text);
    const plain = await run(command('translate', 'tiny', ...texts));
    assert.equal(plain.stdout, expected.map((line) => `${line}\n`).join(''));
    const records = jsonLines((await run(command('translate', 'tiny', ...texts, '--json'))).stdout);
    assert.deepEqual(
      records.map(({ source, text }) => [source, text]),
      texts.map((source, i) => [source, expected[i]]),
    );
    const generated = async (...given) =>
      (await run(command('generate', 'chat', ...given, '--max-new-tokens', '4'))).stdout;
    assert.equal(await generated(...texts), (await generated(texts[0])) + (await generated(texts[1])));
    const two = await run(['attend', ...texts]);
    assert.equal(two.code, 2);
    assert.match(two.stderr, /attend takes one text, got 2/);
  });

  test('exit code 2 where every line failed; empty lines do not count', async () => {
    const bad = await run(command('translate', 'tiny', '-', '--jsonl'), 'no json\n\n[1]\n');
    assert.equal(bad.code, 2);
    assert.match(bad.stderr, /2 of 3 lines failed\n$/);
    const empty = await run(command('translate', 'tiny', '-'), '\n\n');
    assert.deepEqual([empty.code, empty.stdout], [0, '\n\n']);
  });

  test('what an earlier run said of a line is gone from a record of success', async () => {
    const input = JSON.stringify({ id: 1, text, error: { code: 'missing_file', message: 'gone' } });
    const { stdout } = await run(command('translate', 'tiny', '-', '--jsonl'), input);
    const [record] = jsonLines(stdout);
    assert.deepEqual([record.id, record.source], [1, text]);
    assert.ok(!('error' in record));
  });

  test('lines of a part are numbered as in the whole', async () => {
    const numbered = command('translate', 'tiny', '-', '--no-split', '--first-line', '10001');
    const { stderr } = await run(numbered, `the cat\n${'the cat '.repeat(40)}\n`);
    assert.match(stderr, /line 10002: /);
    const wrong = await run(command('translate', 'tiny', '-', '--first-line', 'x'), 'the cat\n');
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /--first-line must be/);
  });

  test('an answer comes before the next line is sent', async () => {
    const child = spawn(process.execPath, [cli, ...command('translate', 'tiny', '-')]);
    const next = () => new Promise((resolve) => child.stdout.once('data', (data) => resolve(`${data}`)));
    child.stdin.write('the cat\n');
    const first = await next();
    child.stdin.write('the cat\n');
    assert.equal(await next(), first);
    child.stdin.end();
    await new Promise((resolve) => child.on('close', resolve));
  });
});

describe('other commands', () => {
  test('embed', async () => {
    const model = await loadModel(folders.sentences, { engine });
    const { data } = await model.embed(text);
    const one = await run(command('embed', 'sentences', text));
    assert.deepEqual(one.stdout.trim().split(' ').map(Number), Array.from(data));
    const lines = await run(command('embed', 'sentences', '-', '--json', '--normalize'), `${text}\na dog\n`);
    const [first, second] = jsonLines(lines.stdout);
    assert.equal(first.text, text);
    assert.ok(Math.abs(first.embedding.reduce((sum, value) => sum + value * value, 0) - 1) < 1e-5);
    assert.equal(second.embedding.length, 32);
    const wrong = await run(command('embed', 'sentences', text, '--pooling', 'middle'));
    assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
    assert.match(wrong.stderr, /--pooling must be one of/);
  });

  test('classify, also zero-shot', async () => {
    const model = await loadModel(folders.labels, { engine });
    const [best, ...others] = await model.classify(text);
    const one = await run(command('classify', 'labels', text));
    assert.equal(one.stdout, `${best.label}\t${best.score.toFixed(4)}\n`);
    const json = await run(command('classify', 'labels', text, '--json'));
    assert.deepEqual(JSON.parse(json.stdout), { text, labels: [best, ...others] });
    const zero = await run(
      command('classify', 'labels', '-', '--labels', 'cat, dog', '--jsonl'),
      JSON.stringify({ text }),
    );
    assert.deepEqual(
      jsonLines(zero.stdout)[0]
        .labels.map(({ label }) => label)
        .sort(),
      ['cat', 'dog'],
    );
  });

  test('generate: streamed, and as a filter', async () => {
    const model = await loadModel(folders.chat, { engine });
    const [best] = (await model.generate(text, { maxNewTokens: 6 })).sequences;
    const one = await run(command('generate', 'chat', text, '--max-new-tokens', '6'));
    assert.equal(one.stderr, '');
    assert.equal(text + one.stdout.trimEnd(), best.text.trimEnd());
    const lines = await run(command('generate', 'chat', '-', '--max-new-tokens', '6'), `${text}\n`);
    assert.equal(lines.stdout, one.stdout);
    const mixed = [{ text }, { text: 3 }, { text: null }, { text: {} }, { text: [] }, { text }];
    const jsonl = await run(
      command('generate', 'chat', '-', '--jsonl', '--max-new-tokens', '6'),
      mixed.map((line) => JSON.stringify(line)).join('\n'),
    );
    const records = jsonLines(jsonl.stdout);
    assert.deepEqual([records[0].text, records.at(-1).text], [best.text, best.text]);
    for (const { error } of records.slice(1, -1)) assert.equal(error.code, 'invalid_argument');
    assert.deepEqual([records.length, jsonl.code], [mixed.length, 1]);
    const json = await run(command('generate', 'chat', text, '--json', '--seed', '3', '--temperature', '2'));
    const answer = JSON.parse(json.stdout);
    assert.equal(answer.seed, 3);
    assert.equal(answer.text, answer.sequences[0].text);
  });

  test('chat: a message, and conversations as JSON Lines', async () => {
    const model = await loadModel(folders.chat, { engine });
    const options = { maxNewTokens: 5 };
    const messages = [{ role: 'user', content: 'the cat' }];
    const reply = await model.chat(messages, options);
    const one = await run(command('chat', 'chat', 'the cat', '--max-new-tokens', '5'));
    assert.equal(one.stdout, `${reply.text}\n`);
    const input = `${JSON.stringify({ id: 1, messages })}\n${JSON.stringify({ id: 2, messages: [] })}\n`;
    const [first, second] = jsonLines(
      (await run(command('chat', 'chat', '-', '--jsonl', '--max-new-tokens', '5'), input)).stdout,
    );
    assert.deepEqual([first.id, first.messages.at(-1), first.text], [1, reply.message, reply.text]);
    assert.deepEqual([second.id, second.error.code], [2, 'invalid_argument']);
  });

  test('recordings: as they are heard, as subtitles, and as a filter of their paths', async () => {
    const { signals } = speech.about;
    const paths = [0, 1].map((i) => join(home, `${i}.wav`));
    for (const [i, path] of paths.entries()) await writeFile(path, wav16(tones(signals[i])));
    const model = await loadModel(folders.speech, { engine });
    const expected = [];
    for (const path of paths) expected.push(await model.transcribe(path, { language: 'en' }));
    const spoken = command('transcribe', 'speech', '--from', 'en');
    assert.equal(
      (await run([...spoken, ...paths])).stdout,
      expected.map((one) => `${one.text.trim()}\n`).join(''),
    );
    const cut = join(home, 'cut.wav');
    await writeFile(cut, wav16(tones(signals[0])).slice(0, -16000));
    for (const command of [
      [...spoken, cut],
      [...spoken, cut, '--format', 'srt'],
    ])
      assert.match((await run(command)).stderr, /cut\.wav is cut short: .* 0\.50 s of sound are missing/);
    assert.equal(jsonLines((await run([...spoken, '--json', cut])).stdout)[0].missingSeconds, 0.5);
    const { stdout: subtitles } = await run([...spoken, paths[0], '--format', 'vtt']);
    assert.equal(subtitles, `${expected[0].toVtt().trimEnd()}\n`);
    const none = join(home, 'none.wav');
    const { stdout, stderr } = await run([...spoken, '--json', '-'], `${paths[0]}\n${none}\n${paths[1]}\n`);
    const [first, second, third] = jsonLines(stdout);
    assert.deepEqual([first.file, first.text, third.text], [paths[0], expected[0].text, expected[1].text]);
    assert.deepEqual([second.file, second.line, second.error.code], [none, 2, 'missing_file']);
    assert.match(stderr, /1 of 3 lines failed/);
    const mixed = [{ file: paths[0] }, { file: 3 }, { file: null }, { file: '' }, { file: paths[1] }];
    const jsonl = await run(
      [...spoken, '--jsonl', '-'],
      mixed.map((line) => JSON.stringify(line)).join('\n'),
    );
    const records = jsonLines(jsonl.stdout);
    assert.deepEqual([records[0].text, records[4]?.text], [expected[0].text, expected[1].text]);
    for (const { error } of records.slice(1, 4)) assert.equal(error.code, 'invalid_argument');
    assert.equal(jsonl.code, 1);
    await model.dispose();
  });

  test('a model is needed', async () => {
    for (const name of ['generate', 'chat', 'transcribe', 'embed', 'classify']) {
      const { code, stderr } = await run([name, text]);
      assert.equal(code, 2);
      assert.match(stderr, new RegExp(`^transformer-wasm: ${name} needs a model: --model`));
    }
  });
});

test('the progress bar', () => {
  const bar = barOf({ phase: 'weights', file: 'model.safetensors', loaded: 74e6, total: 296e6 });
  assert.equal(bar, 'model.safetensors [######------------------]  25 %  74 of 296 MB');
  assert.equal(barOf({ phase: 'weights', file: 'x', loaded: 5e5, total: null }), 'x  0.5 MB');
});

test('the progress line', () => {
  assert.equal(
    progressOf({ seconds: 8, lines: 1200, failed: 3, share: 0.4 }),
    '1,200 lines, 3 failed, 150 a second, 12 s left',
  );
  assert.equal(progressOf({ seconds: 2, lines: 3, failed: 0, share: null }), '3 lines, 1.5 a second');
  assert.match(progressOf({ seconds: 60, lines: 9, failed: 0, share: 0.01 }), /, 99 min left$/);
});

test('a million lines take no more memory than ten thousand', async () => {
  const script = join(home, 'filter.mjs');
  const filter = new URL('../../build/modules/cli/filter.js', import.meta.url);
  await writeFile(
    script,
    `import { filter } from '${filter}';
    await filter({ field: 'text', run: async (texts) => texts, text: (text) => text, json: (text) => ({ text }) }, {});
    process.stderr.write(String(process.resourceUsage().maxRSS));`,
  );
  const memory = async (count) => {
    const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'pipe'] });
    let bytes = 0;
    let peak = '';
    child.stdout.on('data', (data) => {
      bytes += data.length;
    });
    child.stderr.on('data', (data) => {
      peak += data;
    });
    const block = Buffer.from('a sentence of some words that is passed through\n'.repeat(1000));
    for (let sent = 0; sent < count; sent += 1000)
      if (!child.stdin.write(block)) await new Promise((resolve) => child.stdin.once('drain', resolve));
    child.stdin.end();
    await new Promise((resolve) => child.on('close', resolve));
    assert.equal(bytes, (count / 1000) * block.length);
    return Number(peak) / 1024;
  };
  const few = await memory(10_000);
  const many = await memory(1_000_000);
  assert.ok(many < few + 60, `${many} MB after ${few} MB`);
});

test('GNU parallel: two processes, a kill in the middle, a resumed run', async () => {
  assert.equal(
    spawnSync('parallel', ['--version']).status,
    0,
    'GNU parallel is missing: npm test installs it',
  );
  const parts = 8;
  for (let part = 0; part < parts; part++)
    await writeFile(join(home, `part${part}.txt`), `the cat ran\nwe like the dog ${'!'.repeat(part)}\n`);
  const worker = join(home, 'worker.sh');
  // A result gets its name when it is whole: a kill leaves no half of one, and what outlives it does no harm.
  await writeFile(
    worker,
    `#!/bin/sh\nset -e\n"${process.execPath}" "${cli}" translate --model "${folders.tiny}" --threads 1 - < "$1" > "$1.$$.part"\nmv "$1.$$.part" "$1.out"\n`,
  );
  await chmod(worker, 0o755);
  const inputs = Array.from({ length: parts }, (_, part) => join(home, `part${part}.txt`));
  const args = [
    '--will-cite',
    '-j2',
    '--resume',
    '--joblog',
    join(home, 'log'),
    worker,
    '{}',
    ':::',
    ...inputs,
  ];
  const done = async () => (await readdir(home)).filter((name) => name.endsWith('.out')).length;
  const first = spawn('parallel', args, { detached: true, stdio: 'ignore' });
  const ended = new Promise((resolve) => first.on('close', resolve));
  while ((await done()) < 2) await sleep(20);
  process.kill(-first.pid, 'SIGKILL');
  await ended;
  const before = await done();
  assert.ok(before < parts, 'the kill came before the end');
  const again = spawnSync('parallel', args, { encoding: 'utf8' });
  assert.equal(again.status, 0, again.stderr);
  assert.equal(await done(), parts);
  const model = await loadModel(folders.tiny, { engine });
  for (const path of inputs) {
    const lines = (await readFile(path, 'utf8')).trim().split('\n');
    const expected = (await model.translate(lines)).map((translation) => `${translation.text}\n`).join('');
    assert.equal(await readFile(`${path}.out`, 'utf8'), expected);
  }
});
