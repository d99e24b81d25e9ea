import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { attentionSvg, Tensor } from 'transformer-wasm';

const picture = {
  title: 'Head <1> & "2"',
  queries: ['le', 'chat'],
  keys: ['the', 'cat', 'end'],
  weights: Tensor.from([
    [1, 0, 0],
    [0.25, 0.74, 0.01],
  ]),
  queryAxis: 'translation',
  keyAxis: 'source text',
};

describe('attentionSvg', async () => {
  const svg = await attentionSvg(picture);

  test('a cell for each weight, shaded by its square root, with a tooltip', () => {
    const cells = [...svg.matchAll(/fill-opacity="([\d.]+)"><title>([^<]*)<\/title>/g)];
    assert.equal(cells.length, 6);
    assert.deepEqual(
      cells.map(([, shade]) => Number(shade)),
      [1, 0, 0, 0.5, 0.86, 0.1],
    );
    assert.equal(cells[3][2], 'chat → the: 25.0 %');
  });

  test('title, names of the axes, legend, tokens; nothing unescaped', () => {
    const shown = [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, content]) => content);
    for (const content of [
      'Head &lt;1&gt; &amp; &quot;2&quot;',
      'source text →',
      '← translation',
      'weight',
      '0 %',
      '100 %',
      'chat',
      'end',
    ])
      assert.ok(shown.includes(content), content);
    assert.match(svg, /^<svg [^>]*role="img">\n<title>Head &lt;1&gt;/);
  });

  test('everything is inside of the picture', () => {
    const [, width, height] = svg.match(/viewBox="0 0 (\d+) (\d+)"/).map(Number);
    for (const [, x, y] of svg.matchAll(/<(?:rect|text) x="([\d.]+)" y="([\d.]+)"/g)) {
      assert.ok(Number(x) < width && Number(y) < height);
    }
  });

  test('weights of another shape are refused', async () => {
    for (const weights of [Tensor.from([[1, 0, 0]]), Tensor.from([1, 0])])
      await assert.rejects(attentionSvg({ ...picture, weights }), {
        code: 'invalid_argument',
        message: /weights must be \[queries, keys\], here \[2, 3\]/,
      });
  });
});
