import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { attentionSvg, loadModel, Tensor } from 'transformer-wasm';
import enFr from 'transformer-wasm/en-fr';

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

describe('of a translation', () => {
  let model, translation;
  before(async () => {
    model = await loadModel(enFr);
    translation = await model.translate('The red car is big.', { outputAttentions: true });
  });
  after(() => model.dispose());
  const shades = (svg) =>
    [...svg.matchAll(/fill-opacity="([\d.]+)"><title>/g)].map(([, shade]) => Number(shade));

  test('any kind, layer and head; otherwise the mean of the last layer’s heads', async () => {
    for (const [kind, rows, columns] of [
      ['cross', 'written', 'source'],
      ['encoder', 'source', 'source'],
      ['decoder', 'written', 'decoder'],
    ]) {
      const { axes, [`${kind}Attentions`]: layers } = translation;
      const [, heads, queries, keys] = layers[0].shape;
      const one = await attentionSvg(translation, { kind, layer: 0, head: 1 });
      assert.match(one, /<title>[^<]*layer 1, head 2<\/title>/);
      const size = queries * keys;
      const drawn = (weights) =>
        attentionSvg({ title: '', queries: axes[rows], keys: axes[columns], weights }).then(shades);
      const weights = new Tensor(layers[0].data.slice(size, 2 * size), [queries, keys]);
      assert.deepEqual(shades(one), await drawn(weights));
      const last = layers.at(-1);
      const mean = Float32Array.from({ length: size }, (_, i) => {
        let sum = 0;
        for (let head = 0; head < heads; head++) sum += last.data[head * size + i] / heads;
        return sum;
      });
      const found = shades(await attentionSvg(translation, { kind }));
      for (const [i, shade] of (await drawn(new Tensor(mean, [queries, keys]))).entries())
        assert.ok(Math.abs(shade - found[i]) <= 0.0011);
    }
    assert.deepEqual(await attentionSvg(translation), await attentionSvg(translation, { kind: 'cross' }));
    assert.match(await attentionSvg(translation.sentences[0], { title: 'Mine' }), /<title>Mine<\/title>/);
  });

  test('what is not there is named', async () => {
    const plain = await model.translate('I am here.');
    const two = await model.translate('I am here. I am happy.', { outputAttentions: true });
    for (const [result, choice, message] of [
      [plain, {}, /no weights of the kind 'cross'.*outputAttentions/],
      [two, {}, /of several sentences each has its own/],
      [translation, { layer: 99 }, /layer is 99, but there are only \d layers/],
      [translation, { head: 99 }, /head is 99, but a layer has only \d heads/],
      [translation, { kind: 'middle' }, /kind must be one of 'cross', 'encoder', 'decoder'/],
      [translation, { heads: 1 }, /did you mean 'head'/],
      [null, {}, /result/],
    ])
      await assert.rejects(attentionSvg(result, choice), { code: 'invalid_argument', message });
    assert.match(await attentionSvg(two.sentences[1]), /Cross-attention/);
  });
});
