/** Gettext's PO: what has no translation yet gets one. */

import type { Block, Mark, Pause, Reading } from '../markup/blocks.js';
import type { Span } from '../tokenizers/aligned_text.js';
import { refuseAt, valueBlock } from './values.js';

interface Entry {
  readonly begin: number;
  readonly texts: Map<string, { span: Span; text: string }>;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
const decoded = (raw: string) => raw.replace(/\\(.)/g, (_, character) => escapes[character] ?? character);
const encoded = (text: string) => `"${JSON.stringify(text).slice(1, -1)}"`;

export async function readPo(source: string, pause: Pause): Promise<Reading> {
  const entries = await entriesOf(source, pause);
  const blocks: Block[] = [];
  const marks: Mark[] = [];
  for (const { begin, texts } of entries) {
    await pause();
    const id = texts.get('msgid')?.text ?? '';
    marks.push({ begin, key: `${texts.get('msgctxt')?.text ?? ''}\u0004${id}`, how: 'once' });
    for (const [name, { span, text }] of texts) {
      if (!name.startsWith('msgstr') || text !== '' || id === '') continue;
      const isPlural = /\[[1-9]/.test(name);
      const own = (isPlural ? texts.get('msgid_plural')?.text : undefined) ?? id;
      blocks.push(valueBlock({ span, text: own, encode: encoded }));
    }
  }
  return { blocks, marks };
}

async function entriesOf(source: string, pause: Pause): Promise<Entry[]> {
  const entries: Entry[] = [];
  let name = '';
  for (const { 0: line, index } of source.matchAll(/[^\r\n]+/g)) {
    await pause();
    const [, word = '', quoted] =
      /^\s*(?:(msgctxt|msgid|msgid_plural|msgstr(?:\[\d+\])?)\s*)?("(?:[^"\\]|\\.)*")?\s*$/.exec(line) ?? [];
    if (/^\s*(?:#|$|domain\s)/.test(line)) continue;
    if (quoted === undefined) refuseAt(source, index, 'PO', 'a line is neither a comment nor a string');
    const begin = index + line.indexOf('"');
    const isNew = word === 'msgctxt' || (word === 'msgid' && name !== 'msgctxt');
    if (isNew) entries.push({ begin: index, texts: new Map() });
    const texts = entries.at(-1)?.texts;
    if (!texts || (word === '' && name === '')) refuseAt(source, index, 'PO', 'a string has no name');
    const text = decoded(quoted.slice(1, -1));
    const before = word === '' ? texts.get(name) : undefined;
    name = word || name;
    texts.set(name, {
      span: [before?.span[0] ?? begin, begin + quoted.length],
      text: (before?.text ?? '') + text,
    });
  }
  return entries;
}
