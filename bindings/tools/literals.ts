/**
 * Calls that are no JSON, as JSON: Python's `[f(a="b", n=3)]`, and FunctionGemma's `call:f{a:<escape>b<escape>,n:3}`.
 */

const words: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' };
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '0': '\0' };

const tokens = [
  String.raw`\s+`,
  String.raw`<escape>(?<plain>[\s\S]*?)<escape>`,
  String.raw`"(?<double>(?:[^"\\]|\\[\s\S])*)"|'(?<single>(?:[^'\\]|\\[\s\S])*)'`,
  String.raw`(?:call:)?(?<called>[\p{L}_][\p{L}\p{N}_.-]*)\s*(?=[({])(?<opened>[({])`,
  String.raw`(?<key>[\p{L}_][\p{L}\p{N}_.-]*)\s*[=:]`,
  String.raw`(?<number>-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)`,
  String.raw`(?<word>true|false|null|True|False|None)\b`,
  String.raw`,(?=\s*[)\]}])`,
  String.raw`(?<sign>[[\](){},:])`,
];

/** The calls as objects one after the other, or `null` for a text that has none. */
export function jsonOf(text: string): string | null {
  const pattern = new RegExp(tokens.join('|'), 'uy');
  const closings: string[] = [];
  let json = '';
  while (pattern.lastIndex < text.length) {
    const { groups } = pattern.exec(text) ?? {};
    if (!groups) return null;
    const { plain, double, single, called, key, number, word, sign } = groups;
    const quoted = double ?? single;
    if (plain !== undefined) json += JSON.stringify(plain);
    else if (quoted !== undefined) json += JSON.stringify(unescaped(quoted));
    else if (called !== undefined) {
      closings.push('}}');
      json += `{"name":${JSON.stringify(called)},"arguments":{`;
    } else if (key !== undefined) json += `${JSON.stringify(key)}:`;
    else if (sign !== undefined && '[({'.includes(sign)) {
      closings.push(sign === '{' ? '}' : ']');
      json += sign === '{' ? '{' : '[';
    } else if (sign !== undefined && '])}'.includes(sign)) json += closings.pop() ?? ']';
    else json += number ?? (word === undefined ? sign : (words[word] ?? word)) ?? ' ';
  }
  return json;
}

const unescaped = (text: string): string =>
  text.replace(/\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|([\s\S]))/gu, (_, byte, code, letter: string) =>
    letter === undefined
      ? String.fromCharCode(Number.parseInt(byte ?? code, 16))
      : (escapes[letter] ?? letter),
  );

/** Whether what was read so far ends within a text, where marks mean nothing. */
export class Quotes {
  /** What ends it; empty: not within one. */
  #closing = '';
  /** The last letters that may be a mark, or a backslash before a letter. */
  #held = '';

  constructor(private readonly style: 'python' | 'marked') {}

  get isOpen(): boolean {
    return this.#closing !== '';
  }

  push(letter: string): void {
    if (this.style === 'marked') {
      this.#held = `${this.#held}${letter}`.slice(-mark.length);
      if (this.#held !== mark) return;
      this.#held = '';
      this.#closing = this.isOpen ? '' : mark;
    } else if (this.#held !== '') this.#held = '';
    else if (this.isOpen && letter === '\\') this.#held = letter;
    else if (letter === this.#closing) this.#closing = '';
    else if (!this.isOpen && /["']/.test(letter)) this.#closing = letter;
  }
}

const mark = '<escape>';
