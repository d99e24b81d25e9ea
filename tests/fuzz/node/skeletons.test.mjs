// Documents assembled from a grammar of hard pieces: identity gives back the bytes, capitals keep the skeleton as other parsers
// see it, and a model that drops, doubles and reorders words breaks neither the document nor its placeholders.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { translateDocument } from '../../../build/modules/documents/translate_document.js';
import { wordByWord } from '../../lib/markup.mjs';
import { randomNumbers } from '../../lib/random.mjs';
import { skeletonOf } from '../../lib/skeletons.mjs';
import { seeds } from './settings.mjs';

const words = 'the cat is hungry and my sister sees three red books of Anna'.split(' ');

/** Pieces drawn from numbers: each of these takes `draw`, which chooses from a list or a number below a limit. */
const grammars = {
  markdown: markdownOf,
  html: htmlOf,
  srt: (draw) => cues(draw, 'srt'),
  vtt: (draw) =>
    `WEBVTT\n\n${draw(['', 'NOTE one\ntwo\n\n', 'STYLE\n::cue { color: red }\n\n'])}${cues(draw, 'vtt')}`,
  json: (draw) =>
    `{\n${entries(draw)
      .map(
        ([key, value]) =>
          `  "${key}": ${draw([JSON.stringify(value), `[${JSON.stringify(value)}, 5, null]`, `{"a": ${JSON.stringify(value)}}`])}`,
      )
      .join(',\n')}\n}\n`,
  yaml: (draw) =>
    entries(draw)
      .map(([key, value]) => `${key}: ${yamlScalar(draw, value)}\n`)
      .join(''),
  po: (draw) =>
    entries(draw)
      .map(
        ([key, value]) =>
          `${draw(['', '#: a.c:1\n', '#, c-format\n'])}msgctxt "${key}"\nmsgid ${JSON.stringify(value)}\n${draw(['msgstr ""\n', 'msgstr "fait"\n'])}\n`,
      )
      .join(''),
  strings: (draw) =>
    entries(draw)
      .map(([key, value]) => `${draw(['', '/* c */\n', '// c\n'])}"${key}" = ${JSON.stringify(value)};\n`)
      .join(''),
  properties: (draw) =>
    entries(draw)
      .map(
        ([key, value]) =>
          `${draw(['', '# c\n', '! c\n'])}${key}${draw(['=', ' = ', ': ', ' '])}${value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n`,
      )
      .join(''),
  android: (draw) =>
    `<resources>\n${entries(draw)
      .map(
        ([key, value]) =>
          `<string name="${key}">${value
            .replaceAll('&', '&amp;')
            .replace(/<(?!\/?b>)/g, '&lt;')
            .replaceAll("'", "\\'")
            .replaceAll('"', '\\"')
            .replaceAll('\n', '\\n')}</string>`,
      )
      .join('\n')}\n</resources>\n`,
};

function entries(draw) {
  const count = 1 + draw(5);
  return Array.from({ length: count }, (_, i) => [`key${i}`, textWith(draw)]);
}

function textWith(draw) {
  const pieces = Array.from({ length: 1 + draw(5) }, () =>
    draw([
      ...words,
      ...words,
      '{name}',
      '{{count}}',
      '%s',
      '%1$d',
      '%{x}',
      '<b>now</b>',
      '& more',
      'a\nb',
      '"so"',
      "don't",
      '# 5',
      ': x',
      '😀',
      '&amp;',
      '{n, plural, one {# cat} other {# cats}}',
      '-',
      'C:\\x',
    ]),
  );
  return pieces.join(' ');
}

function yamlScalar(draw, value) {
  const isPlain = /^[a-z][a-z ]*$/i.test(value);
  const lines = value.replaceAll('\n', '\n\n  ');
  return draw([
    JSON.stringify(value),
    `'${value.replaceAll("'", "''").replaceAll('\n', ' ')}'`,
    `|\n  ${value.replaceAll('\n', '\n  ')}`,
    `>-\n  ${lines}`,
    isPlain ? value : '5',
    '&a x',
  ]);
}

const some = (draw, most, make) => Array.from({ length: 1 + draw(most) }, make);
const sentence = (draw) => some(draw, 6, () => draw(words)).join(' ') + draw(['', '.', '!', '?', ':', '…']);

function cues(draw, kind) {
  let text = '';
  const mark = kind === 'srt' ? ',' : '.';
  const time = (second) => `00:00:${String(second).padStart(2, '0')}${mark}000`;
  for (let i = 0; i <= draw(4); i++) {
    const line = () =>
      draw(['', '- ', '<i>', '♪ ']) + sentence(draw) + draw(['', ' <b>now</b>', ' &amp; so', ' {x}', ' <']);
    text += `${kind === 'srt' || draw(2) ? `${i + 1}\n` : ''}${time(2 * i)} --> ${time(2 * i + 1)}\n${some(draw, 3, line).join('\n')}\n\n`;
  }
  return text;
}

function markdownOf(draw, depth = 0) {
  return some(draw, depth === 0 ? 6 : 2, () => blockOf(draw, depth)).join('\n\n') + (depth === 0 ? '\n' : '');
}

function blockOf(draw, depth) {
  const inner = (indent) => {
    const text = depth > 2 ? inline(draw) : markdownOf(draw, depth + 1);
    return text
      .split('\n')
      .map((line, i) => (i > 0 ? (indent + line).trimEnd() : line))
      .join('\n');
  };
  return draw([
    () => inline(draw),
    () => `${inline(draw)}\n${inline(draw)}`,
    () => `${'#'.repeat(1 + draw(6))} ${inline(draw)}`,
    () => `${sentence(draw)}\n${draw(['===', '---'])}`,
    () => `- ${inner('  ')}\n- ${inline(draw)}`,
    () => `1. ${inner('   ')}\n2. ${inline(draw)}`,
    () => `> ${inner('> ')}`,
    () => '```js\nconst the = "cat";\n```',
    () => `| ${cell(draw)} | ${cell(draw)} |\n|:--|--|\n| ${cell(draw)} | ${cell(draw)} |`,
    () => `<div class="a">\n${sentence(draw)}\n</div>`,
    () => `<p align="center">\n  <b>${sentence(draw)}</b>\n  <img src="x.png">\n</p>`,
    () => '---',
    () => `> [!NOTE]\n> ${inline(draw)}`,
    () => `:::tip\n${inline(draw)}\n:::`,
    () => '<!-- the cat -->',
    () => `[ref]: https://a.b/c "${draw(words)}"`,
    () => `- [ ] ${inline(draw)}\n- [x] ${inline(draw)}`,
    () => '![the cat](cat.png)',
    () => `$$\nx = y_1\n$$`,
  ])();
}

const cell = (draw) => draw([sentence(draw), '`a`', '', `**${sentence(draw)}**`, '[the](x)']);

function inline(draw) {
  const pieces = some(draw, 5, () =>
    draw([
      () => sentence(draw),
      () => `*${sentence(draw)}*`,
      () => `**${sentence(draw)}**`,
      () => `~~${sentence(draw)}~~`,
      () => `[${sentence(draw)}](https://a.b/c)`,
      () => `[${draw(words)} *${draw(words)}*](x "t")`,
      () => '[ref]',
      () => `[${draw(words)}][ref]`,
      () => `[${draw(words)}]`,
      () => '`the cat`',
      () => '``a ` b``',
      () => '<br>',
      () => `<kbd>${draw(words)}</kbd>`,
      () => `<b>${sentence(draw)}</b>`,
      () => ' https://example.org/a_b ',
      () => '<https://example.org>',
      () => '![the cat](cat.png)',
      () => '2 * 3',
      () => 'a_b_c',
      () => '&copy; &amp; <3',
      () => '\\* \\_ \\[',
      () => '(see *this*)',
      () => '$x^2$',
      () => ':smile:',
      () => '|',
      () => '\\\n',
    ])(),
  );
  return pieces
    .join(draw([' ', ' ', ' ', '']))
    .trim()
    .replace(/\\$/, '');
}

function htmlOf(draw) {
  return `<!doctype html>\n<html lang="en"><head><title>${sentence(draw)}</title></head>\n<body>\n${some(draw, 5, () => htmlBlock(draw, 0)).join('\n')}\n</body></html>\n`;
}

function htmlBlock(draw, depth) {
  const inner = () =>
    depth > 3 ? htmlInline(draw) : some(draw, 3, () => htmlBlock(draw, depth + 1)).join('');
  return draw([
    () => `<p>${htmlInline(draw)}</p>`,
    () => `<p class=x>${htmlInline(draw)}<br>${htmlInline(draw)}`,
    () => `<div>${inner()}</div>`,
    () => `<ul><li>${htmlInline(draw)}<li>${inner()}</ul>`,
    () => `<table><tr><td>${htmlInline(draw)}<th>${inner()}</table>`,
    () => `<pre>${sentence(draw)}\n  <b>${sentence(draw)}</b></pre>`,
    () => '<script>if (a < b) "<p>the cat</p>"</script>',
    () => `<h2>${htmlInline(draw)}</h2>`,
    () => `<nav><a href="1">${sentence(draw)}</a> <a href="2">${sentence(draw)}</a></nav>`,
    () => `<label><input type=checkbox> ${sentence(draw)}</label>`,
    () => '<!-- the cat -->',
    () => `<blockquote translate=no>${sentence(draw)}</blockquote>`,
    () => `<a href=x><h3>${sentence(draw)}</h3></a>`,
    () => sentence(draw),
  ])();
}

function htmlInline(draw) {
  return some(draw, 5, () =>
    draw([
      () => sentence(draw),
      () => `<b>${sentence(draw)}</b>`,
      () => `<a href="x" title='a > b'>${sentence(draw)} <i>${draw(words)}</i></a>`,
      () => '<code>the cat</code>',
      () => '<img alt="the cat" src=x>',
      () => '<sup>1</sup>',
      () => '&lt;b&gt; &amp; &copy;',
      () => '<i class=icon></i>',
      () => '<!-- c -->',
      () => '{{ x }}',
      () => '<span translate="no">the cat</span>',
      () => '<?php echo 1 ?>',
      () => '<wbr>',
    ])(),
  ).join(draw([' ', ' ', '']));
}

const upper = (word) => {
  const written = word.toUpperCase();
  return written.length === word.length ? written : word;
};

/** Drops, doubles and reorders words, all with an alignment to a random one. */
const adversary = (random) => async (texts) =>
  texts.map((text) => {
    const sourceWords = Array.from(text.matchAll(/\S+/g), ({ 0: word, index }) => [
      index,
      index + word.length,
    ]);
    const order = sourceWords.flatMap(
      (_, i) => [[i], [], [i, i], [random.below(sourceWords.length)], [i]][random.below(5)],
    );
    let written = /^\s*/.exec(text)[0];
    const start = written.length;
    const targetWords = order.map((i) => {
      if (written.length > start) written += ' ';
      const begin = written.length;
      written += text.slice(...sourceWords[i]);
      return [begin, written.length];
    });
    if (sourceWords.length === 0) return { text, sentences: [] };
    const links = order.map((i) => (random.below(4) === 0 ? random.below(sourceWords.length) : i));
    const data = new Float32Array(order.length * sourceWords.length);
    for (const [row, column] of links.entries()) data[row * sourceWords.length + column] = 1;
    const source = [sourceWords[0][0], sourceWords.at(-1)[1]];
    const alignment = { sourceWords, targetWords, weights: { data }, links };
    const after = /\s*$/.exec(text)[0];
    return { text: written + after, sentences: [{ source, target: [start, written.length], alignment }] };
  });

/** Kinds whose placeholders are marks: of others, the model's own text may hold anything. */
for (const [kind, make] of Object.entries(grammars))
  test(`skeletons: ${kind}`, async () => {
    const { first, count } = seeds(15);
    for (let seed = first; seed < first + count; seed++) {
      const random = randomNumbers(seed);
      const draw = (from) =>
        typeof from === 'number' ? random.below(from) : from[random.below(from.length)];
      const source = make(draw);
      const message = () => `${kind}, seed ${seed}:\n${source}`;
      const same = await translateDocument(
        source,
        kind,
        wordByWord((word) => word),
      );
      if (kind !== 'po') assert.equal(same.text, source, message());
      const loud = await translateDocument(source, kind, wordByWord(upper));
      assert.equal(skeletonOf(kind, loud.text), skeletonOf(kind, source), `${message()}=>\n${loud.text}`);
      assert.deepEqual(loud.untranslated, [], `${message()}=>\n${loud.text}`);
      const mad = await translateDocument(source, kind, adversary(random));
      // Emphasis and links may be parted, or stay without words.
      if (!['markdown', 'html', 'srt', 'vtt'].includes(kind))
        assert.equal(skeletonOf(kind, mad.text), skeletonOf(kind, source), `${message()}=>\n${mad.text}`);
      // What was made can be read again.
      const again = await translateDocument(
        mad.text,
        kind,
        wordByWord((word) => word),
      );
      if (kind !== 'po') assert.equal(again.text, mad.text, `${message()}=>\n${mad.text}`);
    }
  });
