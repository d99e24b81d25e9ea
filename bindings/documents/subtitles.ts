/** Subtitles, SubRip and WebVTT: the texts of the cues are translated, a sentence in several cues as one. */

import type { Block, Mark, Pause, Reading } from '../markup/blocks.js';
import { escapedHtml, textsOf } from '../markup/html_texts.js';
import {
  elementNode,
  hiddenNode,
  type LiteralNode,
  pairTags,
  pointNode,
  tagNode,
  textNode,
  writtenOrder,
} from '../markup/literal_tree.js';
import type { Span } from '../tokenizers/aligned_text.js';

type Format = 'srt' | 'vtt';

/** How a cue writes its text. */
interface Writing {
  readonly read: (written: string) => string;
  readonly write: (text: string) => string;
}

/** References to characters, which WebVTT has, stand in some SubRip files, too. */
const hasReferences = (text: string) => /&(?:amp|lt|gt|nbsp|quot|#\d{1,7}|#x[\da-f]{1,6});/i.test(text);

/** The text of a cue: a range without the line break at its end. */
interface Cue {
  readonly span: Span;
  readonly text: string;
}

/** The most cues that one sentence is found in. */
const mostJoined = 6;

/** A line with times: a cue ends before it, even if the empty line between them was forgotten. */
const timesPattern = /\d\s*-->\s*\d/;

export const readSubtitles =
  (format: Format) =>
  async (source: string, pause: Pause): Promise<Reading> => {
    const { decodeCharacters } = await import('../markup/html_tokens.js');
    const writingOf = (text: string): Writing =>
      format === 'vtt' || hasReferences(text) ? { read: decodeCharacters, write: escapedHtml } : plain;
    const { cues, marks } = cuesOf(source, format);
    const blocks: Block[] = [];
    for (const group of joined(cues)) {
      const [cue] = group as [Cue];
      const writing = writingOf(group.map(({ text }) => text).join());
      blocks.push(group.length > 1 ? sharedBlock(group, source, writing) : blockOf(cue, writing));
      await pause();
    }
    return { blocks, marks };
  };

/**
 * The texts below times, each up to an empty line. In SubRip, where a text may have empty lines in it, those after it
 * too; in WebVTT they are notes, styles and names.
 */
function cuesOf(source: string, format: Format): { cues: Cue[]; marks: Mark[] } {
  const lines = Array.from(source.matchAll(/[^\r\n]*(?:\r\n?|\n|$)/g), ({ 0: line, index }) => {
    const kind = timesPattern.test(line) ? 'times' : line.trim() === '' ? 'empty' : 'text';
    return { line, index, kind };
  });
  const marks = lines
    .filter(({ kind }) => kind === 'times')
    .map(({ line, index }) => ({ begin: index, key: line.trim(), how: 'once' as const }));
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
  return { cues, marks };
}

const flat = (text: string) => text.replace(/\s+/g, ' ').trim();
const hasMarks = (text: string) => /<[^<>]*>|\{[^{}]*\}|^\s*[-–—♪]/m.test(text);

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
function sharedBlock(group: readonly Cue[], source: string, { read, write: escaped }: Writing): Block {
  const span: Span = [group[0]?.span[0] ?? 0, group.at(-1)?.span[1] ?? 0];
  const text = group.map((cue) => flat(read(cue.text))).join(' ');
  const root = { ...elementNode('p', '', ''), children: [textNode(text, null)] };
  const write = (root: LiteralNode) => {
    const texts = cutAt(
      flat(textsOf(root)),
      group.map((cue) => cue.text.length),
    );
    return group
      .map((cue, i) => {
        const after = source.slice(cue.span[1], group[i + 1]?.span[0] ?? cue.span[1]);
        return wrapped(escaped(texts[i] ?? ''), cue.text) + after;
      })
      .join('');
  };
  return { span, root, write };
}

/** A text in parts between words, of about these proportions; never within a tag. */
function cutAt(text: string, lengths: readonly number[]): string[] {
  const ends = [...text.matchAll(/<[^<>]*>|\s+/g)].flatMap(({ 0: found, index }) =>
    found.startsWith('<') ? [] : [index],
  );
  ends.push(text.length);
  const whole = lengths.reduce((sum, length) => sum + length, 0);
  let [done, begin, next] = [0, 0, 0];
  return lengths.map((length, i) => {
    done += length;
    const place = (done / whole) * text.length;
    while (
      next + 1 < ends.length &&
      Math.abs((ends[next + 1] ?? 0) - place) <= Math.abs((ends[next] ?? 0) - place)
    )
      next++;
    const end = i === lengths.length - 1 ? text.length : Math.max(begin, ends[next] ?? text.length);
    const part = text.slice(begin, end).trim();
    begin = end;
    if ((ends[next] ?? 0) <= begin && next + 1 < ends.length) next++;
    return part;
  });
}

/** In as many lines as the source has, of similar lengths, with its line breaks. */
function wrapped(text: string, source: string): string {
  const breaks = source.match(/\r\n?|\n/g) ?? [];
  const lines = cutAt(text, Array(breaks.length + 1).fill(1));
  return lines.filter((line) => line !== '').join(breaks[0] ?? '\n');
}

/** Tags that stay with their words; the lines of several speakers are apart. */
function blockOf({ text, span }: Cue, { read, write: escaped }: Writing): Block {
  const pieces = text.match(/<[^<>]*>|\{[^{}]*\}|\\[Nn](?![a-z])|\r\n?|\n|[^<{\r\n\\]+|[<{\\]/g) ?? [];
  const areApart = isDialogue(text);
  const nodes = pieces.map((piece) => {
    if (/^[\r\n]/.test(piece)) return areApart ? pointNode('br', piece) : textNode(' ', null);
    if (/^\\[Nn]/.test(piece)) return pointNode('br', piece);
    if (/^<\/?[a-z][^<>]*>$/i.test(piece)) return tagNode(piece);
    if (/^(<.*>|\{.*\})$/s.test(piece)) return hiddenNode(piece);
    return textNode(read(piece), piece);
  });
  const root = { ...elementNode('p', '', ''), children: pairTags(nodes, tagOf) };
  const write = (root: LiteralNode) => {
    const whole = Array.from(writtenOrder(root), ({ node, role }) =>
      role === 'text' ? (node.raw ?? escaped(node.text)) : node[role],
    ).join('');
    return /[\r\n]/.test(whole) ? whole : wrapped(whole, text);
  };
  return { span, root, write };
}

const tagOf = ({ kind, open }: LiteralNode) => (kind === 'element' && open.startsWith('<') ? open : null);

/** Whether several speak, each in lines of their own: after dashes, two marks or names. */
function isDialogue(text: string): boolean {
  if ((text.match(/<v[\s.]/g)?.length ?? 0) > 1) return true;
  const spoken = text
    .replace(/<[^<>]*>|\{[^{}]*\}/g, '')
    .trim()
    .split(/\r\n?|\n/);
  const speaks = (line: string) => /^\s*(?:[-–—]|>>|&gt;&gt;|\p{Lu}[\p{Lu}\p{N} .'’-]*:\s)/u.test(line);
  return speaks(spoken[0] ?? '') && spoken.slice(1).some(speaks);
}

/** SubRip knows no escapes: what would be a mark there is written with a space in it. */
const plain: Writing = {
  read: (text) => text,
  write: (text) =>
    text
      .replace(/<(?=[/a-z])/gi, '< ')
      .replace(/\{(?=\\)/g, '{ ')
      .replaceAll('-->', '-- >'),
};
