/**
 * A translation memory: texts with their translations, shared by runs, folders and other programs. JSON lines of
 * `source` and `target`, or TMX 1.4b (https://www.gala-global.org/tmx-14b), which is edited where it stands.
 */

import { readFile } from 'node:fs/promises';
import { escapedHtml } from '../markup/html_texts.js';
import type { HtmlToken } from '../markup/html_tokens.js';
import { decodeStrictly } from '../values/utf8.js';
import { UsageError } from './flags.js';
import { writeWhole } from './journal.js';

type Pair = readonly [source: string, target: string];

/** Tags of the two languages. TMX needs them; of a file that exists, the source's is its header's by default. */
export interface MemoryLanguages {
  readonly source?: string | undefined;
  readonly target?: string | undefined;
}

interface Format {
  pairs(text: string, path: string, languages: MemoryLanguages): Pair[] | Promise<Pair[]>;
  /** The file with more pairs. */
  extended(text: string, pairs: readonly Pair[], languages: MemoryLanguages): string;
}

export class Memory {
  readonly #path: string;
  readonly #languages: MemoryLanguages;
  readonly #known: Map<string, string>;
  readonly #learned = new Map<string, string>();

  private constructor(path: string, languages: MemoryLanguages, pairs: readonly Pair[]) {
    this.#path = path;
    this.#languages = languages;
    const trimmed = pairs.map(([source, target]): Pair => [source.trim(), target.trim()]);
    this.#known = new Map(trimmed.filter(([, target]) => target !== ''));
  }

  /** @throws UsageError for a file that cannot be read; a file that is not there yet is made */
  static async open(path: string, languages: MemoryLanguages): Promise<Memory> {
    const text = await contentOf(path);
    if (text === null && formatOf(path) === tmx && !(languages.source && languages.target))
      throw new UsageError('a new TMX file needs --source-language and --lang, the languages of its texts');
    const pairs = text === null ? [] : await formatOf(path).pairs(text, path, languages);
    return new Memory(path, languages, pairs);
  }

  /** The translation of a text; white space around it is that of the text. */
  get(text: string): string | undefined {
    const known = this.#known.get(text.trim());
    return known === undefined ? undefined : text.replace(text.trim(), () => known);
  }

  /** What the memory has already stays as it is. Whole files, of plain text, are no texts to remember. */
  learn(text: string, translation: string): void {
    const [source, target] = [text.trim(), translation.trim()];
    if (source === '' || target === '' || this.#known.has(source) || source.includes('\n')) return;
    this.#known.set(source, target);
    this.#learned.set(source, target);
  }

  /** Adds what was learned to the file as it is now. */
  async save(): Promise<void> {
    if (this.#learned.size === 0) return;
    const text = (await contentOf(this.#path)) ?? '';
    await writeWhole(this.#path, formatOf(this.#path).extended(text, [...this.#learned], this.#languages));
    this.#learned.clear();
  }
}

async function contentOf(path: string): Promise<string | null> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new UsageError(`the memory ${path} cannot be read: ${error.message}`);
  });
  try {
    return bytes && decodeStrictly(bytes);
  } catch {
    throw new UsageError(`the memory ${path} is not in UTF-8`);
  }
}

const formatOf = (path: string): Format => (/\.tmx$/i.test(path) ? tmx : jsonLines);

const jsonLines: Format = {
  pairs: (text, path) =>
    text.split('\n').flatMap((line, i) => (line.trim() === '' ? [] : [pairOf(line, `${path}:${i + 1}`)])),
  extended: (text, pairs) => {
    const lines = pairs.map(([source, target]) => `${JSON.stringify({ source, target })}\n`);
    return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${lines.join('')}`;
  },
};

function pairOf(line: string, place: string): Pair {
  try {
    const { source, target } = JSON.parse(line);
    if (typeof source === 'string' && typeof target === 'string') return [source, target];
  } catch {
    // Refused with its place.
  }
  throw new UsageError(`${place} is not a line such as {"source": "a cat", "target": "un chat"}`);
}

const tmx: Format = {
  async pairs(text, path, languages) {
    const refuse = (reason: string) => {
      throw new UsageError(`the memory ${path} is no TMX file: ${reason}`);
    };
    const { htmlTokens } = await import('../markup/html_tokens.js');
    const tokens = await htmlTokens(text, { isXml: true, refuse });
    if (!tokens.some(({ name }) => name === 'tmx') || !text.includes('</body>')) refuse('it has no body');
    const header = tokens.find(({ name }) => name === 'header');
    const source = languages.source ?? attribute(header, 'srclang') ?? '';
    return unitsOf(tokens).flatMap((unit) => pairsOf(unit, source, languages.target));
  },
  extended(text, pairs, { source = '', target = '' }) {
    const whole = text === '' ? emptyTmx(source) : text;
    const srclang = /<header\b[^>]*\ssrclang=["']([^"']*)/.exec(whole)?.[1];
    const units = pairs.filter(areXml).map(([from, to]) => {
      const variant = (tag: string, words: string) =>
        `<tuv xml:lang="${tag}"><seg>${escapedHtml(words).replaceAll('\r', '&#13;')}</seg></tuv>`;
      return `    <tu>${variant(source || srclang || 'und', from)}${variant(target || 'und', to)}</tu>\n`;
    });
    const end = whole.lastIndexOf('</body>');
    const line = whole.lastIndexOf('\n', end) + 1;
    const place = whole.slice(line, end).trim() === '' ? line : end;
    return `${whole.slice(0, place)}${units.join('')}${whole.slice(place)}`;
  },
};

/** XML has no other control characters. */
const areXml = (pair: Pair) => !/[^\P{Cc}\t\n\r]|[\p{Cs}\uFFFE\uFFFF]/u.test(pair.join());

const emptyTmx = (source: string) => `<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4">
  <header creationtool="transformer-wasm" creationtoolversion="1" segtype="block" o-tmf="none" adminlang="en"
    srclang="${source}" datatype="plaintext"/>
  <body>
  </body>
</tmx>
`;

const attribute = (token: HtmlToken | undefined, name: string) =>
  token?.attributes.find((one) => one.name === name)?.value;

/** Of each unit its texts, by language. Codes within a text are part of it. */
function unitsOf(tokens: readonly HtmlToken[]): Map<string, string>[] {
  const units: Map<string, string>[] = [];
  let language = '';
  let isText = false;
  for (const token of tokens) {
    const { name, kind, text } = token;
    const unit = units.at(-1);
    if (kind === 'text' && isText) unit?.set(language, (unit.get(language) ?? '') + text);
    else if (name === 'seg') isText = kind === 'open';
    else if (name === 'tu' && kind === 'open') units.push(new Map());
    else if (name === 'tuv' && kind === 'open')
      language = (attribute(token, 'xml:lang') ?? attribute(token, 'lang') ?? '').toLowerCase();
  }
  return units;
}

/** A tag matches those that say more: `fr` has the texts of `fr-CA`. */
const matches = (tag: string, wanted: string) => `${tag}-`.startsWith(`${wanted.toLowerCase()}-`);

function pairsOf(unit: ReadonlyMap<string, string>, source: string, target: string | undefined): Pair[] {
  const texts = [...unit];
  const from = texts.find(([tag]) => source === '*all*' || matches(tag, source)) ?? texts[0];
  const others = texts.filter((one) => one !== from);
  const to = target === undefined ? others[0] : others.find(([tag]) => matches(tag, target));
  return from && to ? [[from[1], to[1]]] : [];
}
