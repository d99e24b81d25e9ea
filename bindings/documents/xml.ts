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
  textNode,
} from '../markup/literal_tree.js';
import type { Span } from '../tokenizers/aligned_text.js';
import { fail } from '../values/errors.js';
import { valueNodes } from './values.js';

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

const tagOf = ({ kind, name, open }: LiteralNode) => (kind === 'element' && name !== 'img' ? open : null);

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
  return pairTags(nodes, tagOf);
}

export async function readXliff(source: string, pause: Pause): Promise<Reading> {
  const tokens = await tokensOf(source, 'XLIFF', pause);
  const [blocks, marks]: [Block[], Mark[]] = [[], []];
  let [from, to, target]: [number, number, Span | null] = [-1, -1, null];
  let [isDone, kept, inside] = [false, 0, 0];
  for (const [i, token] of tokens.entries()) {
    await pause();
    const { kind, name, begin, end, isClosed } = token;
    const isUnit = name === 'trans-unit' || name === 'segment';
    if (kind === 'open' && !isClosed && (name === 'trans-unit' || name === 'unit' || name === 'group')) {
      if (kept > 0 || attribute(token, 'translate') === 'no') kept++;
    } else if (kind === 'close' && kept > 0 && /^(?:trans-unit|unit|group)$/.test(name)) kept--;
    if (name === 'alt-trans' && !isClosed) inside += kind === 'open' ? 1 : -1;
    if (inside > 0) continue;
    if (isUnit && kind === 'open') {
      marks.push({ begin, key: source.slice(begin, end), how: 'once' });
      [from, to, target, isDone] = [-1, -1, null, kept > 0];
    }
    if (name === 'source' && kind === 'open') from = isClosed ? -1 : i + 1;
    if (name === 'source' && kind === 'close') to = i;
    if (name === 'target' && kind === 'open') target = [begin, end];
    if (name === 'target' && kind === 'close' && target) {
      isDone ||= source.slice(target[1], begin).trim() !== '';
      target = [target[0], end];
    }
    if (!isUnit || kind !== 'close' || isDone || from < 0 || to < from) continue;
    const own = tokens.slice(from, to);
    const place = tokens[to]?.end ?? 0;
    const opening = tokens[from - 1]?.begin ?? 0;
    const space = /\s*$/.exec(source.slice(Math.max(0, opening - 200), opening))?.[0] ?? '';
    const root = {
      ...elementNode('div', '', ''),
      children: nodesOf(source, own, (raw, text) => [textNode(text, raw)]),
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

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t' };
const unescaped = (text: string) =>
  text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, code, character) =>
    code ? String.fromCharCode(Number.parseInt(code, 16)) : (escapes[character] ?? character),
  );
const escaped = (text: string) =>
  escapedHtml(text)
    .replace(/[\\'"]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replace(/^[@?]/, '\\$&');

export async function readAndroid(source: string, pause: Pause): Promise<Reading> {
  const tokens = await tokensOf(source, 'Android', pause);
  const blocks: Block[] = [];
  let isKept = false;
  for (let i = 0; i < tokens.length; i++) {
    await pause();
    const token = tokens[i] as HtmlToken;
    if (token.kind !== 'open') continue;
    if (/^(?:plurals|string-array)$/.test(token.name)) isKept = attribute(token, 'translatable') === 'false';
    const isText =
      token.name === 'string'
        ? attribute(token, 'translatable') !== 'false'
        : token.name === 'item' && !isKept;
    if (!isText || token.isClosed) continue;
    const first = i + 1;
    while (i < tokens.length && !(tokens[i]?.kind === 'close' && tokens[i]?.name === token.name)) i++;
    const own = tokens.slice(first, i);
    const span: Span = [token.end, tokens[i]?.begin ?? source.length];
    const raw = source.slice(...span);
    if (/^\s*[@?]\w|<!\[CDATA\[/.test(raw)) continue;
    const nodes = nodesOf(source, own, (_, text) => valueNodes(unescaped(text)));
    // What `xliff:g` holds is not to be translated.
    const children = nodes.map((node) =>
      node.name === 'xliff:g' ? pointNode('img', writeHtml(node)) : node,
    );
    const write = (root: LiteralNode) => writeAndroid(root);
    blocks.push({ span, root: { ...elementNode('pre', '', ''), children }, write });
  }
  return { blocks };
}

/** Only texts are escaped: tags and placeholders are written as they were. */
const writeAndroid = (root: LiteralNode): string => {
  const write = (node: LiteralNode): string =>
    node.kind === 'text' ? escaped(node.text) : node.open + node.children.map(write).join('') + node.close;
  return write(root);
};
