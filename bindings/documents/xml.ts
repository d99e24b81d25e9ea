/** XML of texts: XLIFF 1.2 and 2, where what has no target gets one, and Android's resources. */

import type { Block, Mark, Pause, Reading } from '../markup/blocks.js';
import { escapedHtml, writeHtml } from '../markup/html_texts.js';
import type { HtmlToken } from '../markup/html_tokens.js';
import {
  elementNode,
  hiddenNode,
  type LiteralNode,
  pairTags,
  pointNode,
  tagNode,
} from '../markup/literal_tree.js';
import type { Span } from '../tokenizers/aligned_text.js';
import { fail } from '../values/errors.js';
import { message, type Parse, parserFor, valueNodes } from './values.js';

const attribute = ({ attributes }: HtmlToken, name: string) =>
  attributes.find((one) => one.name === name)?.value;

async function tokensOf(source: string, kind: string, pause: Pause): Promise<HtmlToken[]> {
  const refuse = (reason: string) =>
    fail('invalid_argument', `the ${kind} document cannot be read: ${reason}`);
  const { htmlTokens } = await import('../markup/html_tokens.js');
  const tokens = await htmlTokens(source, { isXml: true, pause, refuse });
  if (!tokens.some(({ name }) => name === (kind === 'XLIFF' ? 'xliff' : 'resources')))
    refuse(`it has no element ${kind === 'XLIFF' ? 'xliff' : 'resources'}`);
  return tokens;
}

/**
 * Codes of another format, whose content is no text; what they hold, and what `xliff:g` holds, is not to be translated.
 */
const opaque = /^(?:bpt|ept|ph|it|xliff:g)$/;
const tagOf = ({ kind, name, open }: LiteralNode) => (kind === 'element' && name !== 'img' ? open : null);
const isKept = ({ name, open }: LiteralNode) =>
  opaque.test(name) || (name === 'mrk' && /\s(?:translate=["']no|mtype=["']protected)["']/.test(open));

/** What stands between two tags, as nodes. */
function nodesOf(
  source: string,
  tokens: readonly HtmlToken[],
  texts: (raw: string, text: string) => LiteralNode[],
) {
  const nodes = tokens.flatMap(({ kind, begin, end, text }) => {
    const raw = source.slice(begin, end);
    if (kind === 'text') return texts(raw, text);
    return [kind === 'hidden' ? hiddenNode(raw) : tagNode(raw)];
  });
  const keep = (node: LiteralNode): LiteralNode => {
    if (isKept(node)) return pointNode('img', writeHtml(node));
    return { ...node, children: node.children.map(keep) };
  };
  return pairTags(nodes, tagOf).map(keep);
}

/** What a text holds besides words, which stays as the file writes it. */
const escapedIn = (nodes: readonly LiteralNode[], encode: (text: string) => string): LiteralNode[] =>
  nodes.map((node) => ({
    ...node,
    open: encode(node.open),
    close: encode(node.close),
    raw: null,
    children: escapedIn(node.children, encode),
  }));

/** Of a target that holds no translation yet. */
const isNew = (tag: string) => /\sstate=["'](?:new|needs-translation|initial)["']/.test(tag);

const units = /^(?:trans-unit|unit|group|file)$/;

export async function readXliff(source: string, pause: Pause): Promise<Reading> {
  const tokens = await tokensOf(source, 'XLIFF', pause);
  const [blocks, marks]: [Block[], Mark[]] = [[], []];
  let [from, to, target]: [number, number, Span | null] = [-1, -1, null];
  let [isDone, kept, inside, place] = [false, 0, 0, 0];
  const parse = await parserFor(source);
  const textBetween = (from: number, to: number) => source.slice(tokens[from]?.begin, tokens[to]?.begin);
  for (const [i, token] of tokens.entries()) {
    await pause();
    const { kind, name, begin, end, isClosed } = token;
    const isUnit = name === 'trans-unit' || name === 'segment';
    if (kind === 'open' && !isClosed && units.test(name)) {
      if (kept > 0 || attribute(token, 'translate') === 'no') kept++;
    } else if (kind === 'close' && kept > 0 && units.test(name)) kept--;
    if (name === 'alt-trans' && !isClosed) inside += kind === 'open' ? 1 : -1;
    if (inside > 0) continue;
    if (isUnit && kind === 'open') {
      marks.push({ begin, key: source.slice(begin, end), how: 'once' });
      [from, to, target, isDone] = [-1, -1, null, kept > 0];
    }
    if (name === 'source' && kind === 'open') from = isClosed ? -1 : i + 1;
    if (name === 'source' && kind === 'close') [to, place] = [i, end];
    if (name === 'target' && kind === 'open') target = [begin, end];
    // A text that may be in segments is followed by them; the target comes after both.
    if (name === 'seg-source' && kind === 'close') place = end;
    if (name === 'target' && kind === 'close' && target) {
      const own = source.slice(target[1], begin).trim();
      const isCopy = isNew(source.slice(...target)) && own === textBetween(from, to).trim();
      isDone ||= own !== '' && !isCopy;
      target = [target[0], end];
    }
    if (!isUnit || kind !== 'close' || isDone || from < 0 || to < from) continue;
    const own = tokens.slice(from, to);
    const opening = tokens[from - 1]?.begin ?? 0;
    const space = /\s*$/.exec(source.slice(Math.max(0, opening - 200), opening))?.[0] ?? '';
    const root = {
      ...elementNode('div', '', ''),
      children: contentOf(source, own, textBetween(from, to), parse),
    };
    const open = target
      ? source.slice(target[0], target[1]).replace(/\s*\/?>[\s\S]*$/, '>')
      : `${space}<target>`;
    blocks.push({
      span: target ?? [place, place],
      root,
      write: (root) => `${open}${writeHtml(root)}</target>`,
    });
  }
  return { blocks, marks };
}

/** A message, which may have tags in it, is read as it is written. */
function contentOf(source: string, tokens: readonly HtmlToken[], raw: string, parse: Parse | undefined) {
  const isMessage = parse !== undefined && message.test(raw);
  return isMessage
    ? valueNodes(raw, parse)
    : nodesOf(source, tokens, (_, text) => escapedIn(valueNodes(text), escapedHtml));
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t' };
/** As Android reads it: white space outside of quotation marks is one space, and the marks are no part of the text. */
const unescaped = (text: string) =>
  text.replace(
    /\\(?:u([0-9a-fA-F]{4})|([\s\S]))|"((?:[^"\\]|\\[\s\S])*)"|"|\s+/g,
    (_, code, character, quoted) => {
      if (code) return String.fromCharCode(Number.parseInt(code, 16));
      if (character) return escapes[character] ?? character;
      return quoted === undefined ? (/\s/.test(_) ? ' ' : '') : unescapedIn(quoted);
    },
  );
const unescapedIn = (text: string): string =>
  text.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (_, code, character) =>
    code ? String.fromCharCode(Number.parseInt(code, 16)) : (escapes[character] ?? character),
  );
const escaped = (text: string) =>
  text
    .replace(/[\\'"]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replace(/ (?= )/g, '\\u0020');

export async function readAndroid(source: string, pause: Pause): Promise<Reading> {
  const tokens = await tokensOf(source, 'Android', pause);
  const blocks: Block[] = [];
  let list = '';
  for (let i = 0; i < tokens.length; i++) {
    await pause();
    const token = tokens[i] as HtmlToken;
    if (lists.test(token.name)) list = token.kind === 'open' && isText(token) ? token.name : '';
    if (token.kind !== 'open' || token.isClosed) continue;
    const isItem = token.name === 'item' && (list !== '' || attribute(token, 'type') === 'string');
    if (!(token.name === 'string' || isItem) || !isText(token)) continue;
    const first = i + 1;
    while (i < tokens.length && !(tokens[i]?.kind === 'close' && tokens[i]?.name === token.name)) i++;
    const block = androidBlock(source, tokens.slice(first, i), [
      token.end,
      tokens[i]?.begin ?? source.length,
    ]);
    if (block) blocks.push(block);
  }
  return { blocks };
}

const lists = /^(?:plurals|string-array)$/;
const isText = (token: HtmlToken) => attribute(token, 'translatable') !== 'false';

function androidBlock(source: string, tokens: readonly HtmlToken[], [from, to]: Span): Block | undefined {
  const whole = source.slice(from, to);
  const raw = whole.trim();
  if (raw === '' || /^[@?]\w/.test(raw)) return undefined;
  const begin = from + whole.indexOf(raw);
  const span: Span = [begin, begin + raw.length];
  const [, data] = /^<!\[CDATA\[((?:(?!\]\]>)[\s\S])*)\]\]>$/.exec(raw) ?? [];
  // References to the characters of marks are read before Android reads the text.
  const encode = data === undefined ? (text: string) => escaped(escapedHtml(text)) : escaped;
  const texts = (own: string) => escapedIn(valueNodes(unescaped(own)), encode);
  const isQuoted = /^"(?:[^"\\<]|\\[\s\S])*"$/.test(raw);
  const own = tokens.map((token, i) => ({
    ...token,
    text: edged(token.text, i === 0, i === tokens.length - 1),
  }));
  const children = data === undefined ? nodesOf(source, own, (_, text) => texts(text)) : texts(data);
  const write = (root: LiteralNode) => {
    const text = androidText(root, encode).replace(/^[@?]/, '\\$&').replace(/^ | $/g, '\\u0020');
    if (isQuoted) return `"${text.replaceAll("\\'", "'").replaceAll('\\u0020', ' ')}"`;
    return data === undefined ? text : `<![CDATA[${text}]]>`;
  };
  return { span, root: { ...elementNode('pre', '', ''), children }, write };
}

/** Without the white space around a value. */
const edged = (text: string, isFirst: boolean, isLast: boolean): string => {
  const own = isFirst ? text.replace(/^[ \t\r\n]+/, '') : text;
  return isLast ? own.replace(/(?<![ \t\r\n])[ \t\r\n]+$/, '') : own;
};

/** Only texts are escaped: tags and placeholders are written as they were. */
const androidText = (node: LiteralNode, encode: (text: string) => string): string =>
  node.kind === 'text'
    ? encode(node.text)
    : node.open + node.children.map((child) => androidText(child, encode)).join('') + node.close;
