/** YAML of Rails and others: the strings that are values are translated, each written as it was. */

import type { Block, Pause, Reading } from '../markup/blocks.js';
import { parserFor, refuseAt, valueBlock } from './values.js';
import type { YamlString } from './yaml_parser.js';

/** Nesting beyond this is no file of texts; the parser recurses. */
const deepest = 200;

export async function readYaml(source: string, pause: Pause): Promise<Reading> {
  const refuse = (place: number, reason: string) => refuseAt(source, place, 'YAML', reason);
  const [deep] =
    new RegExp(`[[{]{${deepest}}|(?:- ){${deepest}}|^ {${4 * deepest}}\\S`, 'm').exec(source) ?? [];
  if (deep !== undefined) refuse(source.indexOf(deep), `nested more than ${deepest} deep`);
  const { stringsIn } = await import('./yaml_parser.js');
  const parse = await parserFor(source);
  const blocks: Block[] = [];
  for (const one of await stringsIn(source, refuse, pause)) {
    const { begin, end, text, style } = one;
    // What other versions of YAML read as yes or no.
    if (style === 'plain' && /^(?:y|n|yes|no|on|off)$/.test(text)) continue;
    const encode = (text: string) => written(text, one, source.slice(begin, end));
    blocks.push(valueBlock({ span: [begin, end], text, encode, hasLines: style === 'literal' }, parse));
    await pause();
  }
  return { blocks };
}

const isPlain = (text: string) =>
  /^[^\s\-?:,[\]{}#&*!|>'"%@`~=<][^\n,[\]{}]*$/.test(text) &&
  !/: |:$| #|\s$/.test(text) &&
  !/^(?:true|false|yes|no|on|off|null|[\d.+-][\d.e+-]*)$/i.test(text);

function written(text: string, { style }: YamlString, raw: string): string {
  if (style === 'plain' && isPlain(text)) return text;
  if (style === 'single' && !text.includes('\n')) return `'${text.replaceAll("'", "''")}'`;
  if (style !== 'literal' && style !== 'folded') return JSON.stringify(text);
  // In a folded text, lines that are indented further stay as they are.
  if (style === 'folded' && /(?:^|\n)[ \t]/.test(text)) return JSON.stringify(text);
  const [head = '', ...lines] = raw.split('\n');
  const indent = /^\s*/.exec(lines.find((line) => line.trim() !== '') ?? '  ')?.[0] ?? '  ';
  const end = /\s*$/.exec(raw)?.[0] ?? '';
  const own = text.trim();
  // One line break more than in the text: a single one is a space.
  const folded = style === 'folded' ? own.replace(/\n+/g, '\n$&') : own;
  return `${head}\n${folded.replace(/^(?=.)/gm, indent)}${end}`;
}
