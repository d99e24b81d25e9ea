/** Markup as a list of tokens with their places, by parse5's tokenizer. The build bundles it into this file. */

import { decodeHTML } from 'entities';
import { Tokenizer, TokenizerMode } from 'parse5';

/** A tag, a run of characters, or what nobody reads: a comment, a doctype, an instruction. */
export interface HtmlToken {
  readonly kind: 'open' | 'close' | 'text' | 'hidden';
  readonly begin: number;
  end: number;
  /** Of a tag, in lower case. */
  readonly name: string;
  /** Of a text, with its character references read. */
  text: string;
  readonly attributes: readonly HtmlAttribute[];
  /** Whether the tag ends with `/>`. */
  readonly isClosed: boolean;
}

export interface HtmlAttribute {
  readonly name: string;
  readonly value: string;
  readonly begin: number;
  readonly end: number;
}

/** Text with its character references read. */
export const decodeCharacters: (text: string) => string = decodeHTML;

const mostAttributes = 1000;
/** Characters between two looks at a tag that is being read, and at the clock. */
const chunk = 1 << 14;

const modes: Readonly<Record<string, number>> = {
  title: TokenizerMode.RCDATA,
  textarea: TokenizerMode.RCDATA,
  style: TokenizerMode.RAWTEXT,
  xmp: TokenizerMode.RAWTEXT,
  iframe: TokenizerMode.RAWTEXT,
  noembed: TokenizerMode.RAWTEXT,
  noframes: TokenizerMode.RAWTEXT,
  script: TokenizerMode.SCRIPT_DATA,
  plaintext: TokenizerMode.PLAINTEXT,
};

interface Located {
  readonly location: {
    readonly startOffset: number;
    readonly endOffset: number;
    readonly attrs?: Record<string, { startOffset: number; endOffset: number }>;
  } | null;
}
interface Tag extends Located {
  readonly tagName: string;
  readonly selfClosing: boolean;
  readonly attrs: readonly { name: string; prefix?: string; value: string }[];
}

interface TokenSettings {
  /** XML: tags may close themselves, and no element has a language of its own. */
  readonly isXml?: boolean;
  /** Called between pieces of a long text. */
  readonly pause?: () => Promise<void> | undefined;
  /** Throws, with what is wrong with the markup. */
  readonly refuse: (reason: string) => never;
}

export async function htmlTokens(
  source: string,
  { isXml = false, pause, refuse }: TokenSettings,
): Promise<HtmlToken[]> {
  const tokens: HtmlToken[] = [];
  const add = (kind: HtmlToken['kind'], { location }: Located, rest: Partial<HtmlToken> = {}) => {
    const [begin, end] = [location?.startOffset ?? 0, location?.endOffset ?? 0];
    tokens.push({ kind, begin, end, name: '', text: '', attributes: [], isClosed: false, ...rest });
  };
  let foreign = '';
  const addTag = (kind: 'open' | 'close', tag: Tag) => {
    const { tagName: name, selfClosing: isClosed, location } = tag;
    const attributes = tag.attrs.map(({ name, prefix, value }) => {
      const full = prefix ? `${prefix}:${name}` : name;
      const place = location?.attrs?.[full] ?? location?.attrs?.[name];
      return { name: full, value, begin: place?.startOffset ?? -1, end: place?.endOffset ?? -1 };
    });
    add(kind, tag, { name, attributes, isClosed });
    if (isXml) return;
    if (foreign === '' && kind === 'open' && (name === 'svg' || name === 'math') && !isClosed) foreign = name;
    else if (foreign === name && kind === 'close') foreign = '';
    tokenizer.inForeignNode = foreign !== '';
    const mode = foreign === '' && kind === 'open' && !isClosed ? modes[name] : undefined;
    if (mode !== undefined) tokenizer.state = mode as typeof tokenizer.state;
  };
  const addText = (token: Located & { chars: string }) => {
    const last = tokens.at(-1);
    if (last?.kind === 'text' && last.end === token.location?.startOffset) {
      last.text += token.chars;
      last.end = token.location.endOffset;
    } else add('text', token, { text: token.chars });
  };
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag: (tag) => addTag('open', tag),
      onEndTag: (tag) => addTag('close', tag),
      onComment: (token) => add('hidden', token),
      onDoctype: (token) => add('hidden', token),
      onCharacter: addText,
      onNullCharacter: addText,
      onWhitespaceCharacter: addText,
      onEof() {},
      onParseError: null,
    },
  );
  tokenizer.inForeignNode = isXml;
  for (let at = 0; at === 0 || at < source.length; at += chunk) {
    tokenizer.write(source.slice(at, at + chunk), at + chunk >= source.length);
    if (attributesSoFar(tokenizer) > mostAttributes)
      refuse(`one of its tags has more than ${mostAttributes} attributes`);
    await pause?.();
  }
  return tokens;
}

/** Of the tag that is being read: each is compared with all before it. The token is not part of parse5's types. */
function attributesSoFar(tokenizer: object): number {
  const { currentToken } = tokenizer as { currentToken: { attrs?: unknown[] } | null };
  return currentToken?.attrs?.length ?? 0;
}
