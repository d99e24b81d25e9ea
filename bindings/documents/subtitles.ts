/** Subtitles, SubRip and WebVTT: what is said is translated, and times, settings, notes and styles stay. */

import type { TranslateTexts } from '../markup/translate_runs.js';
import type { Span } from '../tokenizers/aligned_text.js';
import { type Block, type Replacement, replaceIn, translateBlocks } from './blocks.js';
import type { TranslatedDocument } from './document.js';
import {
  elementNode,
  hiddenNode,
  type LiteralNode,
  pairTags,
  pointNode,
  tagNode,
  textNode,
  writtenOrder,
} from './literal_tree.js';

type Format = 'srt' | 'vtt';

/** The text of a cue: a range without the line break at its end. */
interface Cue {
  readonly span: Span;
  readonly text: string;
}

/** The most cues that one sentence is found in. */
const mostJoined = 6;

/** A line with times: a cue ends before it, even if the empty line between them was forgotten. */
const timesPattern = /\d\s*-->\s*\d/;

export async function translateSubtitles(
  source: string,
  format: Format,
  translate: TranslateTexts,
): Promise<TranslatedDocument> {
  const groups = joined(cuesOf(source, format));
  const single = groups.flatMap((group) => (group.length === 1 ? group : []));
  const shared = groups.filter(({ length }) => length > 1);
  const blocks = single.map((cue) => ({ span: cue.span, root: rootOf(cue.text, format) }));
  const lines = new Map(single.map(({ span, text }) => [span, text.split(/\r\n?|\n/)]));
  const write = (block: Block) => written(block, lines.get(block.span) ?? [], format);
  const alone = await translateBlocks(source, blocks, translate, write);
  const sentences = await translate(
    shared.map((group) => group.map(({ text }) => flat(text)).join(' ')),
    false,
  );
  const replacements: Replacement[] = shared.flatMap((group, i) =>
    dealt(group, sentences[i]?.text ?? '', format),
  );
  for (const { source: span, target } of alone.parts)
    replacements.push({ span, text: alone.text.slice(...target) });
  return replaceIn(
    source,
    replacements.sort((a, b) => a.span[0] - b.span[0]),
  );
}

/**
 * The texts below times, each up to an empty line. In SubRip, where a text may have empty lines in it, those after it too;
 * in WebVTT they are notes, styles and names.
 */
function cuesOf(source: string, format: Format): Cue[] {
  const lines = Array.from(source.matchAll(/[^\r\n]*(?:\r\n?|\n|$)/g), ({ 0: line, index }) => {
    const kind = timesPattern.test(line) ? 'times' : line.trim() === '' ? 'empty' : 'text';
    return { line, index, kind };
  });
  const cues: Cue[] = [];
  let isBelowTimes = false;
  for (let first = 0; first < lines.length; ) {
    const kind = lines[first]?.kind;
    let last = first + 1;
    while (kind === 'text' && lines[last]?.kind === 'text') last++;
    const run = lines.slice(first, last);
    const isBeforeTimes = lines[last]?.kind === 'times';
    const isNamed =
      isBeforeTimes && ((!isBelowTimes && run.length === 1) || /^\s*\d+\s*$/.test(run.at(-1)?.line ?? ''));
    if (kind === 'text' && (isBelowTimes || format === 'srt')) {
      const named = isNamed ? run.slice(0, -1) : run;
      const text = named
        .map(({ line }) => line)
        .join('')
        .trimEnd();
      const begin = run[0]?.index ?? 0;
      if (text !== '') cues.push({ span: [begin, begin + text.length], text });
    }
    isBelowTimes = kind === 'times';
    first = last;
  }
  return cues;
}

const flat = (text: string) => text.replace(/\s+/g, ' ').trim();
const hasMarks = (text: string) => /<[^>]*>|\{[^}]*\}|^\s*[-–—♪]/m.test(text);

/** A sentence often goes on in the next cue, which then begins with a small letter. */
function joined(cues: readonly Cue[]): Cue[][] {
  const groups: Cue[][] = [];
  for (const cue of cues) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const goesOn = last && !/[.?!…:;"”»)\]。？！]$/u.test(last.text) && /^\p{Ll}/u.test(cue.text);
    const isPlain = last && !hasMarks(last.text) && !hasMarks(cue.text);
    if (group && goesOn && isPlain && group.length < mostJoined) group.push(cue);
    else groups.push([cue]);
  }
  return groups;
}

/** The words of a sentence in as many parts as it had cues, each as long in proportion as its source. */
function dealt(group: readonly Cue[], text: string, format: Format): Replacement[] {
  const whole = group.reduce((sum, cue) => sum + cue.text.length, 0);
  let rest = text;
  let done = 0;
  return group.map((cue, i) => {
    done += cue.text.length;
    const wanted = (done / whole) * text.length - (text.length - rest.length);
    const cut = i === group.length - 1 ? rest.length : wordEnd(rest, wanted);
    const own = rest.slice(0, cut).trim();
    rest = rest.slice(cut);
    return { span: cue.span, text: wrapped(escaped(own, format), cue.text.split(/\r\n?|\n/), cue.text) };
  });
}

/** The end of the word that is nearest to a place; never within a tag. */
function wordEnd(text: string, place: number): number {
  const ends = [...text.matchAll(/(?<=\S)(?=\s|$)(?![^<>]*>)/g)].map(({ index }) => index);
  const nearest = (best: number, end: number) =>
    Math.abs(end - place) < Math.abs(best - place) ? end : best;
  return ends.reduce(nearest, ends[0] ?? text.length);
}

/** In as many lines as the source has, of similar lengths. */
function wrapped(text: string, { length: lines }: readonly string[], source: string): string {
  const newline = /\r\n?|\n/.exec(source)?.[0] ?? '\n';
  const parts: string[] = [];
  let rest = text;
  for (let left = lines; left > 1 && rest !== ''; left--) {
    const cut = wordEnd(rest, rest.length / left);
    parts.push(rest.slice(0, cut));
    rest = rest.slice(cut).trimStart();
  }
  return [...parts, rest].filter((part) => part !== '').join(newline);
}

/** Tags that stay with their words; the lines of several speakers are apart. */
function rootOf(text: string, format: Format): LiteralNode {
  const spoken = text.replace(/<[^>]*>|\{[^}]*\}/g, '');
  const isDialogue = /^\s*[-–—]/.test(spoken) && /[\r\n]\s*[-–—]/.test(spoken);
  const pieces = text.match(/<[^>]*>|\{[^}]*\}|\r\n?|\n|[^<{\r\n]+|[<{]/g) ?? [];
  const nodes = pieces.map((piece) => {
    if (/^[\r\n]/.test(piece)) return isDialogue ? pointNode('br', piece) : textNode(' ', null);
    if (/^<\/?[a-z][^>]*>$/i.test(piece)) return tagNode(piece);
    if (/^(<.*>|\{.*\})$/s.test(piece)) return hiddenNode(piece);
    return textNode(format === 'vtt' ? unescaped(piece) : piece, piece);
  });
  return { ...elementNode('p', '', ''), children: pairTags(nodes, tagOf) };
}

const tagOf = ({ kind, open }: LiteralNode) => (kind === 'element' && open.startsWith('<') ? open : null);

function written({ root }: Block, lines: readonly string[], format: Format): string {
  const texts = Array.from(writtenOrder(root), ({ node, role }) =>
    role === 'text' ? (node.raw ?? escaped(node.text, format)) : node[role],
  );
  const text = texts.join('');
  return /[\r\n]/.test(text) ? text : wrapped(text, lines, lines.join('\n'));
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const unescaped = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** SubRip knows no escapes: what would be a mark there is written with a space in it. */
const escaped = (text: string, format: Format): string =>
  format === 'vtt'
    ? text.replace(/[&<>]/g, (character) => escapes[character] ?? '')
    : text
        .replace(/<(?=[/a-z])/gi, '< ')
        .replace(/\{(?=\\)/g, '{ ')
        .replaceAll('-->', '-- >');
