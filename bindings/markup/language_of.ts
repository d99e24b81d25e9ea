/** Which language the parts of a page are in, as its `lang` attributes say. */

import type { HtmlToken } from './html_tokens.js';
import { hasLetters } from './segment.js';

const primary = (tag: string) => tag.trim().toLowerCase().split(/[-_]/)[0] ?? '';
const own = ({ attributes }: HtmlToken) =>
  attributes.find(({ name }) => name === 'lang')?.value ??
  attributes.find(({ name }) => name === 'xml:lang')?.value;

export class Languages {
  /** The language that is translated; empty: what is not marked. */
  readonly #read: string;

  private constructor(read: string) {
    this.#read = read;
  }

  /** That of the caller, or the page's, or else what most of the text is in, where what is not marked counts first. */
  static in(
    tokens: readonly HtmlToken[],
    { sourceLanguage }: { sourceLanguage?: string | undefined },
  ): Languages {
    const page = tokens.find(({ kind, name }) => kind === 'open' && name === 'html');
    const given = sourceLanguage ?? (page && own(page));
    if (given) return new Languages(primary(given));
    const lengths = new Map<string, number>();
    const open: { name: string; language: string }[] = [];
    for (const token of tokens) {
      const language = open.at(-1)?.language ?? '';
      if (token.kind === 'open' && own(token) !== undefined && !token.isClosed)
        open.push({ name: token.name, language: primary(own(token) ?? '') });
      else if (token.kind === 'open' && open.at(-1)?.name === token.name)
        open.push({ name: token.name, language });
      else if (token.kind === 'close' && open.at(-1)?.name === token.name) open.pop();
      else if (token.kind === 'text' && hasLetters(token.text))
        lengths.set(language, (lengths.get(language) ?? 0) + token.text.length);
    }
    const [most] = [...lengths].sort((a, b) => b[1] - a[1]);
    return new Languages(lengths.has('') ? '' : (most?.[0] ?? ''));
  }

  of(token: HtmlToken, around = ''): string {
    const language = own(token);
    return language === undefined ? around : primary(language);
  }

  isRead(language: string): boolean {
    return language === '' || language === this.#read;
  }
}
