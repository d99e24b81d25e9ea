// The command line as a shell sees it: output, one-line errors, exit codes.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadModel } from '../../dist/index.js';
import { tinyModel } from '../lib/tiny_model.mjs';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const text = 'The cat sat on the mat.';

let folder;
let modelFolder;
let expected;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
  modelFolder = folder;
  const files = tinyModel();
  for (const [name, bytes] of files) await writeFile(join(folder, name), bytes);
  const model = await loadModel(files);
  expected = await model.translate([text, 'We ran.']);
  await model.dispose();
});
after(() => rm(folder, { recursive: true }));

/** Runs a command to completion. */
function run(args, input = '') {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cli, ...args]);
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (data) => {
      output.stdout += data;
    });
    child.stderr.on('data', (data) => {
      output.stderr += data;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...output }));
    child.stdin.end(input);
  });
}

const withModel = (...args) => [...args, '--model', modelFolder];

async function fails(args, code, message) {
  const result = await run(args);
  assert.equal(result.code, code, result.stderr);
  assert.match(result.stderr, message);
  assert.equal(result.stderr.trim().split('\n').length, 1, `more than a line: ${result.stderr}`);
  assert.equal(result.stdout, '');
}

describe('translate', () => {
  test('a text', async () => {
    const result = await run(withModel('translate', text));
    assert.deepEqual(result, { code: 0, stdout: `${expected[0].text}\n`, stderr: '' });
  });

  test('one thread, both instruction sets', async () => {
    for (const simd of ['simd128', 'auto']) {
      const result = await run(withModel('translate', text, '--threads', '1', '--simd', simd));
      assert.equal(result.stdout, `${expected[0].text}\n`);
    }
  });

  test('in 8 bits', async () => {
    const inEightBits = await loadModel(tinyModel(), { dtype: 'int8' });
    const { text: translated } = await inEightBits.translate(text);
    await inEightBits.dispose();
    const result = await run(withModel('translate', text, '--dtype', 'int8'));
    assert.deepEqual(result, { code: 0, stdout: `${translated}\n`, stderr: '' });
  });

  test('lines of standard input, with empty lines preserved', async () => {
    const result = await run(withModel('translate', '-'), `${text}\n\nWe ran.\r\n`);
    assert.equal(result.stdout, `${expected[0].text}\n\n${expected[1].text}\n`);
    assert.equal(result.code, 0);
  });

  test('JSON, with beams', async () => {
    const result = await run(withModel('translate', text, '--json', '--beams', '3', '--max-new-tokens', '4'));
    const answer = JSON.parse(result.stdout);
    assert.equal(answer.source, text);
    assert.equal(typeof answer.text, 'string');
    assert.ok(answer.tokens.length <= 4);
    assert.equal(typeof answer.score, 'number');
    assert.deepEqual(answer.unknownWords, []);
    const lines = await run(withModel('translate', '-', '--json'), `${text}\nWe ran.\n`);
    assert.deepEqual(
      lines.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).text),
      expected.map((translation) => translation.text),
    );
  });

  test('unknown words are reported on standard error', async () => {
    const result = await run(withModel('translate', 'The zorglub sat on the Flooping.'));
    assert.equal(result.code, 0);
    assert.match(
      result.stderr,
      /^transformer-wasm: words that the model does not know: zorglub, Flooping\n$/,
    );
    assert.ok(result.stdout.length > 1);
  });

  test('ends when its output is closed', async () => {
    const child = spawn(process.execPath, [cli, ...withModel('translate', '-')]);
    let errors = '';
    child.stderr.on('data', (data) => {
      errors += data;
    });
    child.stdin.on('error', () => child.stdin.destroy());
    child.stdin.write(`${text}\n`.repeat(20_000));
    child.stdout.once('data', () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on('close', resolve));
    assert.deepEqual([code, errors], [0, '']);
  });

  test('failures', async () => {
    await fails(['translate', text, '--model', join(folder, 'nowhere')], 1, /nowhere/);
    await fails(withModel('translate', 'cat '.repeat(50), '--no-split'), 1, /51 tokens/);
  });
});

describe('attend', () => {
  test('a table with a row for each generated token and a column for each source token', async () => {
    const result = await run(withModel('attend', text));
    assert.equal(result.code, 0);
    const lines = result.stdout.split('\n');
    assert.equal(lines[0], expected[0].text);
    assert.match(result.stdout, /layer 2, mean of all heads/);
    const header = lines.findIndex((line) => /the\s+cat\s+sat\s+on\s+the\s+mat/.test(line));
    const rows = lines.slice(header + 1).filter(Boolean);
    assert.ok(rows.length > 1);
    for (const row of rows) assert.equal(row.length, lines[header].length, 'columns are not aligned');
  });

  test('JSON: weights that sum to one, of the requested layer and head', async () => {
    for (const kind of ['cross', 'encoder', 'decoder']) {
      const args = ['attend', text, '--json', '--kind', kind, '--layer', '1', '--head', '2'];
      const map = JSON.parse((await run(withModel(...args))).stdout);
      assert.deepEqual([map.kind, map.layer, map.head], [kind, 1, 2]);
      assert.equal(map.weights.length, map.rows.length);
      for (const row of map.weights) {
        assert.equal(row.length, map.columns.length);
        assert.ok(Math.abs(row.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-5);
      }
    }
  });

  test('an SVG file', async () => {
    const file = join(folder, 'attention.svg');
    const result = await run(withModel('attend', 'The cat & <the dog>', '--svg', file));
    assert.equal(result.code, 0);
    const svg = await readFile(file, 'utf8');
    assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    assert.ok((svg.match(/<rect /g) ?? []).length > 4);
    assert.equal(svg.replaceAll(/&(amp|lt|gt|quot);/g, '').includes('&'), false);
  });

  test('failures', async () => {
    await fails(withModel('attend'), 2, /missing argument: the text/);
    await fails(withModel('attend', text, '--kind', 'sideways'), 2, /--kind/);
    await fails(withModel('attend', text, '--layer', '3'), 2, /2 layers/);
    await fails(withModel('attend', text, '--head', '9'), 2, /2 heads/);
    await fails(withModel('attend', text, '--head', '0'), 2, /--head/);
  });
});

describe('inspect', () => {
  test('describes the checkpoint', async () => {
    const result = await run(['inspect', folder]);
    assert.equal(result.code, 0);
    for (const part of [
      /family +transformer/,
      /d_model: 16/,
      /embedding\.weight +F32 +\[30, 16\]/,
      /30 tokens/,
    ]) {
      assert.match(result.stdout, part);
    }
    assert.match(result.stdout, /Nothing in the headers prevents it from being loaded/);
  });

  test('JSON, checked by loading', async () => {
    const { stdout } = await run(['inspect', folder, '--json', '--check']);
    const inspection = JSON.parse(stdout);
    assert.deepEqual(inspection.refusals, []);
    assert.equal(inspection.isChecked, true);
    assert.deepEqual(inspection.weights.dtypes, ['F32']);
    const model = await loadModel(folder);
    assert.equal(inspection.parameters, model.info.parameters);
    await model.dispose();
  });

  test('reports what prevents loading, and describes the rest', async () => {
    const config = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'));
    const other = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
    const write = (name, bytes) => writeFile(join(other, name), bytes);
    await write('model.safetensors', await readFile(join(folder, 'model.safetensors')));
    await write('config.json', JSON.stringify({ ...config, model_type: 'mamba' }));
    const unknown = JSON.parse((await run(['inspect', other, '--json'])).stdout);
    assert.equal(unknown.family, 'mamba');
    assert.ok(unknown.tensors.length > 30);
    assert.equal(unknown.tokenizer, null);
    assert.match(unknown.refusals[0], /model type 'mamba' is not supported/);
    await write('config.json', JSON.stringify({ ...config, d_ff: 99 }));
    for (const more of [[], ['--check']]) {
      const result = await run(['inspect', other, ...more]);
      assert.match(result.stdout, /cannot be loaded:\n.*linear1\.weight/);
      assert.equal(result.code, 1);
    }
    await rm(other, { recursive: true });
  });

  test('failures', async () => {
    await fails(['inspect'], 2, /takes one argument: a folder or URL/);
    await fails(['inspect', folder, folder], 2, /takes one argument: a folder or URL/);
  });
});

describe('bench', () => {
  test('a table of layers and parts, and what limits the model', async () => {
    const { code, stdout, stderr } = await run(
      withModel('bench', '--tokens', '8', '--rounds', '1', '--threads', '1'),
    );
    assert.equal(code, 0, stderr);
    for (const part of [
      /^Encoder, all tokens at once: 8 tokens$/m,
      /^ {2}layer 1 .*%/m,
      /^ {2}self_attn\.q_proj .* %/m,
      /^ {2}feed_forward\.linear1|fc1 .* %/m,
      /^Decoding is bound by .* tokens per second; measured: .* \(\d+ %\)\.$/m,
    ]) {
      assert.match(stdout, part);
    }
  });

  test('in 8 bits: the bytes read, and the limit of products of integers', async () => {
    const inBits = async (dtype) => {
      const { stdout } = await run(
        withModel('bench', '--json', '--dtype', dtype, '--tokens', '8', '--rounds', '1'),
      );
      return JSON.parse(stdout);
    };
    const [whole, eight] = [await inBits('f32'), await inBits('int8')];
    assert.deepEqual([whole.dtype, eight.dtype], ['f32', 'int8']);
    assert.ok(eight.passes[2].whole.weightBytes < 0.4 * whole.passes[2].whole.weightBytes);
    for (const { limits } of whole.passes) assert.equal(limits.products, limits.flops);
    for (const { limits } of eight.passes) assert.ok(limits.products > limits.flops);
    const { stdout } = await run(withModel('bench', '--dtype', 'int8', '--tokens', '8', '--rounds', '1'));
    assert.match(stdout, /^ {2}Limits: .* Gop\/s of products of integers, .* GFLOP\/s of the rest; /m);
  });

  test('JSON: shares sum to one, and rates agree with their row', async () => {
    const { stdout } = await run(
      withModel('bench', '--json', '--tokens', '8', '--batch', '2', '--rounds', '1'),
    );
    const { passes, summary } = JSON.parse(stdout);
    assert.deepEqual(
      passes.map(({ name }) => name),
      ['encoder', 'decoder', 'step'],
    );
    assert.equal(summary.length, 3);
    for (const { parts, whole, limits, milliseconds } of passes) {
      const total = (of) => parts.reduce((sum, part) => sum + of(part), 0);
      assert.ok(Math.abs(total(({ share }) => share) - 1) < 1e-9);
      assert.ok(Math.abs(whole.milliseconds - milliseconds) < 1e-9 * milliseconds);
      assert.ok(Math.abs(whole.flops - total(({ flops }) => flops)) < 1);
      for (const part of parts) {
        const bytes = part.weightBytes / limits.weightBytes + part.stateBytes / limits.stateBytes;
        const arithmetic = part.flops / (part.weightBytes > 0 ? limits.products : limits.flops);
        const limit = 1e3 * Math.max(arithmetic, bytes);
        assert.ok(Math.abs(part.limitMilliseconds - limit) <= 1e-9 * limit, part.path);
        assert.equal(part.boundBy === 'arithmetic', arithmetic >= bytes, part.path);
        if (part.milliseconds > 0)
          assert.ok(Math.abs(part.ofLimit * part.milliseconds - limit) <= 1e-9 * limit);
      }
    }
  });

  test('failures', async () => {
    await fails(['bench', '--model', join(folder, 'nowhere')], 1, /nowhere/);
    await fails(
      withModel('bench', '--tokens', '1000000'),
      1,
      /tokens is 1000000, but the model's maximum is/,
    );
    await fails(withModel('bench', '--tokens', 'all'), 2, /--tokens/);
    await fails(withModel('bench', 'more'), 2, /--model/);
  });
});

describe('help and usage', () => {
  test('a folder in place of a file, and what is in no folder: in words, not in codes', async () => {
    const none = join(folder, 'none', 'picture.svg');
    const cases = [
      [['check', modelFolder, folder], `${folder}: is not a file; a safetensors file was expected`],
      [['check', modelFolder, none], `${none}: there is no such file or folder`],
      [['attend', text, '--model', modelFolder, '--svg', folder], `${folder}: is a folder, not a file`],
      [['attend', text, '--model', modelFolder, '--svg', none], `${none}: there is no such file or folder`],
      [
        ['quantize', modelFolder, join(folder, 'config.json'), '--dtype', 'int8'],
        `${join(folder, 'config.json')}: is there already, and is not a folder`,
      ],
    ];
    for (const [args, sentence] of cases) {
      const { code, stderr } = await run(args);
      assert.equal(stderr.split('\n').at(-2), `transformer-wasm: ${sentence}`);
      assert.equal(code, 1);
    }
  });

  test('help, for each command and in general', async () => {
    const all = await run(['--help']);
    for (const command of ['translate', 'attend', 'inspect', 'check', 'bench', 'quantize']) {
      assert.match(all.stdout, new RegExp(`^ {2}${command} `, 'm'));
      const help = await run([command, '--help']);
      assert.equal(help.code, 0);
      assert.match(help.stdout, new RegExp(`^Usage: transformer-wasm ${command} `));
      assert.match(help.stdout, /Examples?:/);
    }
    assert.equal((await run(['help'])).stdout, all.stdout);
    assert.equal((await run(['-h'])).stdout, all.stdout);
  });

  test('help about a command, by its name', async () => {
    assert.deepEqual(await run(['help', 'attend']), await run(['attend', '--help']));
    const { code, stderr } = await run(['help', 'nonsense']);
    assert.equal(code, 2);
    assert.match(stderr, /^transformer-wasm: unknown command 'nonsense'/);
  });

  test('the version', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    assert.equal((await run(['--version'])).stdout, `${version}\n`);
  });

  test('an invalid command line exits with 2 and one line', async () => {
    await fails([], 2, /missing command/);
    await fails(['dance'], 2, /unknown command 'dance'/);
    await fails(['translate', text, '--loud'], 2, /--loud/);
    await fails(['translate', text, '--svg', 'x'], 2, /translate has no option --svg/);
    await fails(['translate', text, '--beams', 'many'], 2, /--beams/);
    await fails(['translate', text, '--threads', '0'], 2, /--threads/);
    await fails(['translate', text, '--simd', 'avx'], 2, /--simd/);
    await fails(['translate', text, '--dtype', 'int2'], 2, /--dtype/);
    await fails(['translate', text, '--model'], 2, /--model/);
  });
});

test("the file is executable: npx runs it in the package's own folder", async () => {
  const { stdout } = await promisify(execFile)(cli, ['--version']);
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
});
