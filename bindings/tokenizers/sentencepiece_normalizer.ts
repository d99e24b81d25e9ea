/** SentencePiece's normalizer (Kudo and Richardson 2018, section 3.2): maps characters, collapses and marks spaces. */

import { type AlignedText, AlignedTextBuilder } from './aligned_text.js';
import { characterAt } from './characters.js';
import { CharsMap } from './chars_map.js';
import { LongestMatch } from './longest_match.js';
import type { SentencePieceFile } from './sentencepiece_file.js';

export class SentencePieceNormalizer {
  readonly #spec: SentencePieceFile['normalizer'];
  readonly #charsMap: CharsMap | null;
  readonly #symbols: LongestMatch;
  readonly #space: string;
  readonly #whitespaceAsSuffix: boolean;

  /** @throws TransformerError `bad_checkpoint` */
  constructor(file: SentencePieceFile) {
    this.#spec = file.normalizer;
    const { charsMap } = file.normalizer;
    this.#charsMap = charsMap.length > 0 ? new CharsMap(charsMap, file.name) : null;
    this.#symbols = LongestMatch.of(
      file.pieces.filter(({ kind }) => kind === 'user').map(({ text }) => text),
    );
    this.#space = file.normalizer.escapeWhitespaces ? '\u2581' : ' ';
    this.#whitespaceAsSuffix = file.whitespaceAsSuffix;
  }

  /** @param addPrefix whether to insert the space before the first word, if the model has one */
  normalize(text: string, addPrefix = true): AlignedText {
    const { addDummyPrefix, removeExtraWhitespaces } = this.#spec;
    const result = new AlignedTextBuilder();
    const steps = this.#steps(text);
    let next = 0;
    if (removeExtraWhitespaces) while (steps[next]?.becomes === ' ') next++;
    if (next === steps.length) return result;
    const wordBegin = steps[next]?.begin ?? 0;
    const addsSpace = addDummyPrefix && addPrefix;
    if (addsSpace && !this.#whitespaceAsSuffix) result.add(this.#space, wordBegin, wordBegin);
    let afterSpace = removeExtraWhitespaces;
    for (const { becomes, begin, end } of steps.slice(next)) {
      const kept = afterSpace ? becomes.replace(/^ +/, '') : becomes;
      result.add(kept.replaceAll(' ', this.#space), begin, end);
      if (kept !== '') afterSpace = removeExtraWhitespaces && kept.endsWith(' ');
    }
    if (removeExtraWhitespaces) while (result.text.endsWith(this.#space)) result.dropLast(this.#space.length);
    const end = result.ends.at(-1) ?? text.length;
    if (addsSpace && this.#whitespaceAsSuffix) result.add(this.#space, end, end);
    return result;
  }

  /** Splits the text into the longest runs known to the map or the symbols, and otherwise into characters. */
  #steps(text: string): Step[] {
    const bytes = new TextEncoder().encode(text);
    const symbolAt = this.#symbols.in(text);
    const steps: Step[] = [];
    let [unit, byte] = [0, 0];
    while (unit < text.length) {
      const symbol = symbolAt(unit);
      const step = symbol ? { units: symbol.length, becomes: symbol } : this.#stepAt(text, unit, bytes, byte);
      // Unchanged text keeps its lone surrogates too, which UTF-8 cannot represent.
      const end = unit + step.units;
      steps.push({ becomes: step.becomes, begin: unit, end });
      for (const character of text.slice(unit, end)) byte += utf8Length(character);
      unit = end;
    }
    return steps;
  }

  #stepAt(text: string, unit: number, bytes: Uint8Array, byte: number): { units: number; becomes: string } {
    const mapped = this.#charsMap?.longestAt(bytes, byte);
    if (mapped) {
      return { units: unitsOf(text, unit, mapped.length), becomes: mapped.becomes };
    }
    const character = characterAt(text, unit);
    return { units: character.length, becomes: halfCharacter.test(character) ? '\ufffd' : character };
  }
}

const halfCharacter = /^\p{Surrogate}$/u;

interface Step {
  readonly becomes: string;
  readonly begin: number;
  readonly end: number;
}

/** The number of UTF-16 units whose UTF-8 encoding fills `bytes` bytes. */
function unitsOf(text: string, begin: number, bytes: number): number {
  let units = 0;
  for (let left = bytes; left > 0 && begin + units < text.length; ) {
    const character = characterAt(text, begin + units);
    left -= utf8Length(character);
    units += character.length;
  }
  return units;
}

/** A lone surrogate counts as U+FFFD, its replacement in UTF-8. */
function utf8Length(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}
