/** HTML, and other markup with tags: what stands between the tags of blocks, and the values of attributes. */

import { inDocuments } from '../texts/kept_patterns.js';
import type { ReadableAttribute } from '../texts/options.js';
import type { Span } from '../tokenizers/aligned_text.js';
import { fail } from '../values/errors.js';
import type { Block, InnerBlock, Mark, Pause, Reading, Replacement } from './blocks.js';
import { isInlineName, isOpaqueName, isPreformattedName, isVoidName } from './elements.js';
import { attributeBlocks, keyOf, languageEdits } from './html_attributes.js';
import { isEndedBy, trimmed, writeHtml } from './html_texts.js';
import type { HtmlToken } from './html_tokens.js';
import { Languages } from './language_of.js';
import { elementNode, hiddenNode, type LiteralNode, pairTags, pointNode, tagNode } from './literal_tree.js';
import { keptSpans, type Masked, masked } from './masks.js';
import { hasLetters } from './segment.js';

/** The longest markup that is read, in characters. */
const longest = 2 ** 26;

export interface HtmlSettings {
  readonly attributes?: readonly ReadableAttribute[];
  /** The language that is read: parts in another stay as they are. */
  readonly sourceLanguage?: string | undefined;
  /** The language that the document is set to be in. */
  readonly lang?: string | undefined;
  /** Whether lines that begin with marks of a list or a table stay lines. */
  readonly keepsLists?: boolean;
}

/** @throws TransformerError `invalid_argument` for markup beyond all measure. */
export async function readHtml(source: string, settings: HtmlSettings, pause?: Pause): Promise<Reading> {
  const refuse = (reason: string) => fail('invalid_argument', `the markup cannot be translated: ${reason}`);
  if (source.length > longest)
    refuse(`it has ${source.length} characters, more than the ${longest} that are parsed at once`);
  const { htmlTokens } = await import('./html_tokens.js');
  const mask = masked(source, inDocuments.html);
  const tokens = await htmlTokens(mask.text, { pause: pause ?? (() => undefined), refuse });
  const reader = new HtmlReader(source, mask, settings, Languages.in(tokens, settings));
  for (const token of tokens) {
    reader.add(token);
    await pause?.();
  }
  return reader.finish();
}

/** The name that stands for a point in a line. */
const keptName = 'img';
const tagOf = ({ kind, name, open }: LiteralNode) => (kind === 'element' && name !== keptName ? open : null);

/** An element that is open. */
interface Open {
  readonly name: string;
  /** Whether its content stays as it is. */
  readonly isKept: boolean;
  readonly language: string;
  /** The name of the innermost block. */
  readonly block: string;
}

class HtmlReader {
  readonly #source: string;
  readonly #mask: Masked;
  readonly #settings: HtmlSettings;
  readonly #languages: Languages;
  readonly #blocks: Block[] = [];
  readonly #marks: Mark[] = [];
  readonly #edits: Replacement[] = [];
  readonly #open: Open[] = [];
  /** How many elements of a name are open. */
  readonly #counts = new Map<string, number>();
  #nodes: LiteralNode[] = [];
  /** The attributes of the tags among them. */
  #inner: InnerBlock[] = [];
  #begin = 0;
  #end = 0;
  #preformatted = 0;

  constructor(source: string, mask: Masked, settings: HtmlSettings, languages: Languages) {
    this.#source = source;
    this.#mask = mask;
    this.#settings = settings;
    this.#languages = languages;
  }

  add(token: HtmlToken): void {
    const { kind, begin, end } = token;
    const raw = this.#source.slice(begin, end);
    if (kind !== 'text')
      this.#marks.push({
        begin,
        key: keyOf(token, raw, this.#settings.attributes),
        how: kind === 'hidden' ? 'once' : 'some',
      });
    if (kind === 'open') this.#addOpen(token, raw);
    else if (kind === 'close') this.#addClose(token, raw);
    else if (this.#isKept) this.#keep(raw, token);
    else if (kind === 'hidden') this.#push(hiddenNode(raw), token);
    else this.#addText(raw, token);
  }

  finish(): Reading {
    this.#finishBlock();
    this.#blocks.sort((a, b) => a.span[0] - b.span[0]);
    return { blocks: this.#blocks, marks: this.#marks, edits: this.#edits };
  }

  get #isKept(): boolean {
    return this.#open.at(-1)?.isKept ?? false;
  }

  get #isAfterOpening(): boolean {
    return /^<[^/!]/.test(this.#nodes.at(-1)?.open ?? '');
  }

  #addOpen(token: HtmlToken, raw: string): void {
    const { name } = token;
    for (let top = this.#open.at(-1); top && isEndedBy(top.name, name); top = this.#open.at(-1)) {
      this.#finishBlock();
      this.#closeTo(this.#open.length - 1);
    }
    if (name === 'html' && this.#edits.length === 0)
      this.#edits.push(...languageEdits(token, this.#settings.lang));
    const around = this.#open.at(-1);
    const language = this.#languages.of(token, around?.language);
    const isKept = this.#isToKeep(token, around, language);
    const isInline = isInlineName(name);
    if (!isInline || (around?.isKept && !isKept)) this.#finishBlock();
    const attributes = isKept ? [] : attributeBlocks(token, this.#source, this.#settings.attributes);
    if (!isInline) this.#blocks.push(...attributes);
    else if (isKept) this.#keep(raw, token);
    else this.#pushTag(tagNode(raw), token, attributes);
    if (isVoidName(name) || token.isClosed) {
      if (!isInline) this.#finishBlock();
      return;
    }
    const block = isInline ? (around?.block ?? 'div') : name;
    this.#open.push({ name, isKept, language, block });
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    if (isPreformattedName(name)) this.#preformatted++;
  }

  #addClose(token: HtmlToken, raw: string): void {
    const { name } = token;
    const wasKept = this.#isKept;
    if (!isInlineName(name)) this.#finishBlock();
    if ((this.#counts.get(name) ?? 0) > 0) {
      let place = this.#open.length - 1;
      while (this.#open[place]?.name !== name) place--;
      // Tags of a line that were left open do not end with a block.
      this.#closeTo(place);
    }
    if (!isInlineName(name)) return;
    if (wasKept) this.#keep(raw, token);
    else if (this.#isKept) this.#finishBlock();
    else {
      const last = this.#nodes.at(-1);
      const [, own = '', edge = ''] = /^([\s\S]*\S)?(\s*\n\s*)$/.exec(last?.raw ?? '') ?? [];
      if (this.#settings.keepsLists && last?.kind === 'text' && own !== '') {
        last.raw = own;
        last.text = last.text.trimEnd();
        this.#nodes.push(hiddenNode(edge));
      }
      this.#push(tagNode(raw), token);
    }
  }

  #closeTo(place: number): void {
    for (const { name } of this.#open.splice(place)) {
      this.#counts.set(name, (this.#counts.get(name) ?? 1) - 1);
      if (isPreformattedName(name)) this.#preformatted--;
    }
  }

  #isToKeep(token: HtmlToken, around: Open | undefined, language: string): boolean {
    const attribute = (wanted: string) => token.attributes.find(({ name }) => name === wanted)?.value;
    const translate = attribute('translate')?.toLowerCase();
    const isOpaque = isOpaqueName(token.name) || (around?.isKept && isOpaqueName(around.name));
    const editable = attribute('contenteditable')?.toLowerCase();
    if (isOpaque || translate === 'no' || (editable !== undefined && editable !== 'false')) return true;
    if (/(^|\s)notranslate(\s|$)/.test(attribute('class') ?? '')) return true;
    if (!this.#languages.isRead(language)) return true;
    return (around?.isKept ?? false) && translate !== 'yes' && translate !== '';
  }

  /** Content that stays: in a line a point, which words may pass. */
  #keep(raw: string, token: HtmlToken): void {
    const last = this.#nodes.at(-1);
    const isInline = this.#open.every(({ isKept, name }) => !isKept || isInlineName(name));
    if (!isInline) this.#finishBlock();
    else if (last?.name === keptName && this.#end === token.begin) {
      last.open += raw;
      this.#end = token.end;
    } else this.#push(pointNode(keptName, raw), token);
  }

  #addText(raw: string, token: HtmlToken): void {
    const { character, text } = this.#mask;
    const place = { raw, begin: token.begin, mask: character };
    for (const one of keptSpans(text.slice(token.begin, token.end), token.text, place)) {
      const { node, begin, end } = one;
      // Line breaks within the tags of an element stay there, where Markdown may need them.
      const edge =
        this.#settings.keepsLists && this.#isAfterOpening
          ? (/^\s*\n\s*(?=\S)/.exec(node.raw ?? '')?.[0] ?? '')
          : '';
      if (edge !== '') {
        this.#push(hiddenNode(edge), { begin, end: begin + edge.length });
        node.raw = node.raw?.slice(edge.length) ?? null;
        node.text = node.text.trimStart();
      }
      this.#push(node, { begin, end });
    }
  }

  #pushTag(node: LiteralNode, token: HtmlToken, attributes: readonly Block[]): void {
    this.#push(node, token);
    for (const one of attributes) {
      const place: Span = [one.span[0] - token.begin, one.span[1] - token.begin];
      this.#inner.push({ ...one, node, place });
    }
  }

  #push(node: LiteralNode, { begin, end }: { begin: number; end: number }): void {
    if (this.#nodes.length === 0) this.#begin = begin;
    this.#nodes.push(node);
    this.#end = end;
  }

  #finishBlock(): void {
    const { nodes, begin, end } = trimmed(this.#nodes, [this.#begin, this.#end]);
    const inner = this.#inner;
    this.#nodes = [];
    this.#inner = [];
    if (!nodes.some(({ kind, text }) => kind === 'text' && hasLetters(text))) {
      this.#blocks.push(...inner.map(({ span, root, write }) => ({ span, root, write })));
      return;
    }
    const hasLines =
      this.#settings.keepsLists === true &&
      nodes.some(({ text }) => /^\s*(\||[#>*+-]+\s|\d+[.)]\s)/m.test(text));
    const name = this.#preformatted > 0 || hasLines ? 'pre' : (this.#open.at(-1)?.block ?? 'div');
    const root = { ...elementNode(name, '', ''), children: pairTags(nodes, tagOf) };
    this.#blocks.push({ span: [begin, end], root, write: writeHtml, inner });
  }
}
