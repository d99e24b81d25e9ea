/** A block as texts to translate, and its translation as far as it has come. */

import * as dom from '../markup/dom.js';
import { placeTags } from '../markup/place.js';
import { type AlignedSentence, type AlignedText, needsAlignment } from '../markup/placed_words.js';
import { findRuns, isPoint, type Run, survey } from '../markup/runs.js';
import { hasLetters, type Segment } from '../markup/segment.js';
import { laterSentences } from '../markup/translate_runs.js';
import { sentencesOf } from '../texts/sentences.js';
import { childrenIn } from './layout.js';
import { ledger } from './ledger.js';
import type { Block, Reach } from './reach.js';
import { isElement, type SourceTree } from './source_tree.js';
import { writeSegment } from './write.js';

/** Something that is translated on its own: a segment, or an attribute. Long ones come sentence by sentence. */
export interface Work {
  readonly block: Block;
  readonly text: string;
  /** Consecutive parts of the text. */
  readonly parts: readonly string[];
  readonly isAligned: boolean;
  /** Of the parts, in order, as far as they are there. */
  readonly done: AlignedText[];
  /** Whether the page still has what was read. */
  isCurrent(): boolean;
  /** Whether the page still has what was written. */
  isWritten(by: object): boolean;
  write(translation: AlignedText, by: object): void;
}

/** Texts shorter than this are translated at once. */
const short = 160;

function partsOf(text: string, language: string | undefined): string[] {
  if (text.length < short) return [text];
  const begins = sentencesOf(text, { language, wrapped: false }).map(([begin]) => begin);
  return [0, ...begins.slice(1)].map((begin, i) => text.slice(begin, begins[i + 1] ?? text.length));
}

/** What of a block is not translated by `by` yet. */
export function readBlock(
  { tree, reach, language }: { tree: SourceTree; reach: Reach; language: string | undefined },
  block: Block,
  by: object,
): Work[] {
  const known = survey(tree, block as Node, true);
  const runs = findRuns(tree, block as Node, known);
  const segments = runs.flatMap((run) =>
    run.segments.flatMap((one, place) => (hasLetters(one.text) && !isDone(one, by) ? { run, place } : [])),
  );
  const work = segments.map(({ run, place }) => workOf(block, run, place, language));
  const elements = known.elements.flatMap((node) => [
    node,
    ...tree
      .childrenOf(node)
      .filter((child) => isElement(child) && isPoint(tree, child) && tree.isInline(child)),
  ]);
  const isOpen = (node: Node): node is Element =>
    isElement(node) &&
    (node === block || (tree.attributeOf(node, 'translate')?.toLowerCase() !== 'no' && !tree.isApart(node)));
  const labels = elements.filter(isOpen).flatMap((element) =>
    reach.attributesOf(element).flatMap((name) => {
      const text = tree.attributeOf(element, name) ?? '';
      return hasLetters(text) && !ledger.isWritten(element, by, name)
        ? [labelOf(block, element, name, text)]
        : [];
    }),
  );
  return [...work, ...labels];
}

const textsIn = ({ items }: Segment<Node>) =>
  items.flatMap(({ node }) => (dom.nodeType(node) === 3 ? [node as Text] : []));

/** Texts of which the page has a translation so far. */
const unfinished = new WeakSet<Text>();

const isDone = (segment: Segment<Node>, by: object): boolean =>
  textsIn(segment).every(
    (text) => !hasLetters(ledger.source(text) ?? '') || (ledger.isWritten(text, by) && !unfinished.has(text)),
  );

function workOf(block: Block, run: Run<Node>, place: number, language: string | undefined): Work {
  const segment = run.segments[place] as Segment<Node>;
  const parts = partsOf(segment.text, language);
  const texts = new Map(textsIn(segment).map((text) => [text, ledger.source(text)]));
  const done: AlignedText[] = [];
  return {
    block,
    text: segment.text,
    parts,
    isAligned: needsAlignment(segment),
    done,
    isCurrent: () =>
      [...texts].every(([text, source]) => ledger.source(text) === source) &&
      [...childrenIn(run.container, segment)].every((own) => ledger.orders.isInOrder(...own)),
    isWritten: (by) => isDone(segment, by),
    write(translation, by) {
      writeSegment(run, place, placeTags(segment, translation), by);
      for (const text of texts.keys())
        if (done.length < parts.length) unfinished.add(text);
        else unfinished.delete(text);
      if (isElement(block) && dom.localName(block) === 'option') keepValue(block, segment.text, by);
    },
  };
}

/** What a form sends for an option without a value is its text. */
function keepValue(option: Element, text: string, by: object): void {
  if (ledger.source(option, 'value') === null)
    ledger.write(option, text.trim().replace(/\s+/g, ' '), by, 'value');
}

function labelOf(block: Block, element: Element, name: string, text: string): Work {
  return {
    block,
    text,
    parts: [text],
    isAligned: false,
    done: [],
    isCurrent: () => ledger.source(element, name) === text,
    isWritten: (by) => ledger.isWritten(element, by, name),
    write: (translation, by) => ledger.write(element, translation.text, by, name),
  };
}

/** The translation so far: what is not translated yet stands for itself. */
export function joined({ parts, done }: Work): AlignedText {
  const [only] = done;
  if (parts.length === 1 && only) return only;
  const sentences: AlignedSentence[] = [];
  const texts: string[] = [];
  let [source, target] = [0, 0];
  for (const [i, part] of parts.entries()) {
    const own = done[i];
    if (own) sentences.push(...laterSentences(own, source, target));
    texts.push(own?.text ?? part);
    source += part.length;
    target += (own?.text ?? part).length;
  }
  return { text: texts.join(''), sentences };
}

/** A text that grows sentence by sentence is written when it has grown by a fifth. */
export function isWorthWriting({ parts, done }: Work): boolean {
  const isWorth = done.length >= 1.2 * (written.get(done) ?? 0) || done.length === parts.length;
  if (isWorth) written.set(done, done.length);
  return isWorth;
}

const written = new WeakMap<readonly unknown[], number>();
