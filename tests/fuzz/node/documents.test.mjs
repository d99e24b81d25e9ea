// Documents of every kind, of pieces that mean something in it: a translator that changes nothing gives back the same bytes,
// one that writes capitals keeps the skeleton, what cannot be read is refused with a type, and no letter is asked for twice.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { translateDocument } from '../../../build/modules/documents/translate_document.js';
import { settings } from './settings.mjs';

const pieces = {
  markdown: [
    'a',
    'The cat',
    ' ',
    '\n',
    '\n\n',
    '\r\n',
    '# ',
    '- ',
    '1. ',
    '> ',
    '    ',
    '*',
    '**',
    '_',
    '~~',
    '`',
    '```\n',
    '[',
    ']',
    '(x)',
    '[^1]',
    ']: /u',
    '![',
    '<b>',
    '</b>',
    '<div>\n',
    '</div>',
    '<!-- ',
    '-->',
    '&amp;',
    '\\',
    '|',
    '|-|-|\n',
    '$',
    '$$\n',
    ':::tip\n',
    '{#id}',
    '{{ x }}',
    '{% if %}',
    '[[w]]',
    ':smile:',
    'https://a.b/c',
    '[!NOTE]',
    '---\n',
    '\ufeff',
    '😀',
  ],
  html: [
    'a',
    'The cat',
    ' ',
    '\n',
    '<p>',
    '</p>',
    '<b>',
    '</b>',
    '<a href="x">',
    '</a>',
    '<br>',
    '<img alt="a">',
    '<code>',
    '</code>',
    '<pre>',
    '</pre>',
    '<script>',
    '</script>',
    '<textarea>',
    '</textarea>',
    '<svg>',
    '</svg>',
    '<p translate=no>',
    '<li>',
    '<!--',
    '-->',
    '<?php',
    '?>',
    '{{ x }}',
    '{%',
    '%}',
    '&lt;',
    '&',
    '<',
    '>',
    '"',
    '<html>',
    '<title>',
    '\ufeff',
    '\0',
    '😀',
  ],
  vtt: [
    'WEBVTT\n\n',
    '00:01.000 --> 00:02.000\n',
    'a b',
    '\n',
    '\n\n',
    '\r\n',
    '<v Ann>',
    '</v>',
    '<c.red>',
    '</c>',
    '- ',
    '&nbsp;',
    '<',
    '{',
    '}',
    'NOTE\n',
  ],
  srt: [
    '1\n',
    '00:00:01,000 --> 00:00:02,000\n',
    'a b',
    '\n',
    '\n\n',
    '\r\n',
    '<i>',
    '</i>',
    '{\\an8}',
    '- ',
    '<',
    '-->',
    '\ufeff',
  ],
  json: [
    '{',
    '}',
    '[',
    ']',
    '"a"',
    ':',
    ',',
    '"The {n} cat"',
    '1',
    'null',
    '\n',
    '"{n, plural, one {# a} other {b}}"',
    '"\\u0041"',
    '//c\n',
    '"',
  ],
  yaml: [
    'a: ',
    'b c\n',
    '- ',
    '\n',
    '  ',
    '"q"',
    "'s'",
    '|\n',
    '>-\n',
    '#c\n',
    '{',
    '}',
    '[',
    ']',
    '&a ',
    '*a',
    '---\n',
    ': ',
    '\t',
  ],
  po: [
    'msgid "a"\n',
    'msgstr ""\n',
    'msgstr "b"\n',
    'msgid_plural "c %d"\n',
    'msgstr[0] ""\n',
    'msgstr[1] ""\n',
    '"more"\n',
    '# c\n',
    '\n',
    '"',
  ],
  xliff: [
    '<xliff>',
    '</xliff>',
    '<trans-unit id="1">',
    '</trans-unit>',
    '<source>',
    '</source>',
    '<target>',
    '</target>',
    '<target/>',
    'a b',
    '<g id="1">',
    '</g>',
    '<x/>',
    '&amp;',
    '\n',
  ],
  strings: ['"a"', ' = ', '"b c"', ';', '\n', '/* c */', '// d\n', 'key', '"\\n"', '"'],
  android: [
    '<resources>',
    '</resources>',
    '<string name="a">',
    '</string>',
    'a b',
    '%1$s',
    "\\'",
    '&amp;',
    '<b>',
    '</b>',
    '<xliff:g>',
    '</xliff:g>',
    '<plurals>',
    '<item>',
    '</item>',
    '\n',
    '<![CDATA[',
  ],
  properties: ['a', '=', 'b c', '\n', '\\\n', '#', '\\u00e9', ' ', ':', '{0}', '\r\n', '\\'],
};

/** Answers with `write(text)`, and counts what is asked for. */
function answering(write) {
  const asked = { letters: 0 };
  const translate = async (texts) =>
    texts.map((text) => {
      asked.letters += text.length;
      const range = [0, text.length];
      const alignment = {
        sourceWords: [range],
        targetWords: [[0, write(text).length]],
        weights: { data: [1] },
        links: [0],
      };
      return {
        text: write(text),
        sentences: [{ source: range, target: [0, write(text).length], alignment }],
      };
    });
  return { asked, translate };
}

async function attempt(source, kind, write) {
  const { asked, translate } = answering(write);
  try {
    const { text, parts } = await translateDocument(source, kind, translate);
    return { text, parts, asked };
  } catch (error) {
    assert.equal(error.name, 'TransformerError', error.stack);
    return null;
  }
}

for (const [kind, own] of Object.entries(pieces))
  test(`documents: ${kind}`, async () => {
    const source = fc.array(fc.oneof(fc.constantFrom(...own), fc.string({ maxLength: 4 })), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(source, async (parts) => {
        const text = parts.join('');
        const same = await attempt(text, kind, (one) => one);
        // Where a target is missing, one is filled in.
        if (same && !['po', 'xliff'].includes(kind)) assert.equal(same.text, text);
        if (same) assert.ok(same.asked.letters <= 2 * text.length, `${same.asked.letters} of ${text.length}`);
        const upper = await attempt(text, kind, (one) => one.toUpperCase());
        assert.equal(upper === null, same === null);
        for (const { source: from, target } of upper?.parts ?? []) {
          assert.ok(from[0] <= from[1] && from[1] <= text.length);
          assert.ok(target[0] <= target[1] && target[1] <= upper.text.length);
        }
      }),
      settings(60),
    );
  });
