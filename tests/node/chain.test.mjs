// Models in a chain: the second reads what the first wrote, and alignments are multiplied.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { documentKinds } from '../../build/modules/documents/document.js';
import { translateDocument } from '../../dist/documents.js';
import { chain, createEngine, loadModel } from '../../dist/index.js';
import { expectedOf, studentFiles } from '../lib/students.mjs';

let engine, first, second;
before(async () => {
  engine = await createEngine({ threads: 1 });
  first = await loadModel(studentFiles('yyzz'), { engine });
  second = await loadModel(studentFiles('xxcc'), { engine });
});
after(() => engine.dispose());

const { source } = expectedOf('yyzz').firefox[0];

test('each model reads what the one before it wrote', async () => {
  const between = await first.translate(source);
  const end = await second.translate(between.text);
  const chained = await chain([first, second]).translate(source);
  assert.deepEqual(chained.steps, [between.text, end.text]);
  assert.equal(chained.text, end.text);
  assert.equal(chained.score, between.score + end.score);
  assert.deepEqual(await chain([first, second]).translate([source, 'mí']), [
    chained,
    await chain([first, second]).translate('mí'),
  ]);
});

test('the alignment of one model is its taught head', async () => {
  const { crossAttentions } = await first.translate(source, { outputAttentions: true });
  const { sentences } = await chain([first]).translate(source);
  const [{ weights }] = sentences;
  const [targets, sources] = weights.shape;
  assert.deepEqual(weights.data, crossAttentions.at(-1).data.slice(0, targets * sources));
});

test('ranges cover the texts, and the weights of each token of the translation add up to one', async () => {
  const { text, sentences } = await chain([first, second]).translate(source);
  const [{ weights, sourceSpans, targetSpans, sourceTokens, targetTokens }] = sentences;
  assert.deepEqual(weights.shape, [targetTokens.length, sourceTokens.length]);
  for (const [spans, whole] of [
    [sourceSpans, source],
    [targetSpans, text],
  ])
    assert.deepEqual(spans.at(-1), [whole.length, whole.length]);
  for (let i = 0; i < targetTokens.length; i++) {
    const row = weights.data.slice(i * sourceTokens.length, (i + 1) * sourceTokens.length);
    // Spaces between the tokens of the first translation and those of the second may belong to neither.
    const sum = row.reduce((total, one) => total + one, 0);
    assert.ok(sum > 0.5 && sum < 1.0001, `${sum}`);
  }
});

test('models of different sizes in one engine or several, and bad chains', async () => {
  assert.throws(() => chain([]), { code: 'invalid_argument' });
  assert.throws(() => chain([first, {}]), { code: 'invalid_argument' });
  assert.throws(() => chain(first), { code: 'invalid_argument' });
  await assert.rejects(chain([first]).translate('aa', { htlm: true }), { code: 'invalid_argument' });
  const [blank, { text }] = await chain([first]).translate([' ', 'aa']);
  assert.deepEqual([blank.text, blank.steps, blank.score], [' ', [' '], 0]);
  assert.notEqual(text, '');
});

test('a text is translated sentence by sentence, and what lies between stays', async () => {
  const text = `  ${source}\n\n- ${source} ${source}\n`;
  const linked = chain([first, second]);
  const alone = await linked.translate(source);
  const whole = await linked.translate(text);
  assert.equal(whole.sentences.length, 3);
  assert.equal(whole.text, `  ${alone.text}\n\n- ${alone.text} ${alone.text}\n`);
  assert.equal(whole.steps[0], `  ${alone.steps[0]}\n\n- ${alone.steps[0]} ${alone.steps[0]}\n`);
  for (const { source: from, target, sourceSpans, targetSpans, ...sentence } of whole.sentences) {
    assert.equal(text.slice(...from), source);
    assert.equal(whole.text.slice(...target), alone.text);
    assert.deepEqual(sourceSpans.at(-1), [from[1], from[1]]);
    assert.deepEqual(targetSpans.at(-1), [target[1], target[1]]);
    assert.deepEqual(sentence.weights, alone.sentences[0].weights);
  }
});

test('a chain translates what a model translates: HTML, with aligned words, as a stream', async () => {
  const linked = chain([first, second]);
  const { text, sentences } = await linked.translate(source, { alignment: true });
  const [{ alignment }] = sentences;
  assert.deepEqual(alignment.weights.shape, [alignment.targetWords.length, alignment.sourceWords.length]);
  assert.equal(alignment.from, 'head');
  const words = source.split(' ');
  const html = `<p><b>${words[0]}</b> ${words.slice(1).join(' ')}</p>`;
  const page = await linked.translate(html, { html: true });
  assert.equal(page.text.replace(/<[^>]*>/g, ''), text);
  assert.match(page.text, /^<p>.*<b>[^<]+<\/b>.*<\/p>$/);
  const document = await translateDocument(linked, `${source}\n`, { kind: 'text' });
  assert.equal(document.text, `${text}\n`);
  const streamed = [];
  for await (const one of linked.streamTranslation(`${source} ${source}`)) streamed.push(one.text);
  assert.deepEqual(streamed, [text, text]);
});

/** A document of each kind with one text, as it is before and after. */
const documents = {
  text: (_, to) => `${to}\n`,
  markdown: (_, to) => `---\nid: 1\n---\n\n# ${to}\n\n\`mí\`\n`,
  mdx: (_, to) => `import A from 'a';\n\n<A>\n\n${to}\n\n</A>\n`,
  html: (_, to) => `<!doctype html><p class=a>${to}</p>\n`,
  srt: (_, to) => `1\n00:00:01,000 --> 00:00:02,000\n${to}\n`,
  vtt: (_, to) => `WEBVTT\n\n00:01.000 --> 00:02.000\n${to}\n`,
  json: (_, to) => `{ "key": "${to}" }\n`,
  arb: (_, to) => `{ "@@locale": "yy", "key": "${to}" }\n`,
  yaml: (_, to) => `yy:\n  key: ${to} # mí\n`,
  po: (from, to) => `msgid "${from}"\nmsgstr "${to === from ? '' : to}"\n`,
  xliff: (from, to) =>
    `<xliff version="1.2"><file><body><trans-unit id="1"><source>${from}</source>${
      to === from ? '' : `<target>${to}</target>`
    }</trans-unit></body></file></xliff>\n`,
  strings: (_, to) => `/* mí */\n"key" = "${to}";\n`,
  android: (_, to) => `<resources><string name="key">${to}</string></resources>\n`,
  properties: (_, to) => `# mí\nkey=${to}\n`,
};

test('a chain translates every kind of document', async () => {
  assert.deepEqual(Object.keys(documents), [...documentKinds]);
  const linked = chain([first, second]);
  const { text } = await linked.translate('mí');
  assert.notEqual(text, 'mí');
  for (const [kind, write] of Object.entries(documents)) {
    const made = await translateDocument(linked, write('mí', 'mí'), { kind });
    assert.equal(made.text, write('mí', text), kind);
    assert.deepEqual(made.untranslated, [], kind);
  }
});
