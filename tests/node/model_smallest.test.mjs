// The smallest classifier that needs attention: the guide's own example.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, mock, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const expected = JSON.parse(readFileSync(join(root, 'tests/fixtures/smallest/expected.json')));

/** For each text, the guide's code block that contains it. */
function blocksWith(...texts) {
  const blocks = readFileSync(join(root, 'web/docs/attention.md'), 'utf8').matchAll(
    /```[jt]s\n([\s\S]*?)```/g,
  );
  const codes = Array.from(blocks, ([, code]) => code);
  return texts.map(
    (text) => codes.find((code) => code.includes(text)) ?? assert.fail(`no example has ${text}`),
  );
}

describe("the guide's smallest example", () => {
  let folder;
  let example;
  let printed;
  before(async () => {
    // Inside of this package, which it imports by name.
    mkdirSync(join(root, 'build'), { recursive: true });
    folder = mkdtempSync(join(root, 'build/guide-'));
    const blocks = blocksWith('engine.scaledDotProductAttention(x, x, x', 'smallest.json');
    const file = join(folder, 'example.mjs');
    const source = [...blocks, 'export { engine, praise, smallest };\n'].join('\n');
    writeFileSync(file, (await transform(source, { loader: 'ts' })).code);
    const log = mock.method(console, 'log', () => {});
    example = await import(pathToFileURL(file).href);
    log.mock.restore();
    printed = log.mock.calls.map((call) => call.arguments[0]);
  });
  after(async () => {
    await example?.engine.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  test('it prints praise for one sentence and blame for its counterpart', () => {
    const [good, bad] = printed.slice(-2).map(({ probability }) => probability);
    assert.ok(good > 0.95 && bad < 0.05, `${good} and ${bad}`);
  });

  test("PyTorch's probabilities and attention, every sentence right", async () => {
    for (const { sentence, is_praise: isPraise, praise, weights } of expected) {
      const found = await example.praise(sentence);
      assert.ok(
        Math.abs(found.probability - praise) < 1e-5,
        `${sentence}: ${found.probability}, not ${praise}`,
      );
      assert.equal(found.probability > 0.5, isPraise, sentence);
      const rows = found.weights.tolist();
      for (const [i, row] of weights.entries())
        for (const [j, weight] of row.entries()) assert.ok(Math.abs(rows[i][j] - weight) < 1e-5, sentence);
    }
  });

  test('"not" attends to the word after it', async () => {
    for (const { sentence } of expected) {
      const place = sentence.split(' ').indexOf('not');
      const row = (await example.praise(sentence)).weights.tolist()[place];
      assert.equal(row.indexOf(Math.max(...row)), place + 1, sentence);
    }
  });

  test('a bag of words gets at most half of them right', () => {
    const bags = new Map();
    for (const { sentence, is_praise: isPraise } of expected) {
      const bag = sentence.split(' ').sort().join(' ');
      bags.set(bag, [...(bags.get(bag) ?? []), isPraise]);
    }
    for (const verdicts of bags.values()) assert.deepEqual(verdicts.sort(), [false, true]);
  });

  test('a few kilobytes', () => {
    assert.ok(readFileSync(join(root, 'web/public/models/smallest/smallest.json')).length < 4000);
    const { embedding, W, readout } = example.smallest;
    assert.equal([Object.values(embedding), W, readout].flat(3).length, 312);
  });
});
