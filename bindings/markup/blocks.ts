/**
 * Rewrites a text where it stands. Each format tells its blocks, which are ranges with what people read in them, and
 * its marks, by which two texts are told to have the same skeleton. What stands between the blocks stays byte for byte.
 */

import type { Span } from '../tokenizers/aligned_text.js';
import { type LiteralNode, LiteralTree } from './literal_tree.js';
import { findRuns, type Run, survey } from './runs.js';
import { type TranslateTexts, translateSegments, writeRun } from './translate_runs.js';

/** A range of a text, and what stands in it. */
export interface Block {
  readonly span: Span;
  /** An element of its own, which is not written. */
  readonly root: LiteralNode;
  /** Writes the translated root as the format wants it. */
  readonly write: (root: LiteralNode) => string;
  /** The attributes of tags within it, in order. */
  readonly inner?: readonly InnerBlock[];
}

/** A block within the tag that begins a node. */
export interface InnerBlock extends Block {
  readonly node: LiteralNode;
  /** Its range in the tag. */
  readonly place: Span;
}

/** A tag, code, a link's target, the beginning of a paragraph: what a translation must have as its source does. */
export interface Mark {
  readonly begin: number;
  readonly key: string;
  /**
   * `once`: exactly as often; `some`: at least once, since elements may be parted; `perhaps`: emphasis, which may go.
   */
  readonly how: 'once' | 'some' | 'perhaps';
}

/** New text for a range. */
export interface Replacement {
  readonly span: Span;
  readonly text: string;
}

/** A text as its format reads it. */
export interface Reading {
  /** In order. */
  readonly blocks: readonly Block[];
  /** In order. Without them each block is a mark. */
  readonly marks?: readonly Mark[];
  /** What is written besides the translations: a language. In order. */
  readonly edits?: readonly Replacement[];
  /** Ranges that could not be read, and stay as they are. */
  readonly left?: readonly Span[];
}

export type Reader = (source: string, pause: Pause) => Promise<Reading> | Reading;
/** Called within long loops: lets other tasks run now and then. @throws the signal's reason. */
export type Pause = () => Promise<void> | undefined;

/** Ranges in a text and in its translation. */
export interface Part {
  source: Span;
  target: Span;
}

export interface Rewritten {
  text: string;
  /** The blocks, in order. */
  parts: Part[];
  /** Blocks that are given back as they were, since their translation would have changed the document's structure. */
  untranslated: Part[];
}

interface RewriteSettings {
  readonly pause: Pause;
  /** The translation of a block that is known already, as it is written. */
  readonly known?: ((raw: string) => string | undefined) | undefined;
}

/** Puts new texts into a text, in order. */
function replaceIn(source: string, replacements: readonly Replacement[]): { text: string; parts: Part[] } {
  const parts: Part[] = [];
  const texts: string[] = [];
  let [at, length] = [0, 0];
  const add = (text: string) => {
    texts.push(text);
    length += text.length;
  };
  for (const { span, text } of replacements) {
    add(source.slice(at, span[0]));
    const begin = length;
    add(text);
    parts.push({ source: span, target: [begin, length] });
    at = span[1];
  }
  add(source.slice(at));
  return { text: texts.join(''), parts };
}

/** @throws what `read` and `translate` throw. */
export async function rewrite(
  source: string,
  read: Reader,
  translate: TranslateTexts,
  { pause, known }: RewriteSettings,
): Promise<Rewritten> {
  const reading = await read(source, pause);
  const { edits = [], left = [] } = reading;
  const made = await translatedBlocks(source, reading.blocks, translate, { pause, known });
  const given = new Set<Span>();
  let [result, areWhole] = [replaceIn(source, inOrder([...made, ...edits])), false];
  const ownParts = () => result.parts.filter(({ source: span }) => !edits.some((edit) => edit.span === span));
  for (let round = 0; !areWhole; round++) {
    const parts = ownParts();
    const broken = made.length === 0 ? [] : brokenParts(parts, reading, await read(result.text, pause));
    // What is not mended by giving back some blocks is so by giving back all.
    const isLast = round === mostRounds;
    for (const part of isLast && broken.length > 0 ? parts : broken) given.add(part.source);
    areWhole = broken.length === 0 || isLast;
    if (broken.length === 0) break;
    const kept = made.map((one) =>
      given.has(one.span) ? { span: one.span, text: source.slice(...one.span) } : one,
    );
    result = replaceIn(source, inOrder([...kept, ...edits]));
  }
  const parts = ownParts();
  const stay = left.map((span): Part => ({ source: span, target: span }));
  const back = parts.filter((part) => given.has(part.source));
  return { text: result.text, parts, untranslated: [...back, ...stay] };
}

const mostRounds = 3;
const inOrder = (all: Replacement[]) => all.sort((a, b) => a.span[0] - b.span[0]);

async function translatedBlocks(
  source: string,
  blocks: readonly Block[],
  translate: TranslateTexts,
  { pause, known }: RewriteSettings,
): Promise<Replacement[]> {
  const tree = new LiteralTree();
  const found: { block: Block; own: Found[] }[] = [];
  const made: Replacement[] = [];
  for (const block of blocks) {
    const text = known?.(source.slice(...block.span));
    // What is within comes first, so that a tag is whole before it is written.
    const all = text === undefined ? [...[...(block.inner ?? [])].reverse(), block] : [];
    const own = all.map((one) => ({ block: one, runs: findRuns(tree, one.root, survey(tree, one.root)) }));
    if (text !== undefined) made.push({ span: block.span, text });
    else if (own.some(({ runs }) => runs.length > 0)) found.push({ block, own });
    await pause();
  }
  const all = found.flatMap(({ own }) => [...own].reverse().flatMap(({ runs }) => runs));
  const translations = await translateSegments(all, translate);
  const isSame = ({ runs }: Found) =>
    runs.every(({ segments }) =>
      segments.every((one) => (translations.get(one)?.text ?? one.text) === one.text),
    );
  for (const { block, own } of found) {
    const changed = own.filter((one) => !isSame(one));
    for (const { block: one, runs } of changed) {
      for (const run of runs) writeRun(tree, run, translations);
      if (isInner(one)) setInTag(one);
    }
    const text = changed.length > 0 ? block.write(block.root) : source.slice(...block.span);
    made.push({ span: block.span, text });
    await pause();
  }
  return made;
}

interface Found {
  readonly block: Block | InnerBlock;
  readonly runs: readonly Run<LiteralNode>[];
}

const isInner = (block: Block | InnerBlock): block is InnerBlock => 'node' in block;

function setInTag({ node, place: [begin, end], root, write }: InnerBlock): void {
  node.open = node.open.slice(0, begin) + write(root) + node.open.slice(end);
}

/** The parts in or beside which the marks of the two texts differ. */
function brokenParts(parts: readonly Part[], source: Reading, target: Reading): Part[] {
  const [was, is] = [marksBy(parts, 'source', source), marksBy(parts, 'target', target)];
  const broken = new Set<Part>();
  for (const region of new Set([...was.keys(), ...is.keys()])) {
    const [before, after] = [was.get(region) ?? [], is.get(region) ?? []];
    const isInside = region % 2 === 1;
    if (isInside ? haveSame(before, after) : keysOf(before) === keysOf(after)) continue;
    for (const place of isInside ? [region] : [region - 1, region + 1]) {
      const part = parts[(place - 1) / 2];
      if (part) broken.add(part);
    }
  }
  return [...broken];
}

const keysOf = (marks: readonly Mark[]) => marks.map(({ key }) => key).join('\0');
const sorted = (keys: readonly string[]) => [...keys].sort().join('\0');

/** Whether within a block the same marks stand, in any order. */
function haveSame(before: readonly Mark[], after: readonly Mark[]): boolean {
  const once = (marks: readonly Mark[]) =>
    sorted(marks.flatMap(({ key, how }) => (how === 'once' ? [key] : [])));
  const keys = new Set(before.map(({ key }) => key));
  const found = new Set(after.map(({ key }) => key));
  const areThere = before.every(({ key, how }) => how === 'perhaps' || found.has(key));
  return areThere && after.every(({ key }) => keys.has(key)) && once(before) === once(after);
}

/** The marks within each part (odd regions), and before each and after the last (even ones). */
function marksBy(
  parts: readonly Part[],
  side: 'source' | 'target',
  { marks, blocks }: Reading,
): Map<number, Mark[]> {
  const all = marks ?? blocks.map(({ span }): Mark => ({ begin: span[0], key: '', how: 'once' }));
  const regions = new Map<number, Mark[]>();
  let place = 0;
  for (const mark of all) {
    while (
      place < parts.length &&
      (parts[place]?.[side][1] ?? 0) <= mark.begin &&
      !isEmptyAt(parts[place], side, mark)
    )
      place++;
    const region =
      mark.begin >= (parts[place]?.[side][0] ?? Number.POSITIVE_INFINITY) ? 2 * place + 1 : 2 * place;
    const own = regions.get(region);
    if (own) own.push(mark);
    else regions.set(region, [mark]);
  }
  return regions;
}

const isEmptyAt = (part: Part | undefined, side: 'source' | 'target', { begin }: Mark) =>
  part !== undefined && part[side][0] === begin && part[side][1] === begin;
