/** Values of localisation files: texts with placeholders, tags and ICU messages in them, which stay. */

import type { Block } from '../markup/blocks.js';
import {
  elementNode,
  type LiteralNode,
  pairTags,
  pointNode,
  tagNode,
  textNode,
  writtenOrder,
} from '../markup/literal_tree.js';
import { inValues } from '../texts/kept_patterns.js';
import type { Span } from '../tokenizers/aligned_text.js';
import { fail } from '../values/errors.js';
import type { MessageElement } from './icu_parser.js';

/** How an ICU message with forms begins. */
export const message = /\{\s*[\w.-]+\s*,\s*(?:plural|select|selectordinal)\s*,/;

export type Parse = (text: string) => readonly MessageElement[];

/** What is loaded for values that need it. */
export async function parserFor(source: string): Promise<Parse | undefined> {
  return message.test(source) ? (await import('./icu_parser.js')).parseMessage : undefined;
}

/** A text as nodes. */
export function valueNodes(text: string, parse?: Parse): LiteralNode[] {
  const elements = parse && message.test(text) ? parsed(text, parse) : undefined;
  return elements ? messageNodes(text, elements, [0, text.length]) : plainNodes(text);
}

function parsed(text: string, parse: Parse): readonly MessageElement[] | undefined {
  try {
    return parse(text);
  } catch {
    // Not a message after all: what is between braces stays.
    return undefined;
  }
}

/** Between the forms of a plural, as vue-i18n has them. */
const formsEnd = /(\s\|\s)/;

function plainNodes(text: string): LiteralNode[] {
  const nodes: LiteralNode[] = [];
  const addTexts = (own: string) => {
    for (const [i, piece] of own.split(formsEnd).entries())
      if (piece !== '') nodes.push(i % 2 === 0 ? textNode(piece, piece) : pointNode('br', piece));
  };
  let at = 0;
  for (const { 0: kept, index } of text.matchAll(inValues)) {
    addTexts(text.slice(at, index));
    nodes.push(kept.startsWith('<') ? tagNode(kept) : pointNode('img', kept));
    at = index + kept.length;
  }
  addTexts(text.slice(at));
  return pairTags(nodes, ({ kind, open }) => (kind === 'element' && open.startsWith('<') ? open : null));
}

/** Each form of a plural or a choice is a block of its own. */
function messageNodes(text: string, elements: readonly MessageElement[], [begin, end]: Span): LiteralNode[] {
  const nodes: LiteralNode[] = [];
  let at = begin;
  for (const { span, forms } of elements) {
    if (!forms) continue;
    nodes.push(...plainNodes(text.slice(at, span[0])));
    at = span[0];
    for (const [i, { span: form, elements: inside }] of forms.entries()) {
      const last = i === forms.length - 1 ? span[1] : form[1];
      const open = text.slice(at, form[0] + 1);
      const children = messageNodes(text, inside, [form[0] + 1, form[1] - 1]);
      nodes.push({ ...elementNode('p', open, text.slice(form[1] - 1, last)), children });
      at = last;
    }
  }
  nodes.push(...plainNodes(text.slice(at, end)));
  // The number itself.
  return nodes.flatMap((node) =>
    node.kind === 'text' && begin > 0
      ? node.text
          .split(/(#)/)
          .flatMap((piece, i) =>
            piece === '' ? [] : [i % 2 === 1 ? pointNode('img', piece) : textNode(piece, piece)],
          )
      : [node],
  );
}

/** Whether a file writes other letters than those of ASCII by their codes. */
export const isWrittenInAscii = (source: string): boolean =>
  /\\u[0-9a-fA-F]{4}/.test(source) && !/[^\0-\x7f]/.test(source);

export const inAscii = (text: string): string =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The nodes as one text again. */
export const writtenText = (root: LiteralNode): string =>
  Array.from(writtenOrder(root), ({ node, role }) => (role === 'text' ? node.text : node[role])).join('');

export interface Value {
  readonly span: Span;
  /** As it is read. */
  readonly text: string;
  /** How the file writes a text there. */
  readonly encode: (text: string) => string;
  /** Whether line breaks are shown as such. */
  readonly hasLines?: boolean;
}

export function valueBlock({ span, text, encode, hasLines }: Value, parse?: Parse): Block {
  const name = hasLines || text.includes('\n') ? 'pre' : 'div';
  const root = { ...elementNode(name, '', ''), children: valueNodes(text, parse) };
  return { span, root, write: (root) => encode(writtenText(root)) };
}

/** @throws TransformerError `invalid_argument`, with the line and the column */
export function refuseAt(source: string, place: number, kind: string, reason: string): never {
  const before = source.slice(0, place).split(/\r\n?|\n/);
  const where = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  return fail('invalid_argument', `the ${kind} document cannot be read: ${reason} (${where})`);
}
