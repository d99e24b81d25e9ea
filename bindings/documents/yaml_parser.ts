/** YAML by the package `yaml`, which tells where each scalar stands. The build bundles it into this file. */

import { isScalar, parseAllDocuments, visit } from 'yaml';

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

/** The strings that are values. */
export function stringsIn(source: string, refuse: (place: number, reason: string) => never): YamlString[] {
  const strings: YamlString[] = [];
  const documents = parseAllDocuments(source, { prettyErrors: false });
  if (!Array.isArray(documents)) return strings;
  for (const document of documents) {
    const [error] = document.errors;
    if (error) refuse(error.pos[0], error.message);
    visit(document, {
      Scalar(key, node) {
        if (key === 'key' || !isScalar(node) || typeof node.value !== 'string' || !node.range) return;
        const [begin, end] = node.range;
        strings.push({ text: node.value, begin, end, style: styles[node.type ?? ''] ?? 'plain' });
      },
    });
  }
  return strings;
}
