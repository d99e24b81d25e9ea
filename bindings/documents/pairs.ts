/** Files of keys and values, a pair in a line: Apple's `.strings`, Java's `.properties`. */

import type { Block, Pause, Reading } from '../markup/blocks.js';
import { inAscii, parserFor, refuseAt, valueBlock } from './values.js';

const named: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f' };
const decoded = (raw: string) =>
  raw.replace(/\\(?:[uU]([0-9a-fA-F]{4})|(\r\n?|\n)[ \t]*|([\s\S]))/g, (_, code, line, other) =>
    code ? String.fromCharCode(Number.parseInt(code, 16)) : line ? '' : (named[other] ?? other),
  );

export async function readStrings(source: string, pause: Pause): Promise<Reading> {
  const pair =
    /\s+|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/|(?:"(?:[^"\\]|\\[\s\S])*"|[\w./-]+)\s*(?:=\s*("(?:[^"\\]|\\[\s\S])*"|[\w./-]+)\s*)?;/y;
  const blocks: Block[] = [];
  const parse = await parserFor(source);
  while (pair.lastIndex < source.length) {
    await pause();
    const begin = pair.lastIndex;
    const [whole, value] =
      pair.exec(source) ?? refuseAt(source, begin, '.strings', 'no "key" = "value"; here');
    // A key alone is its own value.
    if (value === undefined) continue;
    const at = begin + whole.lastIndexOf(value);
    const encode = (text: string) => JSON.stringify(text).replace(/\\[bf]/g, '');
    blocks.push(
      valueBlock(
        { span: [at, at + value.length], text: decoded(value.replace(/^"|"$/g, '')), encode },
        parse,
      ),
    );
  }
  return { blocks };
}

export async function readProperties(source: string, pause: Pause): Promise<Reading> {
  const line =
    /^[ \t\f]*(?![#!\s])(?:[^\\\s=:]|\\[\s\S])+(?:[ \t\f]*[=:]|[ \t\f])[ \t\f]*((?:[^\\\r\n]|\\(?:\r\n|[\s\S]))+)/gm;
  const parse = await parserFor(source);
  const isAscii = /\\u[0-9a-fA-F]{4}/.test(source) || !/[^\0-\x7f]/.test(source);
  const encode = (text: string) => {
    const escaped = text
      .replaceAll('\\', '\\\\')
      .replace(/\n/g, '\\n')
      .replace(/\r/g, '\\r')
      .replace(/^ /, '\\ ');
    return isAscii ? inAscii(escaped) : escaped;
  };
  const blocks: Block[] = [];
  for (const { 0: whole, 1: value = '', index } of source.matchAll(line)) {
    const [begin, end] = [index + whole.length - value.length, index + whole.length];
    blocks.push(valueBlock({ span: [begin, end], text: decoded(value), encode }, parse));
    await pause();
  }
  return { blocks };
}
