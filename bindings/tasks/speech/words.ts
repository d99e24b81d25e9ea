/** Groups tokens into words, with their times, as Hugging Face's tokenizer does. */

import type { Tokenizer } from '../../tokenizers/tokenizer.js';
import { hasSpaces } from './languages.js';

/** A word that was said; times in seconds from the beginning of the recording. */
export interface Word {
  /** With the space before it, where there is one. */
  text: string;
  start: number;
  end: number;
}

/** Places of tokens that belong together, and their text. */
interface TokenGroup {
  text: string;
  places: number[];
}

const opening = '"\'“¡¿([{-';
const closing = '"\'.。,，!！?？:：”)]}、';
const punctuation = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

/** @param end the id of the end token: those from it on are special */
export function wordsOf(
  ids: readonly number[],
  { tokenizer, language, end }: { tokenizer: Tokenizer; language: string | null; end: number },
): TokenGroup[] {
  const groups = charactersOf(ids, tokenizer);
  if (!hasSpaces(language)) return withPunctuation(groups);
  const words: TokenGroup[] = [];
  for (const group of groups) {
    const [first = 0] = group.places;
    const isSpecial = (ids[first] ?? 0) >= end;
    const begins = isSpecial || group.text.startsWith(' ') || punctuation.includes(group.text.trim());
    const open = words.at(-1);
    if (begins || !open) words.push(group);
    else append(open, group);
  }
  return withPunctuation(words);
}

/** The shortest groups of tokens that are whole characters. */
function charactersOf(ids: readonly number[], tokenizer: Tokenizer): TokenGroup[] {
  const decode = (some: readonly number[]) => tokenizer.decode(some, { skipSpecialTokens: false });
  const whole = decode(ids);
  const groups: TokenGroup[] = [];
  let offset = 0;
  let first = 0;
  for (let place = 0; place < ids.length; place++) {
    const text = decode(ids.slice(first, place + 1));
    const broken = text.indexOf('\ufffd');
    const isWhole = broken < 0 || whole[offset + broken] === '\ufffd';
    // Where the ids end inside a character, what there is of it is a word.
    if (!isWhole && place < ids.length - 1) continue;
    groups.push({ text, places: Array.from({ length: place + 1 - first }, (_, i) => first + i) });
    offset += text.length;
    first = place + 1;
  }
  return groups;
}

function append(group: TokenGroup, other: TokenGroup): void {
  group.text += other.text;
  group.places.push(...other.places);
}

/** Opening punctuation joins the next word, closing punctuation the one before. */
function withPunctuation(words: TokenGroup[]): TokenGroup[] {
  for (let i = words.length - 2, next = words.length - 1; i >= 0; i--) {
    const word = words[i] as TokenGroup;
    const target = words[next] as TokenGroup;
    if (!word.text.startsWith(' ') || !opening.includes(word.text.trim())) {
      next = i;
      continue;
    }
    words[next] = { text: word.text + target.text, places: [...word.places, ...target.places] };
    words[i] = { text: '', places: [] };
  }
  for (let i = 0, next = 1; next < words.length; next++) {
    const word = words[i] as TokenGroup;
    const other = words[next] as TokenGroup;
    if (word.text.endsWith(' ') || !closing.includes(other.text)) {
      i = next;
      continue;
    }
    append(word, other);
    words[next] = { text: '', places: [] };
  }
  return words.filter(({ places }) => places.length > 0);
}
