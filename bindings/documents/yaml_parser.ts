/** YAML by the package `yaml`, which tells where each scalar stands. The build bundles it into this file. */

import { Composer, isScalar, Lexer, Parser, visit, type YAMLMap } from 'yaml';
import type { Pause } from '../markup/blocks.js';

export interface YamlString {
  readonly text: string;
  readonly begin: number;
  readonly end: number;
  readonly style: 'plain' | 'single' | 'double' | 'literal' | 'folded';
}

const styles: Readonly<Record<string, YamlString['style']>> = {
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
};

type Refuse = (place: number, reason: string) => never;

/** The strings that are values. */
export async function stringsIn(source: string, refuse: Refuse, pause: Pause): Promise<YamlString[]> {
  const strings: YamlString[] = [];
  const parser = new Parser();
  const tokens = [];
  // One lexeme after the other, as parser.parse() does without pauses; a text in parts is not always parsed as the
  // whole one.
  for (const lexeme of new Lexer().lex(source)) {
    tokens.push(...parser.next(lexeme));
    await pause();
  }
  tokens.push(...parser.end());
  // The parser compares each key with all others of its map.
  const composer = new Composer({ prettyErrors: false, uniqueKeys: false });
  for (const document of composer.compose(tokens, false, source.length)) {
    await pause();
    const [error] = document.errors;
    if (error) refuse(error.pos[0], error.message);
    visit(document, {
      Map: (_, map) => requireUniqueKeys(map, refuse),
      Scalar(key, node) {
        if (key === 'key' || !isScalar(node) || typeof node.value !== 'string' || !node.range) return;
        const [begin, end] = node.range;
        strings.push({ text: node.value, begin, end, style: styles[node.type ?? ''] ?? 'plain' });
      },
    });
  }
  return strings;
}

function requireUniqueKeys({ items }: YAMLMap, refuse: Refuse): void {
  const keys = new Set<unknown>();
  for (const { key } of items) {
    if (!isScalar(key)) continue;
    if (keys.has(key.value)) refuse(key.range?.[0] ?? 0, 'Map keys must be unique');
    keys.add(key.value);
  }
}
