// Documents: only what people read is translated, and everything else stays byte for byte.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { kindOf } from '../../build/modules/documents/document.js';
import { translateDocument } from '../../build/modules/documents/translate_document.js';
import { translateDocument as translate } from '../../dist/documents.js';
import { wordByWord } from '../lib/markup.mjs';

const upper = wordByWord((word) => word.toUpperCase());
const reversed = wordByWord((word) => word.toUpperCase(), { isReversed: true });
const same = wordByWord((word) => word);
const translated = async (kind, source, translate = upper) =>
  (await translateDocument(source, kind, translate)).text;

test('kinds by extension', () => {
  const names = [
    'a.txt',
    'a.md',
    'A.MARKDOWN',
    'dir.txt/b.html',
    'x.srt',
    'x.y.vtt',
    'a.pdf',
    'README',
    'constructor',
  ];
  const kinds = ['text', 'markdown', 'markdown', 'html', 'srt', 'vtt', undefined, undefined, undefined];
  assert.deepEqual(names.map(kindOf), kinds);
});

describe('Markdown', () => {
  for (const [name, source, wanted, translate = upper] of [
    ['a heading and a paragraph', '# one\n\ntwo\n', '# ONE\n\nTWO\n'],
    [
      'aligned columns',
      '| one | :+1: |\n| :---: |:-:|\n| two | :a: |\n',
      '| ONE | :+1: |\n| :---: |:-:|\n| TWO | :a: |\n',
    ],
    ['emphasis before a tag', '**one**<br>*two*\n', '**ONE**<br>*TWO*\n'],
    ['underlined headings', 'one\n===\n\ntwo\n---\n', 'ONE\n===\n\nTWO\n---\n'],
    ['front matter', '---\ntitle: one\n---\n\ntwo\n', '---\ntitle: one\n---\n\nTWO\n'],
    [
      'code',
      '```js\nconst a = 1;\n```\n\n    four\n\na `code` b\n',
      '```js\nconst a = 1;\n```\n\n    four\n\nA `code` B\n',
    ],
    [
      'a link and its target',
      'see [the *red* car](http://a.b/c_d "t") now',
      'SEE [THE *RED* CAR](http://a.b/c_d "t") NOW',
    ],
    ['brackets without a link', 'the cat [sic] and ^[a note]\n', 'THE CAT [SIC] AND ^[A NOTE]\n'],
    [
      'brackets before a link',
      'see [one] [two](x) [three][four](y)\n',
      'SEE [ONE] [TWO](x) \\[THREE\\][FOUR](y)\n',
    ],
    ['brackets in a link', '[f(a[, b])](#c)\n', '[F(A[, B])](#c)\n'],
    [
      'underlined headings in a quotation',
      '> one\n> ---\n>\n> two\n> ===\n',
      '> ONE\n> ---\n>\n> TWO\n> ===\n',
    ],
    ['emphasis beside a formula', '~~one.~~$x^2$*two.*$x^3$\n', '~~ONE.~~$x^2$*TWO.*$x^3$\n'],
    ['an abbreviation', '*[one]: two\n', '*[one]: TWO\n'],
    ['a box that is none', 'a [x] b [ ]\n', 'A \\[X\\] B \\[ \\]\n'],
    ['marks with spaces around them', '2 * 3, a | b, ~5\n', '2 * 3, A | B, ~5\n'],
    ['a number at the beginning of a heading', '## 1. one\n\n1\\. two\n', '## 1. ONE\n\n1\\. TWO\n'],
    ['a row of marks at the end of a heading', '# one \\#\n', '# ONE \\#\n'],
    ['one tilde', 'H~2~O ~two words~\n', 'H~2~O ~TWO WORDS~\n'],
    [
      'formulas',
      'a $$x$$ \\(y_1\\) b\n\n\\begin{align}\nx &= y\n\\end{align}\n',
      'A $$x$$ \\(y_1\\) B\n\n\\begin{align}\nx &= y\n\\end{align}\n',
    ],
    ['a container with a title', '::: tip one\ntwo\n:::\n', '::: tip ONE\nTWO\n:::\n'],
    ['a container with attributes', ':::note[one]{.c}\ntwo\n:::\n', ':::note[ONE]{.c}\nTWO\n:::\n'],
    ['an alert with a title', '> [!NOTE] one\n> two\n', '> [!NOTE] ONE\n> TWO\n'],
    ['an admonition', '!!! note "one"\n    two\n\n    - three\n', '!!! note "ONE"\n    TWO\n\n    - THREE\n'],
    [
      'tabs and folded admonitions',
      '=== "one"\n    two\n\n??? tip\n    three\n',
      '=== "ONE"\n    TWO\n\n??? tip\n    THREE\n',
    ],
    ['definitions of terms', 'one\n: two\n:   three\n\n    four\n', 'ONE\n: TWO\n:   THREE\n\n    FOUR\n'],
    ['directives', '::video[one]{#id} :abbr[two]{title="x"}\n', '::video[ONE]{#id} :abbr[TWO]{title="x"}\n'],
    ['attributes', '[one]{.c} [two](x){target=_blank}\n', '[ONE]{.c} [TWO](x){target=_blank}\n'],
    [
      'shortcodes in lines of their own',
      '{{% note %}}\none\n{{% /note %}}\n',
      '{{% note %}}\nONE\n{{% /note %}}\n',
    ],
    ['front matter in other forms', '---\na: b\n...\n\none\n', '---\na: b\n...\n\nONE\n'],
    ['front matter in JSON', '{\n  "a": "b"\n}\n\none\n', '{\n  "a": "b"\n}\n\nONE\n'],
    ['links move', 'a [b](x) c', 'C [B](x) A', reversed],
    [
      'a link that its text names',
      'see [one] and [two][]\n\n[one]: /a\n[two]: /b\n',
      'SEE [ONE] AND [TWO][]\n\n[one]: /a\n[two]: /b\n',
    ],
    [
      'a link that its text names, which is another one now',
      'see [one] and [two][]\n\n[one]: /a\n[two]: /b\n',
      '1see [1one][one] 1and [1two][two]\n\n[one]: /a\n[two]: /b\n',
      wordByWord((word) => `1${word}`),
    ],
    ['addresses', 'see <http://a.b> and http://c.d/e ok', 'SEE <http://a.b> AND http://c.d/e OK'],
    ['pictures', 'a ![alt](x.png) b', 'A ![alt](x.png) B'],
    ['lists and tasks', '- one\n  1. two\n- [x] three\n', '- ONE\n  1. TWO\n- [x] THREE\n'],
    ['quotations, whose lines are joined', '> one\n> two\n>\n> three\n', '> ONE TWO\n>\n> THREE\n'],
    ['a line break', '> one\\\n> two', '> ONE\\\n> TWO'],
    ['tables', '| a | b |\n|---|--:|\n| c `d` | **e** |\n', '| A | B |\n|---|--:|\n| C `d` | **E** |\n'],
    ['footnotes', 'one[^1]\n\n[^1]: two\n', 'ONE[^1]\n\n[^1]: TWO\n'],
    ['tags in a line', 'a <b>b</b> c <br> d', 'C <b>B</b> A <br> D', reversed],
    [
      'lines of HTML',
      '<div align="center">\n<b>one</b> &amp; two\n</div>\n\n<script>\nvar a;\n</script>\n',
      '<div align="center">\n<b>ONE</b> &amp; TWO\n</div>\n\n<script>\nvar a;\n</script>\n',
    ],
    ['carriage returns', '# one\r\n\r\ntwo\r\n', '# ONE\r\n\r\nTWO\r\n'],
    ['nothing to translate', '1 + 1\n\n***\n', '1 + 1\n\n***\n'],
    ['what is not changed stays as it was written', 'a \\* b &copy; __c__', 'A * B © __C__'],
    [
      'marks that a model writes',
      'one',
      '\\*x\\* \\[y\\](z) \\<b> \\`c\\`',
      () => [{ text: '*x* [y](z) <b> `c`', sentences: [] }],
    ],
    ['a heading that a model writes', 'one', '\\# x', () => [{ text: '# x', sentences: [] }]],
    ['a list that a model writes', 'one', '1\\. x', () => [{ text: '1. x', sentences: [] }]],
  ])
    test(name, async () => assert.equal(await translated('markdown', source, translate), wanted));

  test('a star beside a letter becomes a tag where it would be text', async () => {
    const translate = async (texts) =>
      texts.map((text) => ({
        text: "l'homme",
        sentences: [
          {
            source: [0, text.length],
            target: [0, 7],
            alignment: {
              sourceWords: [
                [0, 3],
                [4, 7],
              ],
              targetWords: [
                [0, 2],
                [2, 7],
              ],
              weights: { data: Float32Array.of(1, 0, 0, 1) },
              links: [0, 1],
            },
          },
        ],
      }));
    assert.equal(await translated('markdown', '**the** man', translate), "<strong>l'</strong>homme");
    assert.equal(await translated('markdown', 'the _man_', translate), "l'_homme_");
  });

  test('the ranges of blocks lead from text to translation', async () => {
    const source = '# one\n\n- two **three**\n';
    const { text, parts } = await translateDocument(source, 'markdown', upper);
    const pairs = parts.map(({ source: from, target }) => [source.slice(...from), text.slice(...target)]);
    assert.deepEqual(pairs, [
      ['one', 'ONE'],
      ['two **three**', 'TWO **THREE**'],
    ]);
  });

  test('the guides of this package, word by word into themselves', async () => {
    const { readFile, readdir } = await import('node:fs/promises');
    const { fromMarkdown } = await import('mdast-util-from-markdown');
    const { gfmFromMarkdown } = await import('mdast-util-gfm');
    const { gfm } = await import('micromark-extension-gfm');
    const folder = new URL('../../web/docs/', import.meta.url);
    const shapeOf = (text) => {
      const parsed = fromMarkdown(text.replace(/^---\n[\s\S]*?\n---\n/, ''), {
        extensions: [gfm()],
        mdastExtensions: [gfmFromMarkdown()],
      });
      const shape = ({ type, children = [], value, url }) => [
        type,
        url ?? null,
        type === 'text' ? value.replace(/\s+/g, ' ') : (value ?? null),
        ...children.map(shape),
      ];
      return JSON.stringify(shape(parsed));
    };
    for (const name of await readdir(folder)) {
      const source = await readFile(new URL(name, folder), 'utf8');
      assert.equal(shapeOf(await translated('markdown', source, same)), shapeOf(source), name);
    }
  });
});

const srt = (...texts) =>
  texts.map((text, i) => `${i + 1}\n00:00:0${i},000 --> 00:00:0${i},900\n${text}\n`).join('\n');

describe('subtitles', () => {
  for (const [name, source, wanted, translate = upper] of [
    ['cues', ['one.', 'two.'], ['ONE.', 'TWO.']],
    ['two lines stay two', ['one two\nthree four.'], ['ONE TWO\nTHREE FOUR.']],
    ['speakers', ['- one?\n- two.'], ['- ONE?\n- TWO.']],
    ['speakers in tags', ['<i>- one?</i>\n- two.'], ['<i>- ONE?</i>\n- TWO.']],
    ['tags and places', ['{\\an8}<i>one</i> two.'], ['{\\an8}<i>ONE</i> TWO.']],
    [
      'a sentence in several cues',
      ['one two three', 'four five.', 'Six.'],
      ['FIVE FOUR THREE', 'TWO ONE.', 'SIX.'],
      wordByWord((w) => w.toUpperCase(), { isReversed: true }),
    ],
    ['what looks like a mark', ['one.'], ['< b>x-- >'], () => [{ text: '<b>x-->', sentences: [] }]],
  ])
    test(`SubRip: ${name}`, async () => {
      const text = await translated('srt', srt(...source), translate);
      if (name.startsWith('a sentence')) {
        assert.deepEqual(text.match(/.*-->.*/g), srt(...source).match(/.*-->.*/g));
        const words = text
          .split('\n')
          .filter((line) => /^[A-Z. ]+$/.test(line))
          .join(' ')
          .match(/[A-Z]+/g);
        assert.deepEqual(words, ['FIVE', 'FOUR', 'THREE', 'TWO', 'ONE', 'SIX']);
        assert.equal(text.split('\n').filter((line) => /^[A-Z. ]+$/.test(line)).length, 3);
      } else assert.equal(text, srt(...wanted));
    });

  test('WebVTT: times, settings, notes, styles and voices', async () => {
    const source =
      'WEBVTT - title\r\n\r\nNOTE\r\nnot this\r\n\r\nSTYLE\r\n::cue { color: red }\r\n\r\nfirst\r\n00:01.000 --> 00:02.000 line:0\r\n<v Bob Smith>one &amp; <c.red>two</c>.\r\n\r\n00:03.000 --> 00:04.000\r\nthree\r\n';
    const wanted = source.replace('>one', '>ONE').replace('>two<', '>TWO<').replace('\r\nthree', '\r\nTHREE');
    assert.equal(await translated('vtt', source), wanted);
  });

  test('times are never text, even without an empty line before them', async () => {
    const glued =
      '1\n00:01,000 --> 00:02,000\none.\n2\n00:03,000-->00:04,000\ntwo 2\n00:05,000 --> 00:06,000\n\n00:07,0 --> 00:08,0\n7\n';
    const wanted = glued.replace('one', 'ONE').replace('two', 'TWO');
    assert.equal(await translated('srt', glued), wanted);
    assert.equal(await translated('vtt', `WEBVTT\n\n${glued}`), `WEBVTT\n\n${wanted}`);
  });

  test('SubRip: nothing that is written is left out', async () => {
    const source =
      '\ufeffone.\n\nSCENE\n00:01,000 --> 00:02,000\ntwo.\n\n\nthree,\nfour.\n\n2\n00:03,000 --> 00:04,000\n\n\nfive.';
    const wanted = source.replace(/one|two|three|four|five/g, (word) => word.toUpperCase());
    assert.equal(await translated('srt', source), wanted);
    assert.equal(await translated('srt', 'no times at all\n'), 'NO TIMES AT ALL\n');
  });

  test('WebVTT: classes and languages are within the sentence', async () => {
    const source = 'WEBVTT\n\n00:01.000 --> 00:02.000\n<c.red.big>one</c> two <lang en>three</lang> four.\n';
    const asked = [];
    await translated('vtt', source, (texts, alignment) => {
      asked.push(...texts);
      return upper(texts, alignment);
    });
    assert.deepEqual(asked, ['one two three four.']);
  });

  test('ranges are those of the cues', async () => {
    const source = srt('one.', 'two.');
    const { text, parts } = await translateDocument(source, 'srt', upper);
    assert.deepEqual(
      parts.map(({ source: from, target }) => [source.slice(...from), text.slice(...target)]),
      [
        ['one.', 'ONE.'],
        ['two.', 'TWO.'],
      ],
    );
  });
});

test('subtitles: several speakers, line breaks by marks, references to characters', async () => {
  const cue = (text) => `1\n00:00:01,000 --> 00:00:02,000\n${text}\n`;
  for (const [source, wanted] of [
    ['ANN: One two three four five.\nBOB: Six.', 'ANN: ONE TWO THREE FOUR FIVE.\nBOB: SIX.'],
    ['>> One two three.\n>> Four.', '>> ONE TWO THREE.\n>> FOUR.'],
    ['One\\Ntwo', 'ONE\\NTWO'],
    ['one &amp; two &lt;three&gt;', 'ONE &amp; TWO &lt;THREE&gt;'],
  ]) {
    assert.equal(await translated('srt', cue(source)), cue(wanted));
    assert.equal(await translated('srt', cue(source), same), cue(source));
  }
});

test('plain text in pieces: every sentence once, ranges of the whole', async () => {
  const source = Array.from({ length: 200 }, (_, i) => `The line number ${i} has some words.`).join(
    '\r\n\r\n',
  );
  let pieces = 0;
  const counting = (texts, alignment) => {
    pieces += texts.length;
    return upper(texts, alignment);
  };
  const { text, parts } = await translateDocument(source, 'text', counting);
  assert.equal(text, source.toUpperCase());
  assert.ok(pieces > 2);
  assert.equal(parts.length, 200);
  for (const { source: from, target } of parts) assert.deepEqual(from, target);
  const prefixed = `>>fra<< ${source}`;
  pieces = 0;
  await translateDocument(prefixed, 'text', counting);
  assert.equal(pieces, 1);
});

test('the public function: with anything that translates, and bad arguments', async () => {
  const model = { translate: (texts, { alignment }) => upper(texts, alignment) };
  const { text } = await translate(model, '# one', { kind: 'markdown' });
  assert.equal(text, '# ONE');
  const html = await translate(model, '<p title="a">b</p>', { kind: 'html', attributes: ['title'] });
  assert.equal(html.text, '<p title="A">B</p>');
  assert.deepEqual(
    html.parts.map(({ target }) => html.text.slice(...target)),
    ['A', 'B'],
  );
  assert.deepEqual(html.untranslated, []);
  for (const [args, message] of [
    [[{}, 'a', { kind: 'text' }], /takes a model/],
    [[model, 5, { kind: 'text' }], /must be a string/],
    [[model, 'a', { kind: 'pdf' }], /kind must be one of text, markdown, .*, got 'pdf'/],
    [[model, 'a', {}], /kind must be one of/],
    [[model, 'a'], /kind must be one of/],
  ])
    await assert.rejects(translate(...args), { code: 'invalid_argument', message });
});

describe('hostile documents', () => {
  /** The letters that are given to the model: each is asked for once at most. */
  const lettersOf = async (kind, source) => {
    let letters = 0;
    const counting = (texts, ...rest) => {
      for (const text of texts) letters += text.length;
      return same(texts, ...rest);
    };
    await translated(kind, source, counting).catch((error) => {
      assert.equal(error.name, 'TransformerError', String(error));
    });
    return letters;
  };

  const cue = '00:00 --> 00:01\n';
  const subtitles = [
    (n) => '1 --> 2\n'.repeat(n),
    (n) => cue + '<'.repeat(10 * n),
    (n) => cue + '<i>a'.repeat(n),
    (n) => cue + '{a'.repeat(4 * n),
    (n) => '9'.repeat(20 * n),
    (n) => ' \n'.repeat(20 * n),
  ];
  const sources = {
    markdown: [
      (n) => `${'>'.repeat(n)} a`,
      (n) => `${'- '.repeat(n / 4)}a`,
      (n) => `${'*_'.repeat(n)}a${'_*'.repeat(n)}`,
      (n) => '['.repeat(n),
      (n) => '<b>'.repeat(n),
      (n) => '<b>a '.repeat(n) + '</b>'.repeat(n),
      (n) => '|a'.repeat(n),
      (n) => `a ${'`'.repeat(n)}`,
      (n) => '&'.repeat(n),
      (n) => `---\n${'a: b\n'.repeat(n)}`,
    ],
    srt: subtitles,
    vtt: subtitles,
    text: [(n) => 'a\n'.repeat(n)],
  };
  for (const [kind, all] of Object.entries(sources))
    for (const [i, sourceOf] of all.entries())
      test(`${kind} ${i + 1}: ${JSON.stringify(sourceOf(4).slice(0, 20))}, thousands of times`, async () => {
        const source = sourceOf(5000);
        const letters = await lettersOf(kind, source);
        assert.ok(letters <= source.length, `${letters} of ${source.length}`);
      });

  test('long lines stay as they are', async () => {
    assert.equal((await translated('text', 'a\n'.repeat(100_000), same)).length, 200_000);
  });
});
