// Readers of documents of any length: they pause throughout, so that an abort is heard wherever it comes, and no repeated mark makes
// them read a text again and again.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readJson } from '../../build/modules/documents/json.js';
import { readMarkdown } from '../../build/modules/documents/markdown.js';
import { readProperties, readStrings } from '../../build/modules/documents/pairs.js';
import { readPo } from '../../build/modules/documents/po.js';
import { readSubtitles } from '../../build/modules/documents/subtitles.js';
import { readAndroid, readXliff } from '../../build/modules/documents/xml.js';
import { readYaml } from '../../build/modules/documents/yaml.js';
import { readHtml } from '../../build/modules/markup/html_blocks.js';

const many = (count, unit) => Array.from({ length: count }, (_, i) => unit.replaceAll('%', i)).join('');
const cue = (times) => `%\n${times}\nSome words here.\n\n`;

const kinds = {
  markdown: [readMarkdown(), (count) => many(count, 'Some *words* here.\n\n')],
  html: [
    (text, pause) => readHtml(text, {}, pause),
    (count) => many(count, '<p>Some <b>words</b> here.</p>\n'),
  ],
  json: [readJson('json'), (count) => `{${many(count, '"k%": "Some words",\n')}"a": 1}`],
  yaml: [readYaml, (count) => many(count, 'k%: "Some words"\n')],
  po: [readPo, (count) => many(count, 'msgid "Some words %"\nmsgstr ""\n\n')],
  strings: [readStrings, (count) => many(count, '"k%" = "Some words";\n')],
  properties: [readProperties, (count) => many(count, 'k%=Some words\n')],
  srt: [readSubtitles('srt'), (count) => many(count, cue('00:00:01,000 --> 00:00:02,000'))],
  vtt: [readSubtitles('vtt'), (count) => `WEBVTT\n\n${many(count, cue('00:01.000 --> 00:02.000'))}`],
  android: [
    readAndroid,
    (count) => `<resources>${many(count, '<string name="k%">Some words</string>\n')}</resources>`,
  ],
  xliff: [
    readXliff,
    (count) =>
      `<xliff version="1.2"><file target-language="fr"><body>${many(count, '<trans-unit id="%"><source>Some words</source></trans-unit>\n')}</body></file></xliff>`,
  ],
};

describe('a reader', () => {
  for (const [kind, [read, textOf]] of Object.entries(kinds)) {
    const looks = async (count) => {
      let pauses = 0;
      await read(textOf(count), () => void pauses++);
      return pauses;
    };

    test(`of ${kind} looks for an abort throughout: twice as often in twice the text`, async () => {
      const [once, twice] = [await looks(500), await looks(1000)];
      assert.ok(once >= 400, `${once} looks`);
      assert.ok(twice > 1.8 * once && twice < 2.2 * once, `${twice} looks after ${once}`);
    });

    test(`of ${kind} ends at each of its looks with the reason`, async () => {
      const reason = new Error('enough');
      const all = await looks(20);
      for (let last = 0; last < all; last++) {
        let pauses = 0;
        const pause = () => {
          if (pauses++ === last) throw reason;
          assert.ok(pauses <= last + 1, 'it went on');
        };
        await assert.rejects(async () => read(textOf(20), pause), reason);
      }
    });
  }
});

// Each takes milliseconds, and took minutes where a text is read again for each mark.
const soon = { timeout: 20_000 };

test('a JSON string without an end', soon, async () => {
  const text = `{"a": "${'\\"'.repeat(200_000)}`;
  await assert.rejects(async () => readJson('json')(text, () => undefined), { code: 'invalid_argument' });
});

test('a YAML map of 60,000 keys, and one that has a key twice', soon, async () => {
  const text = many(60_000, 'k%: word\n');
  const { blocks } = await readYaml(text, () => undefined);
  assert.equal(blocks.length, 60_000);
  await assert.rejects(
    readYaml(`${text}k3: again\n`, () => undefined),
    { code: 'invalid_argument', message: /Map keys must be unique/ },
  );
  await assert.rejects(
    readYaml('a:\n  b: 1\n  b: 2\n', () => undefined),
    { message: /unique \(line 3/ },
  );
});
