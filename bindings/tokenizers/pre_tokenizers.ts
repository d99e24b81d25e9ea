/** The pre-tokenizers of a tokenizer.json: how a text is cut into the words that the model cuts into tokens. */

import { fail } from '../values/errors.js';
import { type AlignedText, AlignedTextBuilder, partOf } from './aligned_text.js';
import { lettersOfText } from './byte_letters.js';
import { LinearPattern } from './linear_pattern.js';
import { prepended } from './normalizers.js';
import { type Behavior, behaviors, type Cutter, cutterOf, eachOf, matching, splitAt } from './splits.js';
import { inSteps, type StepEntry, stepsOf } from './step_entry.js';

export type PreTokenize = (texts: readonly AlignedText[]) => readonly AlignedText[];

type Cut = (text: AlignedText) => readonly AlignedText[];

/** @throws TransformerError `bad_checkpoint`, `unsupported` */
export function preTokenizerOf(entry: unknown, file: string): PreTokenize {
  const steps = stepsOf(entry, { list: 'pretokenizers', step: 'pre_tokenizer', file })
    .flatMap(singlePreTokenizer)
    .map((cut) => (texts: readonly AlignedText[]) => texts.flatMap(cut).filter(({ text }) => text !== ''));
  return inSteps<readonly AlignedText[]>(steps, lettersOf, `${file}: the pre_tokenizer`);
}

/** The letters of several texts, each counted with one more: a text takes memory, too. */
const lettersOf = (texts: readonly AlignedText[]) =>
  texts.reduce((sum, { text }) => sum + text.length + 1, 0);

const white: Cutter = eachOf(/\p{White_Space}/gu);
/** ASCII's punctuation has symbols, too. */
const punctuation: Cutter = eachOf(/[!-/:-@[-`{-~\p{P}]/gu);

function singlePreTokenizer(step: StepEntry): Cut[] {
  switch (step.type) {
    case 'BertPreTokenizer':
      return [split(white, 'Removed'), split(punctuation, 'Isolated')];
    case 'ByteLevel':
      return byteLevel(step);
    case 'CharDelimiterSplit': {
      const delimiter = step.letter('delimiter');
      return [
        split(
          matching((text) => placesOfLetter(delimiter, text)),
          'Removed',
        ),
      ];
    }
    case 'Digits':
      return [split(eachOf(/\p{N}/gu), step.flag('individual_digits', false) ? 'Isolated' : 'Contiguous')];
    case 'FixedLength':
      return [fixedLength(step.count('length', 5, 1))];
    case 'Metaspace':
      return metaspace(step);
    case 'Punctuation':
      return [split(punctuation, step.choice('behavior', behaviors, 'Isolated'))];
    case 'Split': {
      const [behavior, inverts] = [
        step.choice('behavior', behaviors, 'Isolated'),
        step.flag('invert', false),
      ];
      return [split(cutterOf(step), behavior, inverts)];
    }
    case 'Whitespace':
      return [
        split(
          matching((text) => wordsAndMarks().in(text)),
          'Removed',
          true,
        ),
      ];
    case 'WhitespaceSplit':
      return [split(white, 'Removed')];
    default:
      return step.refuseType('pre_tokenizer');
  }
}

const split =
  (cutter: Cutter, behavior: Behavior, inverts = false): Cut =>
  (given) =>
    splitAt(given.text, cutter, behavior, inverts).map(([begin, end]) => partOf(given, begin, end));

function* placesOfLetter(letter: string, text: string): Generator<[number, number]> {
  for (let at = text.indexOf(letter); at >= 0; at = text.indexOf(letter, at + letter.length))
    yield [at, at + letter.length];
}

/** A pattern that is made when it is first needed. */
function lazily(source: string): () => LinearPattern {
  let made: LinearPattern | undefined;
  return () => {
    made ??= new LinearPattern(source);
    return made;
  };
}

const wordsAndMarks = lazily(String.raw`[\w\p{Join_Control}]+|[^\w\p{Join_Control}\s]+`);

/** GPT-2's rule for splitting a text into words. */
const gpt2Words = lazily(
  String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
);

function byteLevel(step: StepEntry): Cut[] {
  const prefixes = step.flag('add_prefix_space', false);
  const cuts = step.flag('use_regex', true);
  const words = split(
    matching((text) => gpt2Words().in(text)),
    'Isolated',
  );
  return [
    (given) => {
      const whole = prefixes && !given.text.startsWith(' ') ? prepended(' ', given) : given;
      return cuts ? words(whole) : [whole];
    },
    (given) => [inLetters(given)],
  ];
}

/** Bytes as letters; each stands for its character. */
function inLetters(given: AlignedText): AlignedText {
  const text = lettersOfText(given.text);
  if (text.length === given.text.length) return { ...given, text };
  const made = new AlignedTextBuilder();
  let unit = 0;
  for (const letter of given.text) {
    made.addAs(lettersOfText(letter), given, unit);
    unit += letter.length;
  }
  return made;
}

/** @param length of each piece, in characters */
function fixedLength(length: number): Cut {
  return (given) => {
    const pieces: AlignedText[] = [];
    let [begin, end, count] = [0, 0, 0];
    for (const letter of given.text) {
      end += letter.length;
      if (++count % length !== 0 && end < given.text.length) continue;
      pieces.push(partOf(given, begin, end));
      begin = end;
    }
    return pieces;
  };
}

const schemes = ['always', 'first', 'never'] as const;

/** SentencePiece's spaces: written as a mark, one before the text, and words begin with them. */
function metaspace(step: StepEntry): Cut[] {
  const mark = step.letter('replacement', '\u2581');
  if (mark.length > 1)
    fail('unsupported', `${step.file}: Metaspace with the mark '${mark}' is not supported`);
  const scheme = metaspaceScheme(step);
  const splits = step.flag('split', true);
  const words = split(
    matching((text) => placesOfLetter(mark, text)),
    'MergedWithNext',
  );
  return [
    (given) => {
      const text = given.text.replaceAll(' ', mark);
      const marked = { ...given, text };
      const isFirst = scheme === 'always' || (scheme === 'first' && given.begins[0] === 0);
      const whole = isFirst && !text.startsWith(mark) ? prepended(mark, marked) : marked;
      return splits ? words(whole) : [whole];
    },
  ];
}

/** When a mark is put before a text, which older files say by `add_prefix_space`. */
export const metaspaceScheme = (step: StepEntry): (typeof schemes)[number] =>
  step.choice('prepend_scheme', schemes, step.flag('add_prefix_space', true) ? 'always' : 'never');
