// What is written in the page's code in plain English, found by its syntax: such words belong into web/src/words.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vite';

/** Values of these properties are no prose: classes, samples of code, and what the browser takes. */
const properties = new Set([
  'class',
  'ours',
  'pytorch',
  'fill',
  'transform',
  'clipPath',
  'viewBox',
  'easing',
]);
/** Arguments of these are selectors, queries, or errors of ours that nobody should see. */
const callees =
  /(querySelector(All)?|closest|matchMedia|find|Error|setProperty|addEventListener|matches|encodeURIComponent|passOf|test|exec)$/;

const isProse = (text) =>
  // Two words, or one that begins like a sentence or a title; what stands for a value is a blank.
  /(^|[^\w.#-])[A-Za-z][a-z’']+[,:;]? +[a-z’']{2,}/.test(text) || /^\s*[A-Z][a-z]{2,}[.!?…]?\s*$/.test(text);

function literalsIn(source) {
  const found = [];
  const visit = (node, skip) => {
    if (Array.isArray(node)) {
      for (const one of node) visit(one, skip);
      return;
    }
    if (!node || typeof node !== 'object' || typeof node.type !== 'string') return;
    if (/^(Import|ExportAll|TSInterface|TSTypeAlias|TSLiteralType)/.test(node.type)) return;
    if (skip) return;
    if (node.type === 'Literal' && typeof node.value === 'string')
      found.push({ at: node.start, text: node.value });
    if (node.type === 'TemplateLiteral')
      found.push({ at: node.start, text: node.quasis.map(({ value }) => value.cooked).join('\u00a4') });
    const isCode =
      (node.type === 'Property' && properties.has(node.key.name ?? node.key.value)) ||
      (/^(Call|New)Expression$/.test(node.type) &&
        callees.test(source.slice(node.callee.start, node.callee.end)));
    for (const [name, child] of Object.entries(node))
      if (name !== 'type') visit(child, isCode && name !== 'callee');
  };
  visit(parseAst(source, { lang: 'ts', sourceType: 'module' }), false);
  return found;
}

/** @param folder of the page's code @returns `file: text` for each literal that reads like English */
export function proseIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !file.startsWith('words'))
    .sort()
    .flatMap((file) =>
      literalsIn(readFileSync(join(folder, file), 'utf8'))
        .filter(({ text }) => isProse(text))
        .map(({ text }) => `${file.replaceAll('\\', '/')}: ${text}`),
    );
}
