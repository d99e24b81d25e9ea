/** The attributes of tags: those that readers see or hear are translated, and the page's language is set. */

import type { ReadableAttribute } from '../texts/options.js';
import type { Span } from '../tokenizers/aligned_text.js';
import type { Block, Replacement } from './blocks.js';
import { attributeValue, textsOf } from './html_texts.js';
import type { HtmlAttribute, HtmlToken } from './html_tokens.js';
import { elementNode, textNode } from './literal_tree.js';
import { hasLetters } from './segment.js';

type Names = readonly ReadableAttribute[] | undefined;

const isReadable = ({ name, value, begin }: HtmlAttribute, names: Names) =>
  begin >= 0 && names?.some((one) => one === name) === true && hasLetters(value);

/** A tag without what is changed in it. */
export function keyOf({ attributes, begin, name }: HtmlToken, raw: string, names: Names): string {
  const changed = attributes.filter(
    (one) => isReadable(one, names) || (name === 'html' && /lang$/.test(one.name)),
  );
  let [key, at] = ['', 0];
  for (const one of changed) {
    key += raw.slice(at, one.begin - begin);
    at = one.end - begin;
  }
  return (key + raw.slice(at)).replace(/^<html\s+/i, '<html');
}

export function attributeBlocks({ attributes }: HtmlToken, source: string, names: Names): Block[] {
  return attributes
    .filter((one) => isReadable(one, names))
    .map(({ value, begin, end }) => {
      const raw = source.slice(begin, end);
      const from = raw.indexOf('=') + 1;
      const indent = from + raw.slice(from).length - raw.slice(from).trimStart().length;
      const quote = /["']/.exec(raw[indent] ?? '')?.[0] ?? '';
      const span: Span = [begin + indent + quote.length, end - quote.length];
      const root = { ...elementNode('div', '', ''), children: [textNode(value, source.slice(...span))] };
      return { span, root, write: (root) => attributeValue(textsOf(root), quote) };
    });
}

/** The changes of a tag that says which language the document is in. */
export function languageEdits(
  { attributes, begin, name }: HtmlToken,
  lang: string | undefined,
): Replacement[] {
  if (lang === undefined) return [];
  const own = attributes.filter(({ name }) => name === 'lang' || name === 'xml:lang');
  const at = begin + 1 + name.length;
  return own.length === 0
    ? [{ span: [at, at], text: ` lang="${lang}"` }]
    : own.map(({ name, begin, end }) => ({ span: [begin, end], text: `${name}="${lang}"` }));
}
