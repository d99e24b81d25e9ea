// Files of texts: the values are translated; keys, comments, placeholders and what is translated already stay.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindOf } from '../../build/modules/documents/document.js';
import { translateDocument } from '../../build/modules/documents/translate_document.js';
import { wordByWord } from '../lib/markup.mjs';

const upper = wordByWord((word) => word.toUpperCase());
const same = wordByWord((word) => word);

for (const [name, kind, source, wanted] of [
  [
    'i18next: nested keys, arrays, other values',
    'json',
    '{\n  "a": { "b": "The cat is {{name}}", "c": ["one", 2, true] }\n}\n',
    '{\n  "a": { "b": "THE CAT IS {{name}}", "c": ["ONE", 2, true] }\n}\n',
  ],
  [
    'ICU messages: each form of a plural',
    'json',
    '{"n":"I have {count, plural, one {# cat} other {# big {kind}}} now"}',
    '{"n":"I HAVE {count, plural, one {# CAT} other {# BIG {kind}}} NOW"}',
  ],
  ['vue-i18n: the forms of a plural', 'json', '{"v":"no car | {n} cars"}', '{"v":"NO CAR | {n} CARS"}'],
  ['tags and escapes', 'json', '{"t":"see <b>this</b> \\"q\\""}', '{"t":"SEE <b>THIS</b> \\"Q\\""}'],
  [
    'a browser extension',
    'json',
    '{"hello":{"message":"Hello $name$","description":"no"}}',
    '{"hello":{"message":"HELLO $name$","description":"no"}}',
  ],
  [
    'ARB',
    'arb',
    '{"@@locale":"en","a":"Hello {n}","@a":{"description":"no"}}',
    '{"@@locale":"en","a":"HELLO {n}","@a":{"description":"no"}}',
  ],
  [
    'YAML: each string in its own style',
    'yaml',
    'en:\n  a: Hello cat  # note\n  b: "it is \\"x\\""\n  c: \'don\'\'t go\'\n  d: |\n    one\n    two\n  e: >-\n    some\n    text\n  n: 5\n  f: [a b, "c"]\n',
    'en:\n  a: HELLO CAT  # note\n  b: "IT IS \\"X\\""\n  c: \'DON\'\'T GO\'\n  d: |\n    ONE\n    TWO\n  e: >-\n    SOME TEXT\n  n: 5\n  f: [A B, "C"]\n',
  ],
  [
    'PO: empty translations alone, plurals, strings in several lines',
    'po',
    '# c\nmsgid ""\nmsgstr ""\n"Language: fr\\n"\n\nmsgid "Hello %s\\n"\nmsgstr ""\n\nmsgid "done"\nmsgstr "fait"\n\nmsgid "one"\nmsgid_plural "%d cats"\nmsgstr[0] ""\nmsgstr[1] ""\n\nmsgid ""\n"long "\n"text"\nmsgstr ""\n',
    '# c\nmsgid ""\nmsgstr ""\n"Language: fr\\n"\n\nmsgid "Hello %s\\n"\nmsgstr "HELLO %s\\n"\n\nmsgid "done"\nmsgstr "fait"\n\nmsgid "one"\nmsgid_plural "%d cats"\nmsgstr[0] "ONE"\nmsgstr[1] "%d CATS"\n\nmsgid ""\n"long "\n"text"\nmsgstr "LONG TEXT"\n',
  ],
  [
    'XLIFF 1.2: what has no target, inline codes',
    'xliff',
    '<xliff version="1.2">\n <trans-unit id="1">\n  <source>Hello <g id="1">big</g> <x id="2"/> cat</source>\n </trans-unit>\n <trans-unit id="2"><source>two</source><target>deux</target></trans-unit><trans-unit id="3"><source>three</source><target state="new"/></trans-unit><trans-unit id="4" translate="no"><source>four</source></trans-unit></xliff>',
    '<xliff version="1.2">\n <trans-unit id="1">\n  <source>Hello <g id="1">big</g> <x id="2"/> cat</source>\n  <target>HELLO <g id="1">BIG</g> <x id="2"/> CAT</target>\n </trans-unit>\n <trans-unit id="2"><source>two</source><target>deux</target></trans-unit><trans-unit id="3"><source>three</source><target state="new">THREE</target></trans-unit><trans-unit id="4" translate="no"><source>four</source></trans-unit></xliff>',
  ],
  [
    'XLIFF 2',
    'xliff',
    '<xliff version="2.0"><unit id="1"><segment><source>one <ph id="1"/> two</source></segment></unit></xliff>',
    '<xliff version="2.0"><unit id="1"><segment><source>one <ph id="1"/> two</source><target>ONE <ph id="1"/> TWO</target></segment></unit></xliff>',
  ],
  [
    '.strings',
    'strings',
    '/* c */\n"a" = "Hello %@ \\"x\\"";\nkey = "two"; // d\n',
    '/* c */\n"a" = "HELLO %@ \\"X\\"";\nkey = "TWO"; // d\n',
  ],
  [
    "Android's resources",
    'android',
    '<resources>\n  <string name="a">Don\\\'t go %1$s &amp; <b>now</b></string>\n  <string name="b" translatable="false">no</string>\n  <plurals name="p"><item quantity="one">one cat</item></plurals>\n  <string name="x">see <xliff:g id="n">Bob</xliff:g> run</string>\n</resources>\n',
    '<resources>\n  <string name="a">DON\\\'T GO %1$s &amp; <b>NOW</b></string>\n  <string name="b" translatable="false">no</string>\n  <plurals name="p"><item quantity="one">ONE CAT</item></plurals>\n  <string name="x">SEE <xliff:g id="n">Bob</xliff:g> RUN</string>\n</resources>\n',
  ],
  [
    '.properties: continued lines, escapes',
    'properties',
    '# c\na = Hello {0}\nb=long \\\n   text here\nc: caf\\u00e9\n! x\nd\n',
    '# c\na = HELLO {0}\nb=LONG TEXT HERE\nc: CAF\\u00c9\n! x\nd\n',
  ],
  [
    'JSON: messages with tags in them, letters by their codes, names after a colon',
    'json',
    '{"a":"{n, plural, one {a <a href=\\"x\\">cat</a>} other {b}}","b":"caf\\u00e9 :name"}',
    '{"a":"{n, plural, one {A <a href=\\"x\\">CAT</a>} other {B}}","b":"CAF\\u00c9 :name"}',
  ],
  [
    'YAML: line breaks of folded texts, what may be read as yes',
    'yaml',
    'a: >-\n  one\n\n\n  two\nb: yes\n',
    'a: >-\n  ONE\n\n\n  TWO\nb: yes\n',
  ],
  ['PO: a domain', 'po', 'domain "x"\nmsgid "a"\nmsgstr ""\n', 'domain "x"\nmsgid "a"\nmsgstr "A"\n'],
  [
    '.strings: values without quotation marks, keys alone, variables of plurals',
    'strings',
    '"a" = "%#@cats@ run";\n"b";\n',
    '"a" = "%#@cats@ RUN";\n"b";\n',
  ],
  [
    'XLIFF: codes, placeholders, messages, targets that are copies, segmented sources',
    'xliff',
    '<xliff><trans-unit id="1"><source>a <ph id="1">b</ph> <bpt id="2">&lt;i></bpt>{n} %d<ept id="2">&lt;/i></ept></source></trans-unit><trans-unit id="2"><source>{n, plural, one {a <x id="X"/> cat} other {b}}</source><target state="new">{n, plural, one {a <x id="X"/> cat} other {b}}</target></trans-unit><trans-unit id="3"><source>a</source><seg-source><mrk mid="0">a</mrk></seg-source></trans-unit><trans-unit id="4"><source>a <mrk translate="no">b</mrk></source></trans-unit></xliff>',
    '<xliff><trans-unit id="1"><source>a <ph id="1">b</ph> <bpt id="2">&lt;i></bpt>{n} %d<ept id="2">&lt;/i></ept></source><target>A <ph id="1">b</ph> <bpt id="2">&lt;i&gt;</bpt>{n} %d<ept id="2">&lt;/i&gt;</ept></target></trans-unit><trans-unit id="2"><source>{n, plural, one {a <x id="X"/> cat} other {b}}</source><target state="new">{n, plural, one {A <x id="X"/> CAT} other {B}}</target></trans-unit><trans-unit id="3"><source>a</source><seg-source><mrk mid="0">a</mrk></seg-source><target>A</target></trans-unit><trans-unit id="4"><source>a <mrk translate="no">b</mrk></source><target>A <mrk translate="no">b</mrk></target></trans-unit></xliff>',
  ],
  [
    'XLIFF: a file that is not to be translated',
    'xliff',
    ...Array(2).fill(
      '<xliff><file translate="no"><unit><segment><source>a</source></segment></unit></file></xliff>',
    ),
  ],
  [
    'Android: quotation marks, white space, escaped tags, CDATA, items of styles',
    'android',
    '<resources>\n  <string name="a">"it\'s  one"</string>\n  <string name="b">\n    one\n    two\n  </string>\n  <string name="c">&lt;b&gt;one&lt;/b&gt;\\u0020</string>\n  <string name="d"><![CDATA[<b>one</b>]]></string>\n  <style name="e"><item name="f">red</item></style>\n</resources>\n',
    '<resources>\n  <string name="a">"IT\'S  ONE"</string>\n  <string name="b">\n    ONE TWO\n  </string>\n  <string name="c">&lt;b&gt;ONE&lt;/b&gt;\\u0020</string>\n  <string name="d"><![CDATA[<b>ONE</b>]]></string>\n  <style name="e"><item name="f">red</item></style>\n</resources>\n',
  ],
])
  test(name, async () => {
    const { text, untranslated } = await translateDocument(source, kind, upper);
    assert.equal(text, wanted);
    assert.deepEqual(untranslated, []);
    // Where a target is filled in, an equal translation is one, too.
    if (kind !== 'xliff') assert.equal((await translateDocument(source, kind, same)).text, source);
  });

for (const [kind, source, place] of [
  ['json', '{\n  "a": "b",\n  "c" "d"\n}', /JSON.*\(line 3, column 7\)/],
  ['json', '['.repeat(100_000), /nested more than 500 deep/],
  ['yaml', 'a: b\nc: [d\n', /YAML.*\(line \d+, column \d+\)/],
  ['yaml', '['.repeat(100_000), /nested more than 200 deep/],
  ['po', 'msgid "a"\nmsgstr "b\n', /PO.*\(line 2, column 1\)/],
  ['xliff', '<html></html>', /no element xliff/],
  ['strings', '"a" = "b"\n"c" = "d";', /\.strings.*\(line 1, column 1\)/],
])
  test(`refused with its place: ${kind} ${source.slice(0, 20)}`, async () => {
    await assert.rejects(translateDocument(source, kind, upper), {
      code: 'invalid_argument',
      message: place,
    });
  });

test('a translation that would break the file is given back as it was, and listed', async () => {
  const evil = async (texts) => texts.map((text) => ({ text: `${text}\n\n# x\n\n- y`, sentences: [] }));
  const source = 'one\n\n| a | b |\n|---|---|\n| c | d |\n';
  const { text, untranslated } = await translateDocument(source, 'markdown', evil);
  assert.equal(text, source);
  assert.equal(untranslated.length, 5);
});

test('kinds by name', () => {
  const names = [
    'a.json',
    'app_en.arb',
    'en.yml',
    'fr.po',
    'a.xlf',
    'x/values/strings.xml',
    'a.properties',
    'a.xml',
  ];
  assert.deepEqual(names.map(kindOf), [
    'json',
    'arb',
    'yaml',
    'po',
    'xliff',
    'android',
    'properties',
    undefined,
  ]);
});
