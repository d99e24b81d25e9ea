/** Tokens as the page shows them. */

import { make } from '../drawing/dom.js';
import { decimals, percentSign } from '../words/numbers.js';
import { words } from '../words/words.js';

export interface Token {
  /** The text on the page: the token, or a name for a special one. */
  readonly label: string;
  /** Whether it is not text, such as the end of the sentence. */
  readonly isSpecial: boolean;
  readonly isUnknown: boolean;
  readonly language: 'en' | 'fr';
}

const names: Record<string, string> = {
  '<s>': words.tokens.start,
  '</s>': words.tokens.end,
  '<pad>': words.tokens.padding,
};

/** @param written the original spelling of a word that is not in the vocabulary */
export function tokenOf(token: string, language: Token['language'], written?: string): Token {
  const name = names[token];
  const isUnknown = token === '<unk>';
  const text = token.replace(/^[Ġ▁]/, '').trim();
  const label = isUnknown ? (written ?? words.tokens.unknown) : (name ?? (text === '' ? '␣' : text));
  return { label, isSpecial: name !== undefined, isUnknown, language };
}

export function tokenClass({ isSpecial, isUnknown }: Token): string {
  return ['token', isSpecial && 'special', isUnknown && 'unknown'].filter(Boolean).join(' ');
}

/** The token as an inline element. */
export function tokenText(token: Token): HTMLElement {
  const { label, isSpecial, language } = token;
  // "start" and "end" are English in either language.
  return make('span', { class: tokenClass(token), lang: isSpecial ? undefined : language }, label);
}

/** One decimal below ten and where less would round up to all, else none: 0.4 %, 3.0 %, 62 %, 99.7 %. */
export function percent(share: number): string {
  const value = share * 100;
  if (value === 0 || value === 100) return `${value}${percentSign}`;
  if (value < 0.05) return `< ${decimals('0.1')}${percentSign}`;
  if (value >= 99.95) return `> ${decimals('99.9')}${percentSign}`;
  return `${value < 9.95 || value >= 99.5 ? decimals(value.toFixed(1)) : value.toFixed(0)}${percentSign}`;
}
