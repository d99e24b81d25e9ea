/** Writes a translated block of Markdown: what a model writes is text in it, never a mark. */

import { type LiteralNode, type Written, writtenOrder } from '../markup/literal_tree.js';
import { labelOf } from './markdown_label.js';

const isPunctuation = (character: string) => /[\p{P}\p{S}]/u.test(character);
const isSpace = (character: string) => character === '' || /\s/u.test(character);
const isOfWord = (character: string) => /[\p{L}\p{N}]/u.test(character);

/** What is written, and where. */
interface Place {
  /** The node of the block. */
  readonly kind: string;
  /** Of the links that are defined in the document. */
  readonly labels: ReadonlySet<string>;
}

/** Text in which nothing is a mark; `next` is what is written behind it. */
const escaped = (text: string, { kind, labels }: Place, next: string): string =>
  text
    .replace(
      /\[([^[\]\\`*<]*)\]|[\\`[\]|]|(?<!\s)\*|\*(?!\s)|(?<!\s)~|~(?=~)|<(?=[a-z/!?])|&(?=#?\w+;)/gi,
      (mark, label: string | undefined, at: number) => {
        if (mark === '|' && kind !== 'TableCell') return mark;
        if (label === undefined) return `\\${mark}`;
        const after = text.charAt(at + mark.length) || next.charAt(0);
        const isText = !labels.has(labelOf(label)) && !/^[\^!]|^[ xX]?$/.test(label) && !/[([:]/.test(after);
        return isText ? mark : `\\[${label}\\]`;
      },
    )
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/!$/, '\\!');

/** A text at the beginning of a block, which would make it another one: a heading, a list. */
const escapedStart = (text: string): string =>
  text
    .replace(/^(\s*)(?=(?:#{1,6}|[-+*>=:])(?:\s|$)|>|:{3})/, '$1\\')
    .replace(/^(\s*\d{1,9})([.)])(?=\s|$)/, '$1\\$2');

interface Piece extends Written {
  text: string;
}

const rawOf = ({ node, role }: Written) => (role === 'text' ? (node.raw ?? node.text) : node[role]);

export function writeMarkdown(root: LiteralNode, place: Place): string {
  const steps = [...writtenOrder(root)].filter((step) => step.node !== root && rawOf(step) !== '');
  const written: Piece[] = [];
  for (const [i, step] of steps.entries()) {
    const { node, role } = step;
    const next = steps[i + 1] ? rawOf(steps[i + 1] as Written) : '';
    let text = rawOf(step);
    if (role === 'text' && node.raw === null) text = escaped(text, place, next);
    if (role === 'text' && node.raw === null && i === 0 && !/^(?:ATX|Table|Title)/.test(place.kind))
      text = escapedStart(text);
    if (role === 'close' && node.raw !== null && isNamed(written, node) && !/^[([:]/.test(next))
      text = node.raw;
    written.push({ ...step, text });
  }
  asTagsWhereNeeded(written);
  const whole = written.map(({ text }, i) => text + spaceBetween(text, written[i + 1]?.text ?? '')).join('');
  if (place.kind === 'Title') return whole.replaceAll('"', "'");
  return place.kind.startsWith('ATX') ? whole.replace(/(?<=^|\s)(#+)$/, '\\$1') : whole;
}

/** Whether the text of a link, written so far, is still its name. */
function isNamed(written: readonly Piece[], node: LiteralNode): boolean {
  const begin = written.map((piece) => piece.node).lastIndexOf(node);
  const text = written.slice(begin + 1).map((piece) => piece.text);
  return labelOf(text.join('')) === labelOf(node.close.slice(2, -1));
}

const tags: Readonly<Record<string, string>> = { em: 'em', strong: 'strong', s: 'del' };

/**
 * Two spans of code that come to stand side by side would be one, and a bare address takes what is written behind it.
 */
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

/** Whether the same marks stand beside those at a place, of another emphasis: the two would be one row. */
const isMark = (pieces: readonly Piece[], place: number, beside: -1 | 1) => {
  const [own, other] = [pieces[place], pieces[place + beside]];
  const isOfOther = other?.role === own?.role ? false : /^[*_~]+$/.test(other?.text ?? '');
  return isOfOther && other?.text.charAt(0) === own?.text.charAt(0);
};

function isOpening(pieces: readonly Piece[], place: number): boolean {
  const [left, right] = [before(pieces, place), after(pieces, place)];
  const isDash = pieces[place]?.text.startsWith('_') === true;
  if (isMark(pieces, place, -1) || isSpace(right) || (isDash && isOfWord(left))) return false;
  return !isPunctuation(right) || isSpace(left) || isPunctuation(left);
}

function isClosing(pieces: readonly Piece[], place: number): boolean {
  const [left, right] = [before(pieces, place), after(pieces, place)];
  const isDash = pieces[place]?.text.startsWith('_') === true;
  if (isMark(pieces, place, 1) || isSpace(left) || (isDash && isOfWord(right))) return false;
  return !isPunctuation(left) || isSpace(right) || isPunctuation(right);
}
