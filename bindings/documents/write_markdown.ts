/** Writes a translated block of Markdown: what a model writes is text in it, never a mark. */

import { type LiteralNode, type Written, writtenOrder } from '../markup/literal_tree.js';

const isPunctuation = (character: string) => /[\p{P}\p{S}]/u.test(character);
const isSpace = (character: string) => character === '' || /\s/u.test(character);
const isOfWord = (character: string) => /[\p{L}\p{N}]/u.test(character);

/** Text in which nothing is a mark. */
const escaped = (text: string): string =>
  text
    .replace(/[\\`*[\]|~]|<(?=[a-z/!?])|&(?=#?\w+;)/gi, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/!$/, '\\!');

/** A text at the beginning of a block, which would make it another one: a heading, a list. */
const escapedStart = (text: string): string =>
  text
    .replace(/^(\s*)(?=(?:#{1,6}|[-+>=])(?:\s|$)|>)/, '$1\\')
    .replace(/^(\s*\d{1,9})([.)])(?=\s|$)/, '$1\\$2');

interface Piece extends Written {
  text: string;
}

function pieceOf(step: Written, isFirst: boolean): Piece {
  const { node, role } = step;
  if (role !== 'text') return { ...step, text: node[role] };
  if (node.raw !== null) return { ...step, text: node.raw };
  const text = escaped(node.text);
  return { ...step, text: isFirst ? escapedStart(text) : text };
}

const tags: Readonly<Record<string, string>> = { em: 'em', strong: 'strong', s: 'del' };

export function writeMarkdown(root: LiteralNode): string {
  const pieces: Piece[] = [];
  for (const step of writtenOrder(root)) {
    if (step.node !== root) pieces.push(pieceOf(step, pieces.length === 0));
  }
  const written = pieces.filter(({ text }) => text !== '');
  asTagsWhereNeeded(written);
  return written.map(({ text }, i) => text + spaceBetween(text, written[i + 1]?.text ?? '')).join('');
}

/** Two spans of code that come to stand side by side would be one, and a bare address takes what is written behind it. */
function spaceBetween(text: string, next: string): string {
  if (text.endsWith('`') && next.startsWith('`')) return ' ';
  return /^(?:https?:|www\.|[^\s<`[!]+@)\S+$/i.test(text) && /^[^\s)*_~.,;:!?'"|]/.test(next) ? ' ' : '';
}

/** Stars and dashes beside letters may be read as text: there the tags of HTML stand for them. */
function asTagsWhereNeeded(pieces: readonly Piece[]): void {
  const begun = new Map<Piece['node'], number>();
  for (const [place, { node, role }] of pieces.entries()) {
    if (!/^[*_~]+$/.test(node.open) || role === 'text') continue;
    if (role === 'open') {
      begun.set(node, place);
      continue;
    }
    const first = begun.get(node) ?? place;
    if (place === first + 1) setMarks(pieces, first, place, ['', '']);
    else if (!isOpening(pieces, first) || !isClosing(pieces, place))
      setMarks(pieces, first, place, [`<${tags[node.name]}>`, `</${tags[node.name]}>`]);
  }
}

function setMarks(pieces: readonly Piece[], first: number, last: number, marks: readonly [string, string]) {
  for (const [i, place] of [first, last].entries()) {
    const piece = pieces[place];
    if (piece) piece.text = marks[i] ?? '';
  }
}

const before = (pieces: readonly Piece[], place: number) => pieces[place - 1]?.text.at(-1) ?? '';
const after = (pieces: readonly Piece[], place: number) => pieces[place + 1]?.text.charAt(0) ?? '';

/** Marks of another emphasis, of which the two would be one row. */
const isMark = (piece: Piece | undefined, role: Written['role']) =>
  piece?.role === role && /^[*_~]+$/.test(piece.text);

function isOpening(pieces: readonly Piece[], place: number): boolean {
  const [left, right] = [before(pieces, place), after(pieces, place)];
  const isDash = pieces[place]?.text.startsWith('_') === true;
  if (isMark(pieces[place - 1], 'close') || isSpace(right) || (isDash && isOfWord(left))) return false;
  return !isPunctuation(right) || isSpace(left) || isPunctuation(left);
}

function isClosing(pieces: readonly Piece[], place: number): boolean {
  const [left, right] = [before(pieces, place), after(pieces, place)];
  const isDash = pieces[place]?.text.startsWith('_') === true;
  if (isMark(pieces[place + 1], 'open') || isSpace(left) || (isDash && isOfWord(right))) return false;
  return !isPunctuation(left) || isSpace(right) || isPunctuation(right);
}
