/** The normalizers of a tokenizer.json: how a text is changed before it is cut, aligned with the original. */

import { fail } from '../values/errors.js';
import { type AlignedText, AlignedTextBuilder, partOf } from './aligned_text.js';
import { lettersOfText } from './byte_letters.js';
import { CharsMap } from './chars_map.js';
import { cutterOf } from './splits.js';
import { inSteps, type StepEntry, stepsOf } from './step_entry.js';

export type Normalize = (text: AlignedText) => AlignedText;

/** @throws TransformerError `bad_checkpoint`, `unsupported` */
export function normalizerOf(entry: unknown, file: string): Normalize | null {
  const steps = stepsOf(entry, { list: 'normalizers', step: 'normalizer', file });
  if (steps.length === 0) return null;
  const normalize = inSteps<AlignedText>(
    steps.map(singleNormalizer),
    ({ text }) => text.length,
    `${file}: the normalizer`,
  );
  return (given) => {
    checkMarks(given.text);
    return normalize(given);
  };
}

/** Combining marks of one letter: JavaScript sorts them in the square of their number. */
const mostMarks = 10_000;

function checkMarks(text: string): void {
  if (text.length <= mostMarks) return;
  for (const { 0: run } of text.matchAll(/\p{M}+/gu))
    if (run.length > mostMarks)
      fail(
        'invalid_argument',
        `the text has ${run.length} combining marks in a row; at most ${mostMarks} are supported`,
      );
}

function singleNormalizer(step: StepEntry): Normalize {
  switch (step.type) {
    case 'BertNormalizer':
      return bert(step);
    case 'Strip':
      return strip(step.flag('strip_left', true), step.flag('strip_right', true));
    case 'StripAccents':
      return letterByLetter((letter) => (/^\p{M}$/u.test(letter) ? '' : letter));
    case 'NFC':
    case 'NFD':
    case 'NFKC':
    case 'NFKD':
      return composed(step.type);
    case 'Lowercase':
      return lowercase;
    case 'Nmt':
      return letterByLetter((letter) =>
        nmtDropped.test(letter) ? '' : nmtSpace.test(letter) ? ' ' : letter,
      );
    case 'Precompiled':
      return precompiled(step);
    case 'Replace':
      return replace(step);
    case 'Prepend': {
      const prefix = step.text('prepend');
      return (given) => prepended(prefix, given);
    }
    case 'ByteLevel':
      return letterByLetter(lettersOfText);
    default:
      return step.refuseType('normalizer');
  }
}

/** Each character alone; what is made of it stands for it. */
const letterByLetter = (becomes: (letter: string) => string): Normalize => {
  const known = new Map<string, string>();
  return (given) => {
    const made = new AlignedTextBuilder();
    let unit = 0;
    for (const letter of given.text) {
      const image = known.get(letter) ?? becomes(letter);
      if (known.size < 10_000) known.set(letter, image);
      made.addAs(image, given, unit);
      unit += letter.length;
    }
    return made.text === given.text ? given : made;
  };
};

/** Character by character, so that the form of a sigma does not depend on its neighbours. */
const lowercase = letterByLetter((letter) => letter.toLowerCase());

/** The control characters that `nmt_nfkc` drops, and those that it takes for spaces. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const nmtDropped = /^(?![\0\t\n\f\r])[\0-\x1f\x7f\x8f\x9f]$/;
const nmtSpace = /^[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]$/;

/** BERT's normalizer (Devlin et al. 2019): control characters, spaces, ideographs, accents, case. */
function bert(step: StepEntry): Normalize {
  const lowers = step.flag('lowercase', true);
  const steps: Normalize[] = [];
  if (step.flag('clean_text', true))
    steps.push(
      letterByLetter((letter) =>
        dropped.test(letter) ? '' : /^\p{White_Space}$/u.test(letter) ? ' ' : letter,
      ),
    );
  if (step.flag('handle_chinese_chars', true))
    steps.push(letterByLetter((letter) => (ideograph.test(letter) ? ` ${letter} ` : letter)));
  if (step.flag('strip_accents', lowers))
    steps.push(
      composed('NFD'),
      letterByLetter((letter) => (/^\p{Mn}$/u.test(letter) ? '' : letter)),
    );
  if (lowers) steps.push(lowercase);
  return (given) => steps.reduce((text, next) => next(text), given);
}

/** Control characters, apart from the three that are white space; and U+FFFD. */
const dropped = /^(?:(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}]|\ufffd)$/u;

const ideograph =
  /^[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]$/u;

/** Removes white space at the ends. */
const strip =
  (left: boolean, right: boolean): Normalize =>
  (given) => {
    const { text } = given;
    const begin = left ? (/^\p{White_Space}*/u.exec(text)?.[0].length ?? 0) : 0;
    let end = text.length;
    while (right && end > begin && /^\p{White_Space}$/u.test(text[end - 1] ?? '')) end--;
    return partOf(given, begin, end);
  };

/** A letter with its combining marks, or a Korean syllable: what Unicode's forms compose or take apart. */
const cluster =
  /[\u1100-\u115f][\u1160-\u11a7][\u11a8-\u11ff]?\p{M}*|[\uac00-\ud7a3][\u11a8-\u11ff]?\p{M}*|\P{M}\p{M}*|\p{M}+/gsu;

const composed =
  (form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): Normalize =>
  (given) => {
    const whole = given.text.normalize(form);
    if (whole === given.text) return given;
    const made = new AlignedTextBuilder();
    for (const { 0: part, index } of given.text.matchAll(cluster)) {
      const image = part.normalize(form);
      if (image === part) made.addPart(given, index, index + part.length);
      else addMarked(made, given, { part, index, image });
    }
    if (made.text === whole) return made;
    const other = new AlignedTextBuilder();
    addMarked(other, given, { part: given.text, index: 0, image: whole });
    return other;
  };

/**
 * The first character stands for the first one and what is joined with it; those after it, from the end on, for theirs.
 */
function addMarked(
  made: AlignedTextBuilder,
  given: AlignedText,
  { part, index, image }: { part: string; index: number; image: string },
): void {
  const [letters, units] = [Array.from(image), unitsOf(part)];
  for (const [i, letter] of letters.entries())
    made.addAs(
      letter,
      given,
      index + (units[i === 0 ? 0 : Math.max(0, units.length - letters.length + i)] ?? 0),
    );
}

/** The offset of each character. */
function unitsOf(text: string): number[] {
  let unit = 0;
  return Array.from(text, (letter) => {
    unit += letter.length;
    return unit - letter.length;
  });
}

/** Whole grapheme clusters are looked up first, then the characters in them. */
function precompiled(step: StepEntry): Normalize {
  const given = step.get('precompiled_charsmap');
  if (typeof given !== 'string' || given === '') return (text) => text;
  const charsMap = new CharsMap(fromBase64(given, step.file), step.file);
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const encoder = new TextEncoder();
  const becomes = (part: string) => charsMap.shortest(encoder.encode(part));
  return (text) => {
    const made = new AlignedTextBuilder();
    const add = (part: string, index: number, image: string) => {
      const units = unitsOf(part);
      for (const [i, letter] of Array.from(image).entries())
        made.addAs(letter, text, index + (units[Math.min(i, units.length - 1)] ?? 0));
    };
    for (const { segment, index } of segmenter.segment(text.text)) {
      // Longer clusters are not looked up as a whole.
      const whole = encoder.encode(segment).length < 6 ? becomes(segment) : null;
      if (whole !== null) add(segment, index, whole);
      else
        for (const [i, unit] of unitsOf(segment).entries()) {
          const letter = Array.from(segment)[i] ?? '';
          add(letter, index + unit, becomes(letter) ?? letter);
        }
    }
    return made;
  };
}

function fromBase64(text: string, file: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return fail('bad_checkpoint', `${file}: precompiled_charsmap is not base64`);
  }
}

/** What is written stands for the last character of what it replaces, as in the original. */
function replace(step: StepEntry): Normalize {
  const cutter = cutterOf(step);
  const content = step.text('content');
  return (given) => {
    const parts = cutter(given.text);
    if (!parts.some(([, , isMatch]) => isMatch)) return given;
    const made = new AlignedTextBuilder();
    for (const [begin, end, isMatch] of parts)
      if (isMatch) made.addAs(content, given, end - 1);
      else made.addPart(given, begin, end);
    return made;
  };
}

/** A prefix stands for the first character; an empty text gets none. */
export function prepended(prefix: string, given: AlignedText): AlignedText {
  if (given.text === '') return given;
  const made = new AlignedTextBuilder();
  made.addAs(prefix, given, 0);
  made.addPart(given, 0, given.text.length);
  return made;
}
