/** Tokens as a reader sees them. */

import { make } from './dom.js';

export interface Token {
  /** What stands on the page: the token, or a word for one that is no text. */
  readonly label: string;
  /** Whether it is one that is no text, as the end of the sentence. */
  readonly isSpecial: boolean;
  readonly isUnknown: boolean;
  readonly language: 'en' | 'fr';
}

const names: Record<string, string> = { '<s>': 'start', '</s>': 'end', '<pad>': 'padding' };

/** @param written for a word that the vocabulary does not have: how it stands in the text */
export function tokenOf(token: string, language: Token['language'], written?: string): Token {
  const name = names[token];
  const isUnknown = token === '<unk>';
  const label = isUnknown ? (written ?? 'unknown') : (name ?? token.trim());
  return { label, isSpecial: name !== undefined, isUnknown, language };
}

export function tokenClass({ isSpecial, isUnknown }: Token): string {
  return ['token', isSpecial && 'special', isUnknown && 'unknown'].filter(Boolean).join(' ');
}

/** The token for use in a line of text. */
export function tokenText(token: Token): HTMLElement {
  const { label, isSpecial, language } = token;
  // "start" and "end" are English, whatever they are the start and end of.
  return make('span', { class: tokenClass(token), lang: isSpecial ? undefined : language }, label);
}

/** For one decimal place at most: 3 %, 62 %, 0.4 %. */
export function percent(share: number): string {
  const value = share * 100;
  if (value === 0) return '0 %';
  if (value < 0.05) return '< 0.1 %';
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} %`;
}
