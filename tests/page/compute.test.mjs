// What the views compute, without a browser.

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { createEngine, Tensor } from 'transformer-wasm';
import { root } from './site.mjs';

const names = ['attention', 'beams', 'cost', 'heads', 'masks', 'pictures', 'positions', 'ten_years'];

describe('what the views compute', () => {
  const views = {};
  before(async () => {
    const lines = [
      ...names.map((name) => `export * as ${name} from './web/src/views/${name}/compute.js';`),
      "export { linesOf } from './web/src/stage/lines.js';",
    ];
    const { outputFiles } = await build({
      stdin: { contents: lines.join('\n'), resolveDir: root, loader: 'ts' },
      bundle: true,
      format: 'esm',
      platform: 'node',
      external: ['transformer-wasm', 'virtual:*'],
      write: false,
    });
    const file = join(root, 'build/view_computations.mjs');
    await mkdir(join(root, 'build'), { recursive: true });
    await writeFile(file, outputFiles[0].contents);
    Object.assign(views, await import(pathToFileURL(file)));
  });

  test('words in lines: none is broken, and those above a word leave room for its ribbons', () => {
    // As "L'animal n'a pas traversé la rue parce qu'elle était trop large. end" on a phone; the eighth is "qu'elle".
    const widths = [86, 48, 31, 71, 24, 36, 48, 58, 44, 38, 60, 34];
    for (const room of [358, 300, 260, 200]) {
      for (const [word, width] of widths.entries()) {
        const middle = width / 2;
        const spots = views.linesOf({ widths, space: 10, room }, { word, middle });
        assert.equal(spots.length, widths.length);
        const at = spots[word].x + middle;
        for (const [i, { line, x }] of spots.entries()) {
          const [before, right] = [spots[i - 1], x + widths[i]];
          assert.ok(x >= 0 && right <= room, `${i} ends at ${right} of ${room}`);
          if (before?.line === line) assert.ok(x >= before.x + widths[i - 1] + 10 - 1e-9);
          else assert.ok(line === (before?.line ?? -1) + 1 || !before);
          if (line < spots[word].line)
            assert.ok(right <= at - 26 || x >= at + 26 || room < 260, `${i} stands in the gap of ${word}`);
        }
      }
    }
    // Without a word that ribbons come down to, each line is filled.
    const plain = views.linesOf({ widths, space: 10, room: 358 }, null);
    assert.equal(plain.map(({ line }) => line).join(''), '000000111111');
  });

  test('beams: a temperature sharpens and flattens, and at 1 it leaves shares as they are', () => {
    const { tempered } = views.beams;
    assert.deepEqual(tempered([0.5, 0.25, 0.25], 1), [0.5, 0.25, 0.25]);
    assert.deepEqual(tempered([0.4, 0.2], 0.5), [0.8, 0.2]);
    const [first, second] = tempered([0.9, 0.1], 2);
    assert.ok(Math.abs(first - 0.75) < 1e-12 && Math.abs(second - 0.25) < 1e-12, `${first}`);
    assert.deepEqual(tempered([1, 0], 0.01), [1, 0]);
  });

  test('attention: tiles, the query, the factor and the hidden keys of an address', () => {
    const { tilesOf, chosenQuery, factorOf, factorText, parseHidden, toggled } = views.attention;
    assert.deepEqual(tilesOf(10, null), { count: 3, read: 3, keys: 10 });
    assert.deepEqual(tilesOf(10, 2), { count: 3, read: 2, keys: 8 });
    assert.deepEqual(tilesOf(5, 99), { count: 3, read: 3, keys: 5 });
    assert.deepEqual([chosenQuery(2, 3, 0), chosenQuery(3, 3, 1), chosenQuery(Number.NaN, 3, 1)], [2, 1, 1]);
    assert.equal(factorOf(16, { power: 0.5, temperature: 2 }), 1 / 8);
    assert.equal(factorText(16, { power: 0.5, temperature: 1 }), '÷ √16');
    assert.equal(toggled(parseHidden('3.17'), 3), '17');
    assert.equal(toggled(parseHidden('17'), 3), '3.17');
  });

  test('masks: a query that may see nothing gets weights of zero', async () => {
    const engine = await createEngine({ threads: 1 });
    const x = Tensor.from([
      [1, 0],
      [0, 1],
    ]);
    const inputs = {
      title: '',
      queryNames: ['a', 'b'],
      keyNames: ['a', 'b'],
      queries: x,
      keys: x,
      values: x,
    };
    const { maskedOf, hiddenCells, blindQueries } = views.masks;
    const masked = await maskedOf(engine, inputs, { preset: 'causal', size: 0, turned: new Set([0]) });
    assert.deepEqual(masked.mask, [
      [0, 0],
      [1, 1],
    ]);
    assert.deepEqual([hiddenCells(masked), blindQueries(masked)], [2, ['a']]);
    assert.deepEqual([...masked.weights.subarray(0, 2)], [0, 0]);
    assert.ok(Math.abs(masked.scores[0] - Math.SQRT1_2) < 1e-6);
    await engine.dispose();
  });

  test('positions: a dimension, or what the last query adds', () => {
    const { chosenLine, lineOf } = views.positions;
    const matrix = Tensor.from([
      [1, 2],
      [3, 4],
    ]);
    assert.deepEqual(lineOf({ matrix, similarity: matrix, rows: 'position' }, 1), {
      values: [2, 4],
      name: 'Dimension 1, by position',
    });
    assert.deepEqual(lineOf({ matrix, similarity: null }, 0).values, [4, 3]);
    assert.deepEqual([chosenLine('alibi', 128, 9), chosenLine('rotary', 128, 200)], [7, 127]);
  });

  test('pictures: a look that there is, and a patch in words', () => {
    const { lookOf, placeOf, indexOfLargest } = views.pictures;
    assert.deepEqual([lookOf('2.3'), lookOf('9.9'), lookOf('toString')], ['2.3', 'rollout', 'rollout']);
    assert.equal(placeOf(8), 'row 2, column 2');
    assert.equal(indexOfLargest([1, 3, 3]), 1);
  });

  test('cost: parts by what they do, and the costliest', () => {
    const { costsOf, kindsOf, costliest } = views.cost;
    const part = (path, milliseconds) => ({ path, milliseconds, flops: 1, weightBytes: 2, stateBytes: 1 });
    const costs = costsOf({
      parts: [part('encoder.layers.0.norm', 1), part('encoder.layers.0.self_attn.q_proj', 5)],
    });
    assert.deepEqual(kindsOf(costs), ['projections', 'norms']);
    assert.deepEqual(costs.norms, { milliseconds: 1, bytes: 3, flops: 1 });
    assert.equal(costliest(kindsOf(costs), costs), 'projections');
  });

  test('ten years: the largest weight of a row, with its word where the words differ', () => {
    const { ofArticle, largestOf } = views.ten_years;
    const { data } = ofArticle({ data: Float32Array.of(0.25, 0.75), shape: [1, 2] });
    assert.equal(largestOf(data, 0, true), 'h₂ 75\u00a0%');
    assert.equal(largestOf(data, 0, false), 's₁ → h₂ 75\u00a0%');
  });
});
