// The guides that quote messages of errors, and name families: both are as in the sources.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const root = new URL('../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');
const guide = (name) => read(`web/docs/${name}.md`);

/** The sources with every text in one piece, without what concatenates and escapes it. */
const sources = ['bindings', 'src']
  .flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true })
      .filter((name) => /\.(ts|cpp|h)$/.test(name))
      .map((name) => read(`${folder}/${name}`)),
  )
  .join('\n')
  .replaceAll(/['"`]\s*\+\s*['"`]/g, '')
  .replaceAll("\\'", "'")
  .replaceAll('`', "'");

/** The parts of a quoted message between its ellipses. */
const partsOf = (message) =>
  message
    .split('…')
    .map((part) => part.trim())
    .filter((part) => part.length > 3);

const quoted = (text) => [...text.matchAll(/`([^`]+)`/g)].map(([, message]) => message);

test('each message of the guide to troubleshooting is one of the sources', () => {
  const items = [...guide('troubleshooting').matchAll(/^- (`.*?)(?=\n- |\n\n)/gms)].map(([, item]) => item);
  // What stands before the colon that ends the quotations.
  const messages = items.flatMap((item) => quoted(item.match(/^(?:`[^`]+`(?:, with |, )?\n?)+/)[0]));
  assert.ok(messages.length > 40, `${messages.length}`);
  const unknown = messages.flatMap(partsOf).filter((part) => !sources.includes(part));
  assert.deepEqual(unknown, []);
});

test('messages that the guide to choosing a model quotes are of the sources', () => {
  const [, table] = guide('choosing').split('## What does not load');
  const messages = [...table.matchAll(/^\|[^|]+\|([^|]+)\|/gm)].flatMap(([, cell]) => quoted(cell));
  const unknown = messages
    .flatMap((message) => message.split(/: (?=model)|\d+/))
    .filter((part) => part !== 'config.json' && !sources.includes(part));
  assert.deepEqual(unknown, []);
});

test('families that are said not to load are none of this package', () => {
  const known = [...sources.matchAll(/modelTypes: \[([^\]]*)\]/g)].flatMap(([, list]) =>
    [...list.matchAll(/'([^']+)'/g)].map(([, name]) => name),
  );
  assert.ok(known.includes('marian') && known.includes('qwen3'), `${known}`);
  const [, line] = guide('choosing').match(/^\| another family: (.*?) \|/m);
  const refused = quoted(line);
  assert.ok(refused.length > 5);
  assert.deepEqual(
    refused.filter((name) => known.includes(name)),
    [],
  );
});
