// The numbers of the story's own figures: what they compute, against the engine and by hand.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { loadModel } from 'transformer-wasm';
import { bundleForNode } from './bundle.mjs';
import { root, wide } from './site.mjs';

const folder = (name) => join(root, 'web/public/models', name);
const close = (actual, expected, tolerance = 1e-5) => {
  assert.equal(actual.length, expected.length);
  for (const [i, value] of [...actual].entries())
    assert.ok(Math.abs(value - expected[i]) <= tolerance, `${i}: ${value} and ${expected[i]}`);
};

describe('the figures of the story', () => {
  let code;
  let model;
  let recurrent;
  before(async () => {
    const files = [
      'look_back',
      'self_attention',
      'split',
      'whole',
      'halves',
      'flash',
      'bottleneck',
      'beams',
      'ten_years',
    ].map((name) => `views/${name}/compute.ts`);
    code = await bundleForNode([
      ...files,
      'views/ten_years/centre.ts',
      'views/halves/guesses.ts',
      'page/chapters.ts',
      'reading/anatomy.ts',
      'reading/stored_weights.ts',
      'reading/reader.ts',
    ]);
    model = await loadModel(folder('en-fr-float32'));
    recurrent = await loadModel(folder('en-fr-bahdanau'));
  });
  after(() => Promise.all([model?.dispose(), recurrent?.dispose()]));

  /** A pass over what the model writes itself. */
  const traced = async (of, trace) => {
    const { inputIds, sequences } = await of.generate(wide);
    const decoderInputIds = [sequences[0].ids.slice(0, -1)];
    return (await of.forward({ inputIds: [inputIds], decoderInputIds }, { trace })).trace;
  };
  const row = ({ data, shape }, i) => data.subarray(i * shape.at(-1), (i + 1) * shape.at(-1));

  test('look back: the weighted sum of the states is the context that the engine computes', async () => {
    const trace = await traced(recurrent, [
      'encoder.output',
      'decoder.attention.weights',
      'decoder.attention.context',
    ]);
    const states = trace['encoder.output'];
    for (const word of [0, 5, 12]) {
      const weights = row(trace['decoder.attention.weights'], word);
      const { terms, context } = code.look_back.contextOf(weights, {
        data: states.data,
        width: states.shape.at(-1),
      });
      close(context, row(trace['decoder.attention.context'], word));
      const { shown, rest } = code.look_back.largestTerms(terms);
      assert.ok(shown.every(({ weight }, i) => weight >= 0.04 && (i === 0 || weight <= shown[i - 1].weight)));
      assert.ok(Math.abs(shown.reduce((sum, { weight }) => sum + weight, rest) - 1) < 1e-5);
    }
  });

  test('self-attention: an arc for each weight from 0.09 up, none to a word itself, the pronoun first', async () => {
    const reading = await code.reader.read(model, wide);
    const arcs = code.self_attention.arcsOf(reading, 'mean');
    const last = reading.maps.encoder.layers - 1;
    const mean = reading.maps.encoder.of(last, 'mean');
    const { length } = reading.source;
    const expected = [...mean].filter((weight, i) => weight >= 0.09 && i % length !== Math.floor(i / length));
    assert.equal(arcs.length, expected.length);
    close(arcs.map(({ weight }) => weight).sort(), expected.sort());
    assert.equal(reading.source[code.self_attention.firstQuery(reading, 'mean')].label, 'it');
  });

  test('split: heads, joined and mixed, are what the model adds to the word before its norm', async () => {
    const path = 'decoder.layers.1';
    const names = ['cross.queries', 'cross.values', 'cross.weights', 'cross.residual', 'self.residual'].map(
      (name) => `${path}.${name}`,
    );
    const trace = await traced(model, names);
    const of = (name) => Object.entries(trace).find(([key]) => key.replace(/_attn/, '').endsWith(name))[1];
    const [word, heads] = [10, 4];
    const [, , queries, keys] = of('cross.weights').shape;
    const weights = Array.from({ length: heads }, (_, head) =>
      of('cross.weights').data.subarray((head * queries + word) * keys, (head * queries + word + 1) * keys),
    );
    const values = { data: of('cross.values').data, width: 128 };
    const looks = code.split.looksOf({
      query: row(of('cross.queries'), word),
      values,
      weights,
      isOff: () => false,
    });
    assert.deepEqual(
      looks.map(({ answer }) => answer.length),
      [32, 32, 32, 32],
    );
    const bytes = await readFile(join(folder('en-fr-float32'), 'model.safetensors'));
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const { weight, bias } = code.stored_weights.matrixIn(file, `${path}.multihead_attn.out_proj`);
    const joined = code.split.joinedOf(looks);
    const mixed = code.split.mixOf(joined, weight, bias);
    // Post-norm: norm(x + mixed), with the norm's own gain and bias.
    const sum = row(of('self.residual'), word).map((value, i) => value + mixed[i]);
    const mean = sum.reduce((a, b) => a + b) / 128;
    const deviation = Math.sqrt(sum.reduce((a, b) => a + (b - mean) ** 2, 0) / 128 + 1e-5);
    const norm = vectors(file, `${path}.norm2`);
    close(
      sum.map((value, i) => ((value - mean) / deviation) * norm.weight[i] + norm.bias[i]),
      row(of('cross.residual'), word),
      1e-3,
    );
    // A head that is off gives nothing, and has no ways through W_O.
    const without = code.split.joinedOf(looks.map((look, head) => ({ ...look, isOff: head === 2 })));
    assert.ok(without.subarray(64, 96).every((value) => value === 0));
    const links = code.split.linksOf(without, weight, 500);
    assert.ok(links.every(({ from }) => from < 64 || from >= 96));
    assert.equal(links[0].share, 1);
    assert.deepEqual([4, 1, 12].map(code.split.claimOf), [
      'Four narrow looks make one wide one.',
      'One look, as wide as the vector.',
      '12 narrow looks make one wide one.',
    ]);
  });

  /** A norm's gain and bias in a file of floats. */
  function vectors(file, name) {
    const length = Number(new DataView(file).getBigUint64(0, true));
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 8, length)));
    const of = (key) =>
      new Float32Array(file.slice(...header[`${name}.${key}`].data_offsets.map((at) => at + 8 + length)));
    return { weight: of('weight'), bias: of('bias') };
  }

  test('stored weights: bytes are multiplied by the scale of their row', async () => {
    const bytes = await readFile(join(folder('en-fr'), 'model.safetensors'));
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const floats = await readFile(join(folder('en-fr-float32'), 'model.safetensors'));
    const exact = floats.buffer.slice(floats.byteOffset, floats.byteOffset + floats.byteLength);
    const name = 'encoder.layers.0.self_attn.out_proj';
    const [rounded, whole] = [file, exact].map((one) => code.stored_weights.matrixIn(one, name));
    assert.deepEqual([rounded.weight.rows, rounded.weight.columns, rounded.bias.length], [128, 128, 128]);
    const largest = Math.max(...whole.weight.data.map(Math.abs));
    close(rounded.weight.data, whole.weight.data, largest / 60);
    assert.throws(() => code.stored_weights.matrixIn(file, 'nothing'), /no nothing/);
  });

  test('whole: the parts have as many parameters as the model', async () => {
    const reading = await code.reader.read(model, wide);
    const anatomy = code.anatomy.anatomyOf(model, reading);
    const columns = code.whole.columnsOf(anatomy);
    assert.deepEqual(
      columns.map(({ title, layers }) => [title, layers]),
      [
        ['Encoder', 2],
        ['Decoder', 2],
      ],
    );
    const total = columns.flatMap(({ boxes }) => boxes).reduce((sum, { parameters }) => sum + parameters, 0);
    assert.equal(total, model.info.parameters);
    assert.equal(code.whole.totalOf(columns)[0].title, 'words');
    const cross = columns[1].boxes.find(({ title }) => title === 'cross-attention');
    assert.equal(cross.shape, `4 heads of ${reading.read.length} × ${reading.source.length}`);
    // Where the sum is another one, nothing is claimed of the parts.
    const other = { config: model.config, info: { ...model.info, parameters: 5 } };
    assert.equal(code.anatomy.anatomyOf(other, reading).parameters, null);
  });

  test('halves: a gap sees both sides, what comes next only what was', () => {
    const { maySee, countOf, kept } = code.halves;
    assert.deepEqual(
      [0, 1, 2, 3].map((place) => maySee('BERT', 2, place)),
      [true, true, false, true],
    );
    assert.deepEqual(
      [0, 1, 2, 3].map((place) => maySee('GPT', 2, place)),
      [true, true, false, false],
    );
    assert.deepEqual([countOf('BERT', 2, 9), countOf('GPT', 2, 9)], [8, 2]);
    for (const parts of Object.values(kept)) assert.ok(!parts.includes('cross-attention'));
  });

  test('halves: what the two tiny models guess is what PyTorch computes', async () => {
    const { folders, guessesOf, maskedIds, idsBefore } = code.guesses;
    const cases = JSON.parse(await readFile(join(root, 'tests/fixtures/halves/expected.json'), 'utf8'));
    const options = { engine: model.engine, dtype: 'f32' };
    for (const [half, task] of [
      ['BERT', 'fill'],
      ['GPT', 'continue'],
    ]) {
      const own = await loadModel(folder(folders[half]), options);
      for (const { text, ids, word, [task]: expected } of cases) {
        const gap = { text, span: own.tokenizer.encode(text).offsets[word + 1] };
        const masked = ids.with(word + 1, own.tokenizer.idOf('<mask>'));
        if (half === 'BERT') assert.deepEqual(maskedIds(own, gap), masked, text);
        else assert.deepEqual(idsBefore(own, gap), ids.slice(0, word + 1), text);
        const { best, own: share } = await guessesOf(half, own, gap);
        close(
          best.map(({ probability }) => probability),
          expected.map(([, probability]) => probability),
          1e-4,
        );
        const at = expected.findIndex(([id]) => id === ids[word + 1]);
        if (at >= 0) close([share], [expected[at][1]], 1e-4);
        const [[first, most], [, next]] = expected;
        if (most - next > 1e-3) assert.equal(best[0].label, own.tokenizer.tokenOf(first), text);
      }
      const long = { text: 'very '.repeat(80), span: [350, 354] };
      assert.equal(await guessesOf(half, own, long), null);
      own.dispose();
    }
  });

  test('halves: part of a number, an unknown word and the first word can be guessed as well', async () => {
    const { folders, guessesOf, maskedIds, writeOn } = code.guesses;
    const [fill, goOn] = await Promise.all(
      [folders.BERT, folders.GPT].map((name) => loadModel(folder(name), { engine: model.engine })),
    );
    const text = 'Zorblax was built in 1987.';
    const digit = text.indexOf('9');
    const mask = fill.tokenizer.idOf('<mask>');
    assert.equal(maskedIds(fill, { text, span: [digit, digit + 1] }).filter((id) => id === mask).length, 1);
    // A gap of several tokens, such as another model's word, is one mask.
    const year = maskedIds(fill, { text, span: [digit - 1, digit + 3] });
    assert.equal(year.length, fill.tokenizer.encode(text).ids.length - 3);
    const first = { text, span: [0, 7] };
    assert.equal((await guessesOf('BERT', fill, first)).own, null);
    assert.equal((await guessesOf('GPT', goOn, first)).best.length, 5);
    const { signal } = new AbortController();
    const gap = { text: 'The animal was hungry.', span: [11, 14] };
    const [greedy, again, drawn] = await Promise.all(
      [0, 0, 3].map((variant) => writeOn(goOn, gap, { variant, signal })),
    );
    assert.equal(greedy, again);
    assert.match(greedy, /^ [a-z][^<>]*[.!?]$/);
    assert.match(drawn, /[.!?]$/);
    const negated = await writeOn(goOn, { text: 'The cats did go.', span: [13, 15] }, { variant: 0, signal });
    assert.match(negated, /^(n't| not) /);
    await Promise.all([fill.dispose(), goOn.dispose()]);
  });

  test('flash: with tiles of any size, weights and output are the softmax’s', async () => {
    const { streamOf, scoresOf, weightsAfter, differenceOf } = code.flash;
    const scores = [1, 3, 2, 5, -400, 5, 900, 2];
    const values = { data: scores.map((_, i) => i), width: 1 };
    for (const tile of [1, 2, 3, 8, 20]) {
      const steps = streamOf(scores, values, tile);
      assert.equal(steps.length, Math.ceil(8 / tile));
      const last = steps.at(-1);
      assert.deepEqual([last.max, last.sum, last.output[0] / last.sum], [900, 1, 6]);
      assert.ok(differenceOf(scores, values, last) < 1e-12);
    }
    const [first, second] = streamOf([1, 3, 2, 5], { data: [1, 1, 1, 1], width: 1 }, 2);
    assert.equal(first.factor, 0);
    assert.equal(second.factor, Math.exp(3 - 5));
    assert.ok(Math.abs(second.sum - ((Math.exp(-2) + 1) * Math.exp(-2) + Math.exp(-3) + 1)) < 1e-12);
    const trace = await traced(model, [
      'decoder.layers.1.cross.queries',
      'decoder.layers.1.cross.keys',
      'decoder.layers.1.cross.weights',
    ]);
    const of = (name) => Object.entries(trace).find(([key]) => key.endsWith(name))[1];
    // Of the last head.
    const head = (tensor) =>
      Float32Array.from(
        { length: tensor.shape[1] * 32 },
        (_, i) => tensor.data[Math.floor(i / 32) * 128 + 96 + (i % 32)],
      );
    const word = 10;
    const own = scoresOf(head(of('queries')).subarray(word * 32, (word + 1) * 32), {
      data: head(of('keys')),
      width: 32,
    });
    const {
      data,
      shape: [, , queries, keys],
    } = of('weights');
    const expected = data.subarray((3 * queries + word) * keys, (3 * queries + word + 1) * keys);
    const read = streamOf(own, { data: [], width: 0 }, 4).at(-1);
    close(weightsAfter(own, read), expected);
  });

  test('bottleneck: ranges, samples, and the words that differ', () => {
    const { rangeText, sampleText, showsBottleneck, differing } = code.bottleneck;
    assert.deepEqual(
      [
        [1, 3],
        [4, 4],
        [15, null],
        [15, 999],
      ].map(rangeText),
      ['1–3', '4', '15+', '15+'],
    );
    assert.equal(sampleText({ sentences: [300, 1000, 30] }), '1,330 sentences, 30 to 1000 a point');
    assert.ok(showsBottleneck({ attention: [0.9, 0.8], one_vector: [0.8, 0.1] }));
    assert.ok(!showsBottleneck({ attention: [0.9, 0.8], one_vector: [0.3, 0.7] }));
    const words = (text) => text.split(' ');
    const differ = differing(
      words('Les oiseaux sont à une plage'),
      words('Les papillons sont parfois à une plage'),
    );
    assert.deepEqual(differ, [false, true, false, false, false, false]);
  });

  test('bottleneck: what was measured is whole, and shows what its heading says', async () => {
    const file = join(root, 'web/src/views/bottleneck/by_length.json');
    const table = JSON.parse(await readFile(file, 'utf8'));
    const { lengths, attention, one_vector, sentences } = table;
    for (const [i, [from, to]] of lengths.entries()) {
      assert.ok(from <= to && (i === 0 || from === lengths[i - 1][1] + 1), `${from} to ${to}`);
      for (const share of [attention[i], one_vector[i]]) assert.ok(share >= 0 && share <= 1);
      assert.ok(sentences[i] >= 30);
    }
    assert.ok(code.bottleneck.showsBottleneck(table));
  });

  test('headings say what the sentence shows', () => {
    const { beams, ten_years } = code;
    assert.match(beams.claimOf(0, true), /^Here the best next words make/);
    for (const [greedy, isGreedy] of [
      [2, true],
      [-1, true],
      [0, false],
    ])
      assert.match(beams.claimOf(greedy, isGreedy), /is not always/);
    const models = (network, ...products) => [
      { title: '2014, Bahdanau: additive', translation: network },
      ...products.map((translation, i) => ({
        title: ['2015, Luong: dot', '2015, Luong: general'][i],
        translation,
      })),
    ];
    assert.equal(ten_years.claimOf(models('Oui.', 'Non.', 'Oui.'), false), 'A product is enough.');
    assert.match(ten_years.claimOf(models('Oui.', 'Non.', 'Si.'), false), /something other/);
    assert.equal(ten_years.claimOf(models('Oui.', 'Non.'), true), 'A product is enough.');
  });

  test('local attention: the window’s centre is in the words of the sentence', () => {
    const tokens = (...labels) => labels.map((label) => ({ label }));
    const reading = { written: tokens('le', 'chat'), source: tokens('the', 'cat', 'sat') };
    assert.equal(
      code.centre.windowText(reading, { row: 1, centre: 1.4, reach: 3 }),
      'Before “chat”, its window is centred at 2.4 of 3 (“cat”), with 3 to either side.',
    );
    assert.match(code.centre.windowText(reading, { row: 0, centre: 2.9, reach: 3 }), /of 3 \(“sat”\)/);
  });

  test('chapters: what opens none belongs to the one before it', () => {
    const { chaptersOf } = code.chapters;
    const opens = (question) => ({ question, name: '', source: '', attempt: '', parts: [] });
    const told = chaptersOf([
      { id: 'a', chapter: opens('A?') },
      { id: 'b' },
      { id: 'c', chapter: opens('C?') },
    ]);
    assert.deepEqual(
      told.map(({ number, question, views }) => [number, question, views.map(({ id }) => id)]),
      [
        [1, 'A?', ['a', 'b']],
        [2, 'C?', ['c']],
      ],
    );
  });
});
